// Delete a document node; its passages are gone already
CYPHER 5
MATCH (d:Document {id: $id})
DETACH DELETE d
RETURN count(*) AS n
