// Derived products and their sources, also those that are only named so far
CYPHER 5
MATCH (d:Product)-[r:DERIVED_FROM]->(s:Product)
RETURN d.data_id AS product, r.as AS named_as, s.data_id AS source, coalesce(s.placeholder, false) AS only_named
ORDER BY product, source
LIMIT 200
