// Attach findings to the observations they are about
CYPHER 5
UNWIND $rows AS row
MATCH (h:Hyperedge {id: row.h})
MERGE (c:Claim {id: row.claim.id})
SET c += row.claim
MERGE (h)-[:ASSERTS]->(c)
WITH c, row
OPTIONAL MATCH (old:Superseded {of: c.id})
FOREACH (_ IN CASE WHEN old IS NULL THEN [] ELSE [1] END | MERGE (c)-[:SUPERSEDES]->(old))
WITH DISTINCT c, row
UNWIND row.about AS about
MATCH (e:Entity {id: about})
MERGE (c)-[:ABOUT]->(e)
