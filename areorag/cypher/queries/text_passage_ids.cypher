// Passages of a document
CYPHER 5
MATCH (p:Passage {document_id: $document_id})
RETURN p.id AS id
ORDER BY id
