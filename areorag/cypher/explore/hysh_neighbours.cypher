// Nearest observations of one observation by geodesic distance, within 50 km (set $id first:  :param id => '…')
CYPHER 5
MATCH (a:Observation {id: $id})
MATCH (b:Observation)
WHERE point.distance(b.position, a.position) < 50000 AND b <> a AND b.rho IS NOT NULL
WITH a, b, reduce(s = 0.0, i IN range(0, size(a.direction) - 1) | s + (a.direction[i] - b.direction[i]) ^ 2) AS chord2
WITH a, b, ((exp((a.rho - b.rho) / 2) - exp((b.rho - a.rho) / 2)) / 2) ^ 2
  + (exp(a.rho) - exp(-a.rho)) * (exp(b.rho) - exp(-b.rho)) / 4 * chord2 / 4 AS s
RETURN b.id AS observation, b.instrument AS instrument, b.scale_m AS resolution_m,
       round(2 * log(sqrt(s) + sqrt(s + 1)), 4) AS geodesic_distance, round(b.rho - a.rho, 2) AS depth_gap,
       round(point.distance(b.position, a.position)) AS metres
ORDER BY geodesic_distance
LIMIT 25
