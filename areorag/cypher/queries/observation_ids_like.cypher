// Ids of observations that begin as asked
CYPHER 5
MATCH (o:Observation)
WHERE o.id STARTS WITH $prefix
RETURN o.id AS id
ORDER BY id
LIMIT $limit
