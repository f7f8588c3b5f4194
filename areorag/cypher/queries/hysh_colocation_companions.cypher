// Observations whose choice of focus or of witnesses rests on the given ones
CYPHER 5 replan=skip
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (:Colocation {id: 'colocation:' + wanted})-[g:GROUPS]->(o:Observation)
  WHERE g.pointer
  RETURN o.id AS id
  UNION
  MATCH (:Observation {id: wanted})<-[g:GROUPS]-(c:Colocation)
  WHERE g.witness
  RETURN c.focus AS id
}
RETURN DISTINCT id
