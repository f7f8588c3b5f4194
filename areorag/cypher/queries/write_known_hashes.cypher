// Remember every content seen for an observation, so that reading it again writes nothing
CYPHER 5
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
SET o.known_hashes = row.hashes
