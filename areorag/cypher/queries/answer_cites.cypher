// Bind an answer to the products its sentences cite
CYPHER 5
MATCH (a:Answer {id: $answer_id})
UNWIND $cites AS c
MATCH (:Hyperedge {id: c.id})-[:FROM_PRODUCT]->(p:Product)
MERGE (a)-[r:CITES]->(p)
SET r.n = c.n
