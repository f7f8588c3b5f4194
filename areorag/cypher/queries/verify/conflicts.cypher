// Every conflict stands between claims that are there
CYPHER 5
MATCH (x:Conflict)
WHERE COUNT { (x)-[:BETWEEN]->() } < 2
RETURN x.id AS id, 'an end is missing' AS why
LIMIT 20
