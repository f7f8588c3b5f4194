// Tie products derived from an observation id without suffix to the products of that observation
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (real:Product {data_id: row.data_id})
UNWIND row.stems AS stem
MATCH (named:Product {key: stem})
WHERE named.placeholder AND named <> real
MATCH (d:Product)-[:DERIVED_FROM {as: named.data_id}]->(named)
WHERE d <> real
MERGE (d)-[r:DERIVED_FROM {as: named.data_id}]->(real)
