// Write co-locations' midpoints, and nothing else of them
CYPHER 5
UNWIND $rows AS row
MATCH (c:Colocation {id: row.id})
SET c.rho = row.rho, c.depth = row.depth, c.direction = row.direction, c.lorentz = row.lorentz,
    c.embedding_version = row.embedding_version
