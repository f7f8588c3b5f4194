// Create products that are not known yet, tied to their observations and the run
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (r:IngestRun {id: $run})
MATCH (o:Observation {id: row.id})
CREATE (p:Product)
SET p = row.p
CREATE (o)-[:FROM_PRODUCT]->(p)
CREATE (o)-[:INGESTED_BY]->(r)
