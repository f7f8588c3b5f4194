// Every answer has its question and cites only what is there
CYPHER 5
MATCH (a:Answer)
WHERE NOT EXISTS { (a)--(:Query) }
RETURN a.id AS id, 'no question' AS why
LIMIT 20
