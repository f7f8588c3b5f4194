// Store conflicts between claims; a person's decision is never overwritten
CYPHER 5
UNWIND $rows AS row
MATCH (a:Claim {id: row.claim_a})
MATCH (b:Claim {id: row.claim_b})
MERGE (c:Conflict {id: row.id})
ON CREATE SET c.created = datetime()
SET c += row.properties, c.last_seen = datetime()
MERGE (c)-[ra:BETWEEN]->(a) SET ra.side = 'a'
MERGE (c)-[rb:BETWEEN]->(b) SET rb.side = 'b'
RETURN count(c) AS n
