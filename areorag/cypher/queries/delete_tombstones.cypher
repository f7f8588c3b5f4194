// Lift tombstones
CYPHER 5
UNWIND $ids AS id
MATCH (t:Tombstone {id: id})
DETACH DELETE t
RETURN count(*) AS n
