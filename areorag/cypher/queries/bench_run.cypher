// Run node of the benchmark's bare writes
CYPHER 5
CREATE (:IngestRun {id: $id, name: 'bare', status: 'done'})
