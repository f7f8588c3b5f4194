// Tie derived products to their sources
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (d:Product {data_id: row.data_id})
UNWIND row.sources AS source
MATCH (s:Product {data_id: source.data_id})
WHERE s <> d
MERGE (d)-[r:DERIVED_FROM]->(s)
SET r.as = source.data_id
