// Delete some nodes of a throw-away database
CYPHER 5
MATCH (n)
WHERE NOT n:Migration
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS n
