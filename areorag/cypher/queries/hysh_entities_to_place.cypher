// Size and centre of entities, and the coordinates of the first observations that bind those without a size
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (e:Entity {id: wanted})
CALL (e) {
  WITH e
  WHERE e.diameter_m IS NULL OR e.lon_deg IS NULL OR e.lat_deg IS NULL
  MATCH (e)<-[:BINDS]-(o:Observation)
  WHERE o.rho IS NOT NULL AND o.direction IS NOT NULL
  WITH DISTINCT o ORDER BY o.id LIMIT $most
  RETURN collect({rho: o.rho, direction: o.direction}) AS members
}
RETURN e.id AS id, e.body AS body, e.diameter_m AS diameter_m, e.lon_deg AS lon_deg, e.lat_deg AS lat_deg, members
ORDER BY id
