// Versions of coordinates that observations carry, the most frequent first
CYPHER 5
MATCH (o:Observation)
WHERE o.embedding_version IS NOT NULL
RETURN o.embedding_version AS version, count(*) AS n
ORDER BY n DESC, version
