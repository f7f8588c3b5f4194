// Observations that share a cell with the given ones, or a cell above or below
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (:Observation {id: wanted})-[:COVERS]->(own:Cell)
WITH DISTINCT own
CALL (own) {
  MATCH (own)-[:WITHIN*0..12]->(:Cell)<-[:COVERS]-(o:Observation)
  RETURN o
  UNION
  MATCH (own)<-[:WITHIN*1..12]-(:Cell)<-[:COVERS]-(o:Observation)
  RETURN o
}
RETURN DISTINCT o.id AS id
