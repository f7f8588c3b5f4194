// Bind co-locations to the features of their focus and to no others
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: wanted})
CALL (c) {
  MATCH (c)-[old:BINDS]->(e:Feature)
  WHERE NOT EXISTS { (:Observation {id: c.focus})-[:BINDS]->(e) }
  DELETE old
}
CALL (c) {
  MATCH (:Observation {id: c.focus})-[b:BINDS]->(e:Feature)
  MERGE (c)-[:BINDS {role: b.role}]->(e)
}
