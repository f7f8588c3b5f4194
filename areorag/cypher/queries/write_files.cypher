// Record what became of files
CYPHER 5 replan=skip
MERGE (r:IngestRun {id: $run})
ON CREATE SET r += $p, r.status = 'running'
WITH r
UNWIND $rows AS row
MERGE (f:File {id: row.id})
SET f = row.p
MERGE (f)-[:INGESTED_BY]->(r)
