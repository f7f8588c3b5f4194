// Remove synonym hyperedges that name an entity which only synonyms bind: the decision was about all of their members
CYPHER 5
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE NOT EXISTS { (e)<-[:BINDS]-(h:Hyperedge) WHERE NOT h:Synonym }
MATCH (e)<-[:BINDS]-(s:Synonym)
WITH DISTINCT s
DETACH DELETE s
