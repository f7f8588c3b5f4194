// A product named before only by its logical identifier takes over from its placeholder
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (real:Product {data_id: row.data_id})
MATCH (named:Product {lid: row.lid})
WHERE named.placeholder AND named <> real
OPTIONAL MATCH (d:Product)-[r:DERIVED_FROM]->(named)
WHERE d <> real
FOREACH (_ IN CASE WHEN d IS NULL THEN [] ELSE [1] END |
  MERGE (d)-[n:DERIVED_FROM]->(real)
  SET n.as = r.as
)
WITH DISTINCT named
DETACH DELETE named
