// Observations whose choice of focus or of witnesses rests on the given ones
CYPHER 5 replan=skip
UNWIND $ids AS wanted
CALL (wanted) {
  MATCH (k:Colocation {id: 'colocation:' + wanted})-[g:GROUPS]->(o:Observation)
  USING INDEX SEEK k:Colocation(id)  // kept for good: statistics of an emptied graph must not choose a scan
  WHERE g.pointer
  RETURN o.id AS id
  UNION
  MATCH (o:Observation {id: wanted})<-[g:GROUPS]-(c:Colocation)
  USING INDEX SEEK o:Observation(id)
  WHERE g.witness
  RETURN c.focus AS id
}
RETURN DISTINCT id
