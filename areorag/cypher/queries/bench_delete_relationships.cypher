// Delete some relationships of a throw-away database
CYPHER 5
MATCH ()-[r]->()
WITH r LIMIT $limit
DELETE r
RETURN count(*) AS n
