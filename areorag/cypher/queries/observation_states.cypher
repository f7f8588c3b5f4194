// What is already known of some observations: current content, every content seen, forgotten content
CYPHER 5 replan=skip
UNWIND $ids AS id
OPTIONAL MATCH (o:Observation {id: id})
OPTIONAL MATCH (t:Tombstone {id: id})
WITH id, o, t
WHERE o IS NOT NULL OR t IS NOT NULL
RETURN id, o.content_hash AS content_hash, o.known_hashes AS known_hashes, o.recipe AS recipe,
       o.product_version AS version, o.source_file AS source_file, o.fullness AS fullness,
       coalesce(t.hashes, []) AS forgotten
