// What co-location needs of some observations: footprint or point, depth, time
CYPHER 5
UNWIND $ids AS wanted
MATCH (o:Observation {id: wanted})
RETURN o.id AS id, o.body AS body, o.footprint AS footprint, o.location.x AS lon, o.location.y AS lat,
       o.rho AS rho, o.start AS start, o.stop AS stop
ORDER BY id
