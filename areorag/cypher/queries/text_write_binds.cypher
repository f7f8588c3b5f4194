// Bind facts to their participants, each once in each role
CYPHER 5
UNWIND $rows AS row
MATCH (f:Fact {id: row.h})
UNWIND row.to AS bind
MATCH (e:Entity {id: bind.e})
MERGE (f)-[:BINDS {role: bind.role}]->(e)
