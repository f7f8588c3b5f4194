// Claims of records that are not the current one
CYPHER 5
UNWIND $rows AS row
MATCH (s:Superseded {id: row.id})
UNWIND row.claims AS claim
MERGE (c:Superseded {id: claim.id})
SET c += claim
MERGE (s)-[:ASSERTS]->(c)
