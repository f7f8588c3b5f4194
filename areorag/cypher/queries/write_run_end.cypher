// Close an ingest run
CYPHER 5
MATCH (r:IngestRun {id: $id})
SET r += $p
