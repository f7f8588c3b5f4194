// Facts from texts, a page by id
CYPHER 5
MATCH (f:Fact)
WHERE f.id > $after
RETURN f.id AS id, f.text AS text, f.confidence AS confidence
ORDER BY f.id
LIMIT $limit
