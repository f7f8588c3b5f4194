// Take back the given observations' choice of focus
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (:Observation {id: wanted})<-[g:GROUPS]-(c:Colocation)
WHERE g.pointer
SET g.pointer = false
RETURN DISTINCT c.id AS id
