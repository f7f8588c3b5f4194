// For each conflict: finer observations that already cover the same cells
CYPHER 5
MATCH (x:Conflict)-[:BETWEEN]->(:Claim)<-[:ASSERTS]-(o:Observation)-[:COVERS]->(c:Cell)<-[:COVERS]-(other:Observation)
WHERE other.resolution_m < o.resolution_m
RETURN x.id AS conflict, x.property AS property, other.id AS finer, other.instrument AS instrument,
       min(other.resolution_m) AS resolution_m
ORDER BY conflict, resolution_m
LIMIT 50
