// Delete passages with their facts, claims and the conflicts between these; what they named is left for the sweep
CYPHER 5
UNWIND $ids AS id
MATCH (p:Passage {id: id})
OPTIONAL MATCH (f:Fact)-[:STATED_IN]->(p)
OPTIONAL MATCH (f)-[:ASSERTS]->(c:Claim)
OPTIONAL MATCH (c)<-[:BETWEEN]-(x:Conflict)
WITH p, collect(DISTINCT f) AS facts, collect(DISTINCT c) AS claims, collect(DISTINCT x) AS conflicts
FOREACH (x IN conflicts | DETACH DELETE x)
FOREACH (c IN claims | DETACH DELETE c)
FOREACH (f IN facts | DETACH DELETE f)
DETACH DELETE p
