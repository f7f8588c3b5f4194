// Coarse above fine: observations that share a cell, or the cells above it, at scales 20 times apart
CYPHER 5
MATCH (fine:Observation)-[:COVERS]->(c:Cell)-[:WITHIN*0..6]->(up:Cell)<-[:COVERS]-(coarse:Observation)
WHERE fine.body = coarse.body AND coarse.resolution_m > 20 * fine.resolution_m
RETURN DISTINCT coarse.id AS coarse, coarse.resolution_m AS coarse_m, fine.id AS fine, fine.resolution_m AS fine_m
ORDER BY coarse_m / fine_m DESC, coarse, fine
LIMIT 50
