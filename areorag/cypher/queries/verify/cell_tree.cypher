// A cell lies within the cell that its number says
CYPHER 5
MATCH (c:Cell)-[:WITHIN]->(up:Cell)
WHERE up.order <> c.order - 1 OR up.index <> c.index / 4
RETURN c.id AS id, 'within ' + up.id AS why
LIMIT 20
