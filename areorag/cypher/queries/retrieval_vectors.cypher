// Text embeddings of some observations
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
RETURN id, o.embedding AS embedding
