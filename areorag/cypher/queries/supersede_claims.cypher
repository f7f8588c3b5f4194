// Retire claims in favour of a newer statement of the same finding
CYPHER 5
UNWIND $rows AS row
MATCH (c:Claim {id: row.id})
REMOVE c:Claim
SET c:Superseded, c.of = c.id, c.id = c.id + '@' + row.tag
