// Run node of the benchmark's bare writes
CYPHER 5 replan=skip
CREATE (:IngestRun {id: $id, name: 'bare', status: 'done'})
