// Record products; one that was only named before becomes real, one that is known stays as it is
CYPHER 5 replan=skip
UNWIND $rows AS row
MERGE (p:Product {data_id: row.data_id})
WITH p, row
WHERE p.name IS NULL OR p.placeholder
SET p += row.p
REMOVE p.placeholder
