// Delete document nodes; their passages are gone already
CYPHER 5
UNWIND $ids AS id
MATCH (d:Document {id: id})
DETACH DELETE d
RETURN count(*) AS n
