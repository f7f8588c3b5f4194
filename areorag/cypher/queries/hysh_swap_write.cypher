// Make coordinates the active ones
CYPHER 5
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
SET o.direction = row.u, o.lorentz = row.x, o.embedding_version = $version
