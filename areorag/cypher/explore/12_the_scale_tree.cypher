// The scale tree: cells that cover one observation, up to the base cells
CYPHER 5
MATCH (o:Observation)-[:COVERS]->(:Cell)
WITH o
ORDER BY o.resolution_m, o.id
LIMIT 1
MATCH path = (o)-[:COVERS]->(:Cell)-[:WITHIN*0..12]->(:Cell)
RETURN path
