// Members of co-locations with what their midpoint needs
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: wanted})-[:GROUPS]->(o:Observation)
WITH c, o ORDER BY o.id
RETURN c.id AS id, c.focus AS focus, head(collect(o.body)) AS body,
       collect({id: o.id, rho: o.rho, direction: o.direction, instrument: o.instrument,
                xyz: [o.position.x, o.position.y, o.position.z], version: o.embedding_version}) AS members
ORDER BY id
