// Entities whose name is like the given words
CYPHER 5
CALL db.index.fulltext.queryNodes('entity_name', $query, {limit: 10}) YIELD node AS e, score
RETURN e.id AS id, e.name AS name, [l IN labels(e) WHERE l <> 'Entity'][0] AS label, score
