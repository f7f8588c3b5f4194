// Every co-location groups at least two observations
CYPHER 5
MATCH (c:Colocation)
WHERE COUNT { (c)-[:GROUPS]->(:Observation) } < 2
RETURN c.id AS id, 'fewer than two members' AS why
LIMIT 20
