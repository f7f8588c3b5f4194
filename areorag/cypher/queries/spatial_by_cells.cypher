// Observations of a body whose cells lie at, below or above the given cells
CYPHER 5
CALL () {
  UNWIND $cells AS id
  MATCH (:Cell {id: id})<-[:WITHIN*0..12]-(:Cell)<-[:COVERS]-(o:Observation)
  RETURN o
  UNION
  UNWIND $ancestors AS id
  MATCH (:Cell {id: id})<-[:COVERS]-(o:Observation)
  RETURN o
}
WITH o
WHERE o.body = $body
RETURN o.id AS id, o.footprint AS footprint, o.lon_deg AS lon, o.lat_deg AS lat
