// Open an ingest run, or go on with one that was cut short
CYPHER 5 replan=skip
MERGE (r:IngestRun {id: $id})
ON CREATE SET r += $p
SET r.status = 'running'
