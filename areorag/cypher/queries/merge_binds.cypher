// Bind hyperedges to further participants, each once
CYPHER 5
UNWIND $rows AS row
MATCH (h:Hyperedge {id: row.h})
UNWIND row.to AS bind
MATCH (e:Entity {id: bind.e})
WHERE NOT EXISTS { (h)-[:BINDS]->(e) }
CREATE (h)-[:BINDS {role: bind.role}]->(e)
