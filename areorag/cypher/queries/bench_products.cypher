// Products of the benchmark's bare writes, tied to their observations and sources
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (r:IngestRun {id: $run})
MATCH (o:Observation {id: row.h})
CREATE (p:Product)
SET p = row.p
CREATE (o)-[:FROM_PRODUCT]->(p)
CREATE (o)-[:INGESTED_BY]->(r)
WITH p, row
UNWIND row.sources AS source
CREATE (s:Product)
SET s = source, s.placeholder = true
CREATE (p)-[:DERIVED_FROM {as: source.data_id}]->(s)
