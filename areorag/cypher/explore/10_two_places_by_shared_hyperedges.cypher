// Two places, and one chain of hyperedges through each participant they share (change the names)
CYPHER 5
MATCH (a:Feature {name: 'Jezero'})
MATCH (b:Feature {name: 'Gale'})
MATCH path = (a)<-[:BINDS]-(:Observation)-[:BINDS]->(shared:Entity)<-[:BINDS]-(:Observation)-[:BINDS]->(b)
WITH shared, collect(path)[0] AS path
RETURN shared.name AS shared, path
ORDER BY shared
LIMIT 50
