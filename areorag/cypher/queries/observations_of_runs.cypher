// Observations that some runs wrote
CYPHER 5
UNWIND $runs AS run
MATCH (r:IngestRun {id: run})<-[:INGESTED_BY]-(o:Observation)
RETURN DISTINCT o.id AS id
