// Write entities' coordinates
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.rho = row.rho, e.depth = row.depth, e.direction = row.direction, e.lorentz = row.lorentz, e.placed_by = row.placed_by
