// A participant is bound once in each role
CYPHER 5
MATCH (h:Hyperedge)-[b:BINDS]->(e:Entity)
WITH h, e, b.role AS role, count(*) AS n
WHERE n > 1
RETURN h.id AS id, 'bound twice to ' + e.id AS why
LIMIT 20
