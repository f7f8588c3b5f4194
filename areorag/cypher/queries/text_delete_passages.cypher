// Delete passages with their facts and claims; what they named is left for the sweep
CYPHER 5
UNWIND $ids AS id
MATCH (p:Passage {id: id})
OPTIONAL MATCH (f:Fact)-[:STATED_IN]->(p)
OPTIONAL MATCH (f)-[:ASSERTS]->(c:Claim)
WITH p, collect(DISTINCT f) AS facts, collect(DISTINCT c) AS claims
FOREACH (c IN claims | DETACH DELETE c)
FOREACH (f IN facts | DETACH DELETE f)
DETACH DELETE p
