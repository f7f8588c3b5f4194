// Texts of some observations
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
RETURN o.id AS id, o.text AS text, o.body AS body
