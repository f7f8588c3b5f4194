// Attach claims to the hyperedges that assert them
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (h:Hyperedge {id: row.h})
UNWIND row.claims AS claim
MERGE (c:Claim {id: claim.id})
SET c += claim
MERGE (h)-[:ASSERTS]->(c)
