// Tie facts to the co-locations nearest to the place they speak of
CYPHER 5
UNWIND $rows AS row
MATCH (f:Fact {id: row.h})
WHERE f.position IS NOT NULL
CALL (f, row) {
  MATCH (c:Colocation)
  WHERE point.distance(c.position, f.position) <= row.reach_m
  RETURN c
  ORDER BY point.distance(c.position, f.position), c.id
  LIMIT 3
}
MERGE (f)-[:ABOUT]->(c)
RETURN count(*) AS n
