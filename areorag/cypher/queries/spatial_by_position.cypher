// Observations of a body whose position lies within a chord of a point, nearest first
CYPHER 5
MATCH (o:Observation)
USING POINT INDEX o:Observation(position)
WHERE point.distance(o.position, point({x: $x, y: $y, z: $z})) <= $chord AND o.body = $body
WITH o, point.distance(o.position, point({x: $x, y: $y, z: $z})) AS d
ORDER BY d, o.id
LIMIT $limit
RETURN o.id AS id, o.footprint AS footprint, o.lon_deg AS lon, o.lat_deg AS lat, d AS chord
