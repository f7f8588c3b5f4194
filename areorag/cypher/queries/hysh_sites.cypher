// What co-location needs of every observation: footprint or point, depth, time
CYPHER 5
MATCH (o:Observation)
RETURN o.id AS id, o.body AS body, o.footprint AS footprint, o.location.x AS lon, o.location.y AS lat,
       o.rho AS rho, o.start AS start, o.stop AS stop, o.direction AS direction, o.instrument AS instrument,
       [o.position.x, o.position.y, o.position.z] AS xyz, o.embedding_version AS version
ORDER BY id
