// Passages nearest in meaning to a question, with their documents
CYPHER 5
CALL db.index.vector.queryNodes('passage_embedding', $n, $vector) YIELD node AS p
MATCH (d:Document {id: p.document_id})
RETURN p.id AS id, p.text AS text, p.embedding AS embedding, d.title AS title, d.source_file AS source_file,
       d.sha256 AS sha256
