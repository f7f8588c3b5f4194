// Hyperedges whose text matches the words of each question or sub-question best
CYPHER 5
UNWIND $queries AS q
CALL (q) {
  CALL db.index.fulltext.queryNodes('hyperedge_text', q.query, {limit: $n}) YIELD node AS h, score
  RETURN h, score
}
RETURN q.key AS key, h.id AS id, h.text AS text, score
ORDER BY key, score DESC, id
