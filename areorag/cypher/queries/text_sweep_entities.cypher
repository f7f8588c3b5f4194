// Remove entities that nothing supports any more
CYPHER 5
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE NOT EXISTS { (e)--() }
DELETE e
RETURN count(*) AS n
