// Every observation comes from a product and a run
CYPHER 5
MATCH (o:Observation)
WHERE NOT EXISTS { (o)-[:FROM_PRODUCT]->(:Product) } OR NOT EXISTS { (o)-[:INGESTED_BY]->(:IngestRun) }
RETURN o.id AS id, 'no product or no run' AS why
LIMIT 20
