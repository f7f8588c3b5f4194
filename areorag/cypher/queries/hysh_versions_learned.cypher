// Learned embeddings kept in the graph
CYPHER 5
MATCH (v:EmbeddingVersion)
RETURN v.id AS version, v.created AS created, v.dim AS dim, v.loss AS loss, v.nodes AS nodes
ORDER BY created
