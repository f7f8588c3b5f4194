// Lift tombstones
CYPHER 5
UNWIND $ids AS id
MATCH (t:Tombstone {id: id})
WITH t, t.id AS lifted, t.source_file AS source_file
DETACH DELETE t
RETURN lifted AS id, source_file
