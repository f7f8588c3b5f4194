// Write synonym hyperedges whose participants are all there: they name the same thing, with why
CYPHER 5
UNWIND $rows AS row
MATCH (e:Entity)
WHERE e.id IN row.members
WITH row, collect(e) AS members
WHERE size(members) = size(row.members)
MERGE (s:Hyperedge:Synonym {id: row.id})
SET s += row.p
WITH s, members
UNWIND members AS e
MERGE (s)-[:BINDS {role: 'name'}]->(e)
RETURN count(DISTINCT s) AS n
