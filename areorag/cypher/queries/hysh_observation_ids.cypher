// Ids of all observations
CYPHER 5
MATCH (o:Observation)
RETURN o.id AS id
ORDER BY id
