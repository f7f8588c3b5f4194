// Content of relationships, named by the ids of their ends
CYPHER 5
MATCH (a)-[r]->(b)
RETURN type(r) AS type, labels(a) AS from_labels, coalesce(a.id, a.data_id, a.name, a.version) AS from,
       labels(b) AS to_labels, coalesce(b.id, b.data_id, b.name, b.version) AS to, r {.*} AS properties
