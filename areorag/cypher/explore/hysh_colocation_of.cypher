// What is co-located with one observation, coarse to fine (set $id first:  :param id => '…')
CYPHER 5
MATCH (:Observation {id: $id})<-[:GROUPS]-(c:Colocation)-[:GROUPS]->(o:Observation)
RETURN c.name AS colocation, o.id AS observation, o.instrument AS instrument, o.scale_m AS resolution_m, o.start AS start
ORDER BY colocation, resolution_m DESC
