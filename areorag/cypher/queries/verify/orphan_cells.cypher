// Every cell covers something or holds a cell, and lies within the next coarser one
CYPHER 5
MATCH (c:Cell)
WHERE NOT EXISTS { (c)<-[:COVERS|WITHIN]-() } OR (c.order > 0 AND NOT EXISTS { (c)-[:WITHIN]->(:Cell) })
RETURN c.id AS id, 'outside the scale tree' AS why
LIMIT 20
