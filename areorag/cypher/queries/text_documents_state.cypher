// What is known of documents: content, recipe, state
CYPHER 5
UNWIND $ids AS id
MATCH (d:Document {id: id})
RETURN d.id AS id, d.sha256 AS sha256, d.recipe AS recipe, d.state AS state
