// Take back the given foci's choice of witnesses
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: 'colocation:' + wanted})-[g:GROUPS]->(:Observation)
WHERE g.witness
SET g.witness = false
RETURN DISTINCT c.id AS id
