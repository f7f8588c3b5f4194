// Observations have the fields that every observation has
CYPHER 5
MATCH (o:Observation)
WHERE o.id IS NULL OR o.name IS NULL OR o.body IS NULL OR o.text IS NULL OR o.content_hash IS NULL OR o.data_id IS NULL
   OR o.known_hashes IS NULL OR NOT o.kind IN ['orbital', 'insitu', 'derived'] OR NOT o:Hyperedge
RETURN coalesce(o.id, '?') AS id, 'a field is missing or outside its domain' AS why
LIMIT 20
