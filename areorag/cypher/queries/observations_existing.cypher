// Which of some ids are observations
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
RETURN o.id AS id
