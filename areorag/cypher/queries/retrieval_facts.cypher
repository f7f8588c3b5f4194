// Facts from texts with what they bind, a page by id
CYPHER 5
MATCH (f:Fact)
WHERE f.id > $after
WITH f ORDER BY f.id LIMIT $limit
RETURN f.id AS id, f.text AS text, f.confidence AS confidence, f.rho AS rho, f.direction AS direction,
       f.document_id AS document,
       [(f)-[b:BINDS]->(e:Entity) | [e.id, e.name, b.role]] AS entities
