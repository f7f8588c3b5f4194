// Documents with what they gave
CYPHER 5
MATCH (d:Document)
RETURN d.id AS id, d.title AS title, d.kind AS kind, d.state AS state, d.passages AS passages, d.facts AS facts,
       d.source_file AS source_file, d.dropped AS dropped
ORDER BY id
