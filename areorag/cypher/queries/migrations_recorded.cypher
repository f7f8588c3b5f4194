// Migrations that have run, in order
CYPHER 5
MATCH (m:Migration)
RETURN m.version AS version, m.name AS name, m.checksum AS checksum
ORDER BY version
