// Superseded records and products: what replaced what, and why
CYPHER 5
MATCH (now)-[s:SUPERSEDES]->(before)
RETURN coalesce(now.id, now.data_id) AS now, coalesce(before.id, before.data_id) AS before, s.reason AS reason,
       now.product_version AS version_now, before.product_version AS version_before
ORDER BY now, before
