// Every text fact with what it binds
CYPHER 5
MATCH (f:Fact)-[:BINDS]->(e:Entity)
WITH f, e ORDER BY e.id
RETURN f.id AS id, f.text AS text,
       collect(DISTINCT {id: e.id, name: e.name, label: [l IN labels(e) WHERE l <> 'Entity'][0]}) AS nodes
ORDER BY id
