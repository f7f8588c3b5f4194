// Hand what a retired record superseded on to its successor, so that the chain starts at the current one
CYPHER 5
UNWIND $rows AS row
MATCH (s:Superseded {id: row.old})-[r:SUPERSEDES]->(older:Superseded)
MATCH (o:Observation {id: row.id})
MERGE (o)-[n:SUPERSEDES]->(older)
SET n.reason = r.reason
DELETE r
