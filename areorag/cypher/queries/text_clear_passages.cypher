// Remove the facts and claims of passages that are to be written again
CYPHER 5
UNWIND $ids AS id
MATCH (p:Passage {id: id})
CALL (p) {
  MATCH (f:Fact)-[:STATED_IN]->(p)
  OPTIONAL MATCH (f)-[:ASSERTS]->(c:Claim)
  DETACH DELETE c
  WITH DISTINCT f
  DETACH DELETE f
}
