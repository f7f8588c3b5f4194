// Depth, position and learned direction of the nodes of a version (null: every placed observation)
CYPHER 5
MATCH (o:Observation)
WHERE o.rho IS NOT NULL AND o.position IS NOT NULL AND ($version IS NULL OR o.learned_version = $version)
RETURN o.id AS id, o.rho AS rho, [o.position.x, o.position.y, o.position.z] AS xyz, o.learned_direction AS u
ORDER BY id
