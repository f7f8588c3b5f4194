// Observations of a body that have a position near a point but no outline: they stand for themselves as points
CYPHER 5
MATCH (o:Observation)
WHERE point.distance(o.position, point({x: $x, y: $y, z: $z})) <= $chord AND o.body = $body AND o.footprint IS NULL
RETURN o.id AS id, o.footprint AS footprint, o.lon_deg AS lon, o.lat_deg AS lat
