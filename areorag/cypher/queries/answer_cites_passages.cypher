// Bind an answer to the passages its sentences cite
CYPHER 5
MATCH (a:Answer {id: $answer_id})
UNWIND $cites AS c
MATCH (p:Passage {id: c.id})
MERGE (a)-[r:CITES]->(p)
SET r.n = c.n
