// Entities by id, with how many hyperedges bind them
CYPHER 5
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN e.id AS id, e.name AS name, [l IN labels(e) WHERE l <> 'Entity'][0] AS label,
       COUNT { (e)<-[:BINDS]-() } AS degree
ORDER BY id
