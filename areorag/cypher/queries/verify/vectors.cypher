// Vectors are finite and not zero
CYPHER 5
MATCH (n:Hyperedge|Passage)
UNWIND [n.embedding, n.lorentz, n.direction] AS vector
WITH n, vector
WHERE vector IS NOT NULL
  AND (size(vector) = 0 OR all(x IN vector WHERE x = 0) OR any(x IN vector WHERE isNaN(x) OR abs(x) = 1.0 / 0.0))
RETURN n.id AS id, 'a vector is zero or not finite' AS why
LIMIT 20
