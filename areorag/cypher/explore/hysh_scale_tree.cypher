// Scale tree: how many observations and cells at each order of the cell tree
CYPHER 5
MATCH (c:Cell)
OPTIONAL MATCH (c)<-[:COVERS]-(o:Observation)
RETURN c.order AS cell_order, count(DISTINCT c) AS cells, count(DISTINCT o) AS observations
ORDER BY cell_order
