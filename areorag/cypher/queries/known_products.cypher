// Products and placeholders among some ids
CYPHER 5 replan=skip
UNWIND $ids AS id
MATCH (p:Product {data_id: id})
RETURN p.data_id AS data_id, coalesce(p.placeholder, false) AS placeholder, p.sha256 AS sha256,
       p.version AS version, p.source_file AS source_file, p.lid AS lid
