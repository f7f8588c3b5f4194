// Foci of co-locations that lost a member without an update, and what still points to them
CYPHER 5
MATCH (c:Colocation)
WHERE COUNT { (c)-[:GROUPS]->() } <> c.n
CALL (c) {
  RETURN c.focus AS id
  UNION
  MATCH (c)-[g:GROUPS]->(o:Observation)
  WHERE g.pointer
  RETURN o.id AS id
}
RETURN DISTINCT id
