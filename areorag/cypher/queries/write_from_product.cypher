// Tie records to the products they were read from and to the run that read them
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (o:Observation|Superseded {id: row.id})
MATCH (p:Product {data_id: row.data_id})
MATCH (r:IngestRun {id: $run})
MERGE (o)-[:FROM_PRODUCT]->(p)
MERGE (o)-[:INGESTED_BY]->(r)
