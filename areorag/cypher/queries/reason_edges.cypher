// Hyperedges with what they bind
CYPHER 5
UNWIND $ids AS id
MATCH (h:Hyperedge {id: id})-[:BINDS]->(e:Entity)
WITH h, e ORDER BY e.id
RETURN h.id AS id, [l IN labels(h) WHERE l <> 'Hyperedge'][0] AS kind, h.text AS text,
       coalesce(h.passage_id, h.data_id) AS source, h.confidence AS confidence,
       collect(DISTINCT {id: e.id, name: e.name, label: [l IN labels(e) WHERE l <> 'Entity'][0]}) AS nodes
ORDER BY id
