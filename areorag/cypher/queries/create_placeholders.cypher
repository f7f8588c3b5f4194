// Create products that are only named as sources so far
CYPHER 5 replan=skip
UNWIND $rows AS row
CREATE (p:Product {data_id: row.data_id, name: row.data_id, key: row.key, placeholder: true})
