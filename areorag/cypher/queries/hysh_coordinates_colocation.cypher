// Depth and direction, in one version of the embedding, of every placed co-location of a body
CYPHER 5
MATCH (h:Colocation {body: $body})
WHERE coalesce(h.embedding_version, '') = $version AND h.rho IS NOT NULL AND h.direction IS NOT NULL
RETURN h.id AS id, h.rho AS rho, h.direction AS direction
ORDER BY id
