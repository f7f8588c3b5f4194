// Bind hyperedges to their participants
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (h:Hyperedge {id: row.h})
UNWIND row.to AS bind
MATCH (e:Entity {id: bind.e})
CREATE (h)-[:BINDS {role: bind.role}]->(e)
