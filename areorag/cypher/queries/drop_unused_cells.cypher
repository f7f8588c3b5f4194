// Delete cells that cover nothing and hold no cell
CYPHER 5
MATCH (c:Cell)
WHERE NOT EXISTS { (c)<--() }
DETACH DELETE c
RETURN count(*) AS n
