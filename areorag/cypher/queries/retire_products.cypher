// Give retired versions of products their own id; the plain id is for the current one
CYPHER 5
UNWIND $rows AS row
MATCH (p:Product {data_id: row.data_id})
WHERE p.placeholder IS NULL
SET p.data_id = row.old, p.superseded = true
