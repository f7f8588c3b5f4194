// Retire observations in favour of another record: they leave every index but stay, with their claims
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
WHERE c.digest IS NULL
OPTIONAL MATCH (c)-[about:ABOUT]->()
DELETE about
WITH o, row, collect(DISTINCT c) AS claims
FOREACH (claim IN claims |
  REMOVE claim:Claim
  SET claim:Superseded, claim.of = claim.id, claim.id = claim.id + '@' + row.tag
)
REMOVE o:Hyperedge, o:Observation
SET o:Superseded, o.of = o.id, o.id = o.id + '@' + row.tag, o.embedding = NULL, o.known_hashes = NULL
