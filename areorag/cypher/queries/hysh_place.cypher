// Where a hyperedge lies: depth, direction, body, version of the embedding
CYPHER 5
MATCH (h:Hyperedge {id: $id})
RETURN h.id AS id, h.rho AS rho, h.direction AS direction, coalesce(h.body, 'Mars') AS body,
       coalesce(h.embedding_version, '') AS version
