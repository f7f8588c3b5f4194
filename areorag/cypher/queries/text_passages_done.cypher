// Passages of a document that are written under a recipe
CYPHER 5
MATCH (p:Passage {document_id: $document_id})
WHERE p.recipe = $recipe
RETURN p.id AS id
