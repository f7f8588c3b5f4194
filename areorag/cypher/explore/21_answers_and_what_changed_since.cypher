// Answers and what became of their evidence: records that a newer version or a changed file has replaced since
CYPHER 5
MATCH (q:Query)-[:ANSWERED_BY]->(a:Answer)-[:USED]->(h)
OPTIONAL MATCH (now:Observation)-[s:SUPERSEDES]->(h)
RETURN a.id AS answer, a.created AS asked, q.question AS question, count(DISTINCT h) AS used,
       collect(DISTINCT now.id + ': ' + s.reason) AS changed_since
ORDER BY size(changed_since) DESC, asked DESC
