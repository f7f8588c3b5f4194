// Delete observations with their claims, the conflicts between those claims, and their earlier records
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
OPTIONAL MATCH (o)-[:SUPERSEDES]->(old:Superseded)
WITH o, collect(old) AS olds
WITH [o] + olds AS gone
UNWIND gone AS record
OPTIONAL MATCH (record)-[:ASSERTS]->(c)
OPTIONAL MATCH (c)<-[:BETWEEN]-(x:Conflict)
WITH record, collect(DISTINCT c) AS claims, collect(DISTINCT x) AS conflicts
FOREACH (x IN conflicts | DETACH DELETE x)
FOREACH (c IN claims | DETACH DELETE c)
DETACH DELETE record
