// Passages of documents
CYPHER 5
UNWIND $document_ids AS document_id
MATCH (p:Passage {document_id: document_id})
RETURN p.id AS id
ORDER BY id
