// Hubs: the participants that the most hyperedges bind
CYPHER 5
MATCH (e:Entity)<-[:BINDS]-(h:Hyperedge)
RETURN labels(e)[-1] AS kind, e.name AS entity, count(h) AS hyperedges
ORDER BY hyperedges DESC, entity
LIMIT 25
