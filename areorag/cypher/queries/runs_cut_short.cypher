// Ingest runs that never ended
CYPHER 5
MATCH (r:IngestRun {status: 'running'})
RETURN r.id AS id, r.key AS key
ORDER BY id
