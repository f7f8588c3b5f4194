// Findings about an observation stay with its current record
CYPHER 5
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
MATCH (:Superseded {id: row.old})-[r:ASSERTS]->(c:Claim)
MERGE (o)-[:ASSERTS]->(c)
DELETE r
