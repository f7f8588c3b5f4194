// What observations bind, a page by id
CYPHER 5
MATCH (o:Observation)
WHERE o.id > $after
WITH o ORDER BY o.id LIMIT $limit
RETURN o.id AS id, [(o)-[b:BINDS]->(e:Entity) | [e.id, e.name, b.role]] AS members
