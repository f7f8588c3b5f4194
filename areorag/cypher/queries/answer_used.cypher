// Bind an answer to the hyperedges it used, with rank and scores
CYPHER 5
MATCH (a:Answer {id: $answer_id})
UNWIND $used AS u
MATCH (h:Hyperedge {id: u.id})
MERGE (a)-[r:USED]->(h)
SET r.rank = u.rank, r.score = u.score, r.scores = u.scores, r.kept = u.kept
