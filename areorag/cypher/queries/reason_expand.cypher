// Hyperedges of entities that share enough words with the question, those that share most first, so many an entity
CYPHER 5
UNWIND $ids AS wanted
MATCH (start:Entity {id: wanted})
CALL (start) {
  MATCH (start)<-[:BINDS]-(h:Hyperedge)
  WHERE any(l IN labels(h) WHERE l IN $kinds)
  WITH DISTINCT h LIMIT 2000
  WITH h, size([w IN $words WHERE toLower(coalesce(h.text, '')) CONTAINS w]) AS shared
  WHERE shared >= $least
  ORDER BY shared DESC, h.id
  LIMIT $per_entity
  RETURN h
}
WITH DISTINCT h
MATCH (h)-[:BINDS]->(e:Entity)
WITH h, e ORDER BY e.id
RETURN h.id AS id, [l IN labels(h) WHERE l <> 'Hyperedge'][0] AS kind, h.text AS text,
       coalesce(h.passage_id, h.data_id) AS source, h.confidence AS confidence,
       collect(DISTINCT {id: e.id, name: e.name, label: [l IN labels(e) WHERE l <> 'Entity'][0]}) AS nodes
ORDER BY id
