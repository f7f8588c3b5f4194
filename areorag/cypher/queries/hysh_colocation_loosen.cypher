// Let go of members that nobody chose any more
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: wanted})-[g:GROUPS]->(o:Observation)
WHERE NOT g.pointer AND NOT g.witness AND o.id <> c.focus
DELETE g
