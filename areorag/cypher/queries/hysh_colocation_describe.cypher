// Write a co-location's midpoint, position and words
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (c:Colocation {id: row.id})
SET c.n = row.n, c.rules = row.rules, c.body = row.body, c.name = row.name, c.text = row.text,
    c.rho = row.rho, c.depth = row.depth, c.direction = row.direction, c.lorentz = row.lorentz,
    c.embedding_version = row.embedding_version,
    c.position = CASE WHEN row.position IS NULL THEN null
                      ELSE point({x: row.position[0], y: row.position[1], z: row.position[2]}) END
