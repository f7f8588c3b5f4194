// Ranges that no query seeks by cost every write; the journal is looked up by path
// schema

CYPHER 5 DROP INDEX observation_platform IF EXISTS;
CYPHER 5 DROP INDEX observation_institution IF EXISTS;
CYPHER 5 DROP INDEX observation_processing_level IF EXISTS;
CYPHER 5 DROP INDEX observation_authority IF EXISTS;
CYPHER 5 DROP INDEX observation_content_hash IF EXISTS;
CYPHER 5 DROP INDEX observation_stop IF EXISTS;
CYPHER 5 DROP INDEX product_sha256 IF EXISTS;
CYPHER 5 CREATE INDEX file_path IF NOT EXISTS FOR (n:File) ON (n.path);
CYPHER 5 CREATE INDEX ingest_run_status IF NOT EXISTS FOR (n:IngestRun) ON (n.status);
