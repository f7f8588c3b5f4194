// The current record supersedes an earlier or poorer one
CYPHER 5
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
MATCH (s:Superseded {id: row.old})
MERGE (o)-[r:SUPERSEDES]->(s)
SET r.reason = row.reason
