// Depth and neighbours: the observations nearest to one in hyperbolic space, within 50 km (change the id)
CYPHER 5
WITH 'FRT000047A3_07_IF166J_MTR3' AS id
MATCH (a:Observation {id: id})
MATCH (b:Observation)
WHERE point.distance(b.position, a.position) < 50000 AND b <> a AND b.rho IS NOT NULL
WITH a, b, reduce(s = 0.0, i IN range(0, size(a.direction) - 1) | s + (a.direction[i] - b.direction[i]) ^ 2) AS chord2
WITH a, b, ((exp((a.rho - b.rho) / 2) - exp((b.rho - a.rho) / 2)) / 2) ^ 2
  + (exp(a.rho) - exp(-a.rho)) * (exp(b.rho) - exp(-b.rho)) / 4 * chord2 / 4 AS s
RETURN b.name AS observation, b.scale_m AS resolution_m, round(b.rho, 2) AS depth, round(b.rho - a.rho, 2) AS deeper_by,
       round(2 * log(sqrt(s) + sqrt(s + 1)), 2) AS geodesic_distance,
       round(point.distance(b.position, a.position)) AS metres
ORDER BY geodesic_distance
LIMIT 25
