// Bind an answer to the passages its sentences cite, and to those of the facts they cite
CYPHER 5
MATCH (a:Answer {id: $answer_id})
UNWIND $cites AS c
CALL (c) {
  MATCH (p:Passage {id: c.id})
  RETURN p
  UNION
  MATCH (:Hyperedge&Fact {id: c.id})-[:STATED_IN]->(p:Passage)
  RETURN p
}
MERGE (a)-[r:CITES]->(p)
SET r.n = c.n
