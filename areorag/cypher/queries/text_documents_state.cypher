// What is known of documents: content, recipe, state, and which content is forgotten
CYPHER 5
UNWIND $ids AS id
OPTIONAL MATCH (d:Document {id: id})
OPTIONAL MATCH (t:Tombstone {id: id})
WITH id, d, t
WHERE d IS NOT NULL OR t IS NOT NULL
RETURN id, d IS NOT NULL AS there, d.sha256 AS sha256, d.recipe AS recipe, d.state AS state, t.hashes AS forgotten
