// Content of nodes
CYPHER 5
MATCH (n)
RETURN labels(n) AS labels, n {.*} AS properties
