// Retire observations in favour of a newer record: they leave every index but stay, with their claims
CYPHER 5
UNWIND $ids AS row
MATCH (o:Observation {id: row.id})
OPTIONAL MATCH (o)-[r:COVERS|BINDS]->()
DELETE r
WITH DISTINCT o, row
OPTIONAL MATCH (o)<-[g:GROUPS]-()
DELETE g
WITH DISTINCT o, row
OPTIONAL MATCH (o)-[:ASSERTS]->(c:Claim)
FOREACH (claim IN CASE WHEN c IS NULL THEN [] ELSE [c] END |
  REMOVE claim:Claim
  SET claim:Superseded, claim.of = claim.id, claim.id = claim.id + '@' + row.tag
)
WITH DISTINCT o, row
REMOVE o:Hyperedge, o:Observation
SET o:Superseded, o.of = o.id, o.id = o.id + '@' + row.tag
