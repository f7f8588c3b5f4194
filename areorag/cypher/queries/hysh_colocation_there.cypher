// Foci of the co-locations among some ids that are there
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: wanted})
RETURN c.focus AS focus
