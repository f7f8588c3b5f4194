// Which features observations are bound to
CYPHER 5
MATCH (o:Observation)-[:BINDS]->(e:Feature)
WHERE o.rho IS NOT NULL AND e.rho IS NOT NULL
RETURN DISTINCT o.id AS h, e.id AS e
