// Number of co-locations
CYPHER 5
MATCH (c:Colocation)
RETURN count(c) AS n
