// What is known of some claims
CYPHER 5
UNWIND $ids AS id
MATCH (c:Claim {id: id})
RETURN c.id AS id, c.digest AS digest
