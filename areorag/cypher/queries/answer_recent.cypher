// Ids of the latest answers
CYPHER 5
MATCH (a:Answer)
RETURN a.id AS id
ORDER BY a.created DESC
LIMIT 5
