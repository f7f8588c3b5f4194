// Observations that state the same property of the same thing or at the same place as the ones given
CYPHER 5
MATCH (o:Observation)-[:ASSERTS]->(c:Claim)
WHERE o.id IN $ids
CALL (o, c) {
  MATCH (d:Claim {property: c.property})<-[:ASSERTS]-(p:Observation)
  WHERE d.subject = c.subject AND p <> o
  RETURN p, d
  LIMIT $limit
  UNION
  MATCH (o)<-[:GROUPS]-(:Colocation)-[:GROUPS]->(p:Observation)-[:ASSERTS]->(d:Claim {property: c.property})
  WHERE p <> o
  RETURN p, d
  LIMIT $limit
}
WITH p, count(DISTINCT d) AS shared
WHERE NOT p.id IN $ids
RETURN p.id AS id, shared
ORDER BY shared DESC, id
LIMIT $limit
