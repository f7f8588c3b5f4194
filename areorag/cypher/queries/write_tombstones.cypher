// Mark observations as forgotten: where they came from, what they said by hash, which answers used them
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
MERGE (t:Tombstone {id: id})
SET t.name = 'forgotten ' + o.id, t.hashes = o.known_hashes, t.kind = o.kind, t.instrument = o.instrument,
    t.source_file = o.source_file, t.product_sha256 = o.product_sha256, t.product_version = o.product_version,
    t.forgotten_at = $now,
    t.answers = COLLECT { MATCH (a:Answer)-[:USED|CITES]->(o) RETURN DISTINCT a.id ORDER BY a.id }
WITH o, t
MATCH (o)-[:FROM_PRODUCT]->(p:Product)
MERGE (t)-[:FROM_PRODUCT]->(p)
