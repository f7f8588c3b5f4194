// What was read: runs, files by outcome, and the reason of each file put aside
CYPHER 5
MATCH (f:File)-[:INGESTED_BY]->(r:IngestRun)
RETURN r.name AS run, f.status AS outcome, count(*) AS files,
       [reason IN collect(CASE WHEN f.status <> 'ok' THEN f.name + ': ' + coalesce(f.reason, '') END) | reason][..10] AS why
ORDER BY run, outcome
