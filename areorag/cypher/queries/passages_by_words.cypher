// Passages that share words with a question, with their documents
CYPHER 5
CALL db.index.fulltext.queryNodes('passage_text', $query, {limit: $n}) YIELD node AS p
WHERE p.embedding IS NOT NULL
MATCH (d:Document {id: p.document_id})
RETURN p.id AS id, p.text AS text, p.embedding AS embedding, d.title AS title, d.source_file AS source_file,
       d.sha256 AS sha256
