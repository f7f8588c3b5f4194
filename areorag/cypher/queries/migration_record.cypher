// Record that a migration has run
CYPHER 5
MERGE (m:Migration {version: $version})
ON CREATE SET m.name = $name, m.checksum = $checksum, m.ran_at = datetime()
