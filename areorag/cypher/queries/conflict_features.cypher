// Features of one conflict and the version of the weights that judged it
CYPHER 5
MATCH (c:Conflict {id: $id})
RETURN c.features AS features, c.model AS model
