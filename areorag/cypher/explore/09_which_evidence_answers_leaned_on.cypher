// Which evidence answers leaned on, and with what rank
CYPHER 5
MATCH (a:Answer)-[u:USED]->(h)
RETURN h.id AS evidence, h.instrument AS instrument, count(a) AS answers, min(u.rank) AS best_rank
ORDER BY answers DESC, best_rank, evidence
