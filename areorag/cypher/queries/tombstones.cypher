// What was forgotten, the latest first
CYPHER 5
MATCH (t:Tombstone)
RETURN t.id AS id, t.forgotten_at AS forgotten_at, t.source_file AS source_file, t.answers AS answers
ORDER BY forgotten_at DESC, id
