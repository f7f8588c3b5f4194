// Tie products just derived from an observation id without suffix to the products of that observation already there
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (d:Product {data_id: row.data_id})
UNWIND row.sources AS source
MATCH (named:Product {data_id: source.data_id})
WHERE named.placeholder
MATCH (real:Product)
WHERE real.key STARTS WITH source.key AND substring(real.key, size(source.key), 1) IN ['_', '-', '.']
  AND real.placeholder IS NULL AND real <> d
MERGE (d)-[r:DERIVED_FROM {as: named.data_id}]->(real)
