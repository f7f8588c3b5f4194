// Synonym hyperedges with their members and reasons
CYPHER 5
MATCH (s:Synonym)-[:BINDS]->(e:Entity)
WITH s, e
ORDER BY e.id
RETURN s.id AS id, s.method AS method, s.score AS score, s.text AS text, collect(e.id) AS members,
       collect(e.name) AS names, [l IN labels(head(collect(e))) WHERE l <> 'Entity'][0] AS label
ORDER BY id
