// Placed observations and features of a body: depth and position
CYPHER 5
MATCH (n:Observation {body: $body})
WHERE n.rho IS NOT NULL AND n.position IS NOT NULL
RETURN n.id AS id, n.rho AS rho, [n.position.x, n.position.y, n.position.z] AS xyz
ORDER BY id
UNION ALL
MATCH (n:Feature)
WHERE n.rho IS NOT NULL AND n.position IS NOT NULL AND coalesce(n.body, $body) = $body
RETURN n.id AS id, n.rho AS rho, [n.position.x, n.position.y, n.position.z] AS xyz
ORDER BY id
