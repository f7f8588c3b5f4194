// Create or update documents and tie them to their run
CYPHER 5
UNWIND $rows AS row
MERGE (d:Document {id: row.id})
SET d += row.p
WITH d
MATCH (r:IngestRun {id: $run})
MERGE (d)-[:INGESTED_BY]->(r)
