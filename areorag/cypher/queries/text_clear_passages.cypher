// Remove facts and claims of passages to be written again, with conflicts of claims that go; those in $keep stay empty
CYPHER 5
UNWIND $ids AS id
MATCH (p:Passage {id: id})
CALL (p) {
  MATCH (f:Fact)-[:STATED_IN]->(p)
  OPTIONAL MATCH (f)-[:ASSERTS]->(c:Claim)
  OPTIONAL MATCH (c)<-[:BETWEEN]-(x:Conflict)
  WHERE NOT c.id IN $keep
  OPTIONAL MATCH (c)-[about:ABOUT]->()
  WITH collect(DISTINCT f) AS facts, collect(DISTINCT c) AS claims, collect(DISTINCT x) AS conflicts,
       collect(DISTINCT about) AS abouts
  FOREACH (x IN conflicts | DETACH DELETE x)
  FOREACH (r IN abouts | DELETE r)
  FOREACH (c IN [c IN claims WHERE c.id IN $keep] | SET c = {id: c.id})
  FOREACH (c IN [c IN claims WHERE NOT c.id IN $keep] | DETACH DELETE c)
  FOREACH (f IN facts | DETACH DELETE f)
}
