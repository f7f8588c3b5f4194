// Largest co-locations with their members and the features there
CYPHER 5
MATCH (c:Colocation)
WITH c ORDER BY c.n DESC LIMIT 25
MATCH p = (c)-[:GROUPS]->(:Observation)
OPTIONAL MATCH q = (c)-[:BINDS]->(:Feature)
RETURN p, q
