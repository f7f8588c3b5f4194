// Keep a reasoning trace with its question and the hyperedges it used
CYPHER 5
MERGE (q:Query {id: $id})
SET q += $p
WITH q
UNWIND $used AS u
MATCH (h:Hyperedge {id: u.id})
MERGE (q)-[r:USED]->(h)
SET r.rank = u.rank, r.score = u.score, r.step = u.step
