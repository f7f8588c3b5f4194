// Bind the conflicts of an answer to the question that brought them up
CYPHER 5
MATCH (q:Query)-[:ANSWERED_BY]->(:Answer {id: $answer_id})
UNWIND $conflicts AS id
MATCH (c:Conflict {id: id})
MERGE (c)-[:FOUND_BY]->(q)
