// Number of nodes by label and of relationships by type
CYPHER 5
MATCH (n)
UNWIND labels(n) AS label
WITH label, count(*) AS n
RETURN label AS what, n
ORDER BY what
UNION ALL
MATCH ()-[r]->()
WITH type(r) AS type, count(*) AS n
RETURN '-[' + type + ']->' AS what, n
ORDER BY what
