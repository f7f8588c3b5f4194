// Remove synonym hyperedges that would be left with fewer than two supported participants
CYPHER 5
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE NOT EXISTS { (e)<-[:BINDS]-(h:Hyperedge) WHERE NOT h:Synonym }
MATCH (e)<-[b:BINDS]-(s:Synonym)
DELETE b
WITH DISTINCT s
WHERE COUNT { (s)-[:BINDS]->() } < 2
DETACH DELETE s
