// Facts nearest in meaning to a question
CYPHER 5
CALL db.index.vector.queryNodes('fact_embedding', $n, $vector) YIELD node AS h, score
RETURN h.id AS id, h.text AS text, score
