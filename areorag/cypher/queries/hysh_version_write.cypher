// Record a learned embedding
CYPHER 5
MERGE (v:EmbeddingVersion {id: $record.id})
SET v += $record
