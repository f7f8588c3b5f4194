// Observations within a chord of a place, band of depth by band of depth
CYPHER 5
WITH point({x: $position[0], y: $position[1], z: $position[2]}) AS here
UNWIND $bands AS band
MATCH (o:Observation)
WHERE point.distance(o.position, here) <= band.chord_m
  AND o.rho >= band.low AND o.rho <= band.high AND o.body = $body AND o.id <> $name
  AND coalesce(o.embedding_version, '') = $version
RETURN DISTINCT o.id AS id, o.rho AS rho, o.direction AS direction
