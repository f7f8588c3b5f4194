// Keep learned directions beside the active ones
CYPHER 5
UNWIND $rows AS row
MATCH (n:Hyperedge|Entity {id: row.id})
SET n.learned_direction = row.u, n.learned_version = $version
