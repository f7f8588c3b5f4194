// A product that is only named is named by something
CYPHER 5
MATCH (p:Product)
WHERE p.placeholder AND NOT EXISTS { (p)<-[:DERIVED_FROM]-() }
RETURN p.data_id AS id, 'nothing is derived from it' AS why
LIMIT 20
