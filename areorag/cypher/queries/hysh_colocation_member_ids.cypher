// Co-locations with the ids of their members
CYPHER 5
MATCH (c:Colocation)-[:GROUPS]->(o:Observation)
WITH c, o ORDER BY o.id
RETURN c.id AS id, c.focus AS focus, collect(o.id) AS members
ORDER BY id
