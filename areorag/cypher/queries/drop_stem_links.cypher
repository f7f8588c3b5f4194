// A product that is now known by its own id is no longer stood for by products with a suffix
CYPHER 5 replan=skip
UNWIND $ids AS id
MATCH (p:Product {data_id: id})<-[:DERIVED_FROM]-(d:Product)-[r:DERIVED_FROM {as: id}]->(other:Product)
WHERE other <> p
DELETE r
