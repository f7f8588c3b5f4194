// Explainable conflicts found so far, with the position and depth of their two sides and when they were found
CYPHER 5
MATCH (c:Conflict)
WHERE coalesce(c.overruled_category, c.category) IN ['instrument', 'scale', 'temporal']
MATCH (c)-[:BETWEEN]->(:Claim)<-[:ASSERTS]-(h:Hyperedge)
WHERE h.rho IS NOT NULL AND h.direction IS NOT NULL
RETURN c.id AS id, coalesce(c.overruled_category, c.category) AS category, toString(c.created) AS created,
       collect(DISTINCT {id: h.id, rho: h.rho, direction: h.direction}) AS sides
