// Coordinates lie on the hyperboloid: depth is its first coordinate, the direction has unit length
CYPHER 5
MATCH (n:Hyperedge)
WHERE n.lorentz IS NOT NULL
WITH n, reduce(s = 0.0, x IN n.direction | s + x * x) AS length
WHERE n.rho IS NULL OR n.rho < 0 OR abs(length - 1.0) > 1e-6 OR abs(n.lorentz[0] - n.depth) > 1e-9 * n.depth
RETURN n.id AS id, 'off the hyperboloid' AS why
LIMIT 20
