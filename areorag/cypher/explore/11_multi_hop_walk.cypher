// Multi-hop walk from a place: two hyperedges away, by one path pattern over the one incidence type (change the name)
CYPHER 5
MATCH (start:Feature {name: 'Jezero'})
MATCH (start) (()<-[:BINDS]-(:Hyperedge)-[:BINDS]->()){2} (far:Entity)
WHERE far <> start
RETURN labels(far)[-1] AS kind, far.name AS entity, count(*) AS ways
ORDER BY ways DESC, entity
LIMIT 25
