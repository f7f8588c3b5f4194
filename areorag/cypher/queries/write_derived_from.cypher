// Tie derived products to their sources; a source that is not there yet gets a placeholder
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (d:Product {data_id: row.data_id})
UNWIND row.sources AS source
OPTIONAL MATCH (byLid:Product {lid: source.lid})
WITH d, source, collect(byLid)[0] AS byLid
CALL (source, byLid) {
  WITH source, byLid
  WHERE byLid IS NOT NULL
  RETURN byLid AS s
  UNION
  WITH source, byLid
  WHERE byLid IS NULL
  MERGE (p:Product {data_id: source.data_id})
  ON CREATE SET p.placeholder = true, p.name = source.data_id, p.key = source.key, p.lid = source.lid
  RETURN p AS s
}
WITH d, source, s
WHERE s <> d
MERGE (d)-[r:DERIVED_FROM]->(s)
SET r.as = source.data_id
