// Remove cells that cover nothing and hold no cell
CYPHER 5
UNWIND $ids AS id
MATCH (c:Cell {id: id})
WHERE NOT EXISTS { (c)<-[:COVERS|WITHIN]-() }
OPTIONAL MATCH (c)-[:WITHIN]->(up:Cell)
WITH c, collect(up.id) AS parents
DETACH DELETE c
WITH parents
UNWIND parents AS parent
RETURN DISTINCT parent AS id
