// Observations of wanted instruments nearest to a point of the body
CYPHER 5
MATCH (o:Observation)
WHERE o.instrument IN $instruments AND o.position IS NOT NULL
  AND point.distance(o.position, point({x: $x, y: $y, z: $z})) < $reach
  AND NOT o.id IN $not_ids
RETURN o.id AS id, o.instrument AS instrument, o.resolution_m AS resolution_m, o.mars_year AS mars_year,
       o.ls_deg AS ls_deg, point.distance(o.position, point({x: $x, y: $y, z: $z})) AS distance_m
ORDER BY distance_m, id
LIMIT 40
