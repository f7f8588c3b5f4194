// Create or update a document and tie it to its run
CYPHER 5
MERGE (d:Document {id: $id})
SET d += $p
WITH d
MATCH (r:IngestRun {id: $run})
MERGE (d)-[:INGESTED_BY]->(r)
