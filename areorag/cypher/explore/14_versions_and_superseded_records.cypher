// Versions: each record, the superseded ones it replaced (these first), and why
CYPHER 5
MATCH (now:Observation)
OPTIONAL MATCH (now)-[s:SUPERSEDES]->(before:Superseded)
RETURN now.id AS record, now.product_version AS version, before.id AS superseded, before.product_version AS old_version,
       s.reason AS reason, now.source_file AS file
ORDER BY before IS NULL, record
LIMIT 200
