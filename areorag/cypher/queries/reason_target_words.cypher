// Hyperedges whose text shares words with a question
CYPHER 5
CALL db.index.fulltext.queryNodes('hyperedge_text', $query, {limit: $n}) YIELD node AS h, score
RETURN h.id AS id, h.text AS text, score
