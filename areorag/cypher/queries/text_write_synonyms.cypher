// Write synonym hyperedges: participants that name the same thing, with why
CYPHER 5
UNWIND $rows AS row
MERGE (s:Hyperedge:Synonym {id: row.id})
SET s += row.p
WITH s, row
UNWIND row.members AS member
MATCH (e:Entity {id: member})
MERGE (s)-[:BINDS {role: 'name'}]->(e)
