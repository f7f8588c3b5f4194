// What retrieval's arrays depend on: counts from the count store, the last run, the first and last records by index
CYPHER 5
CALL () { MATCH (o:Observation) RETURN count(o) AS observations }
CALL () { MATCH (f:Fact) RETURN count(f) AS facts }
CALL () { MATCH (t:Tombstone) RETURN count(t) AS tombstones }
CALL () { MATCH (s:Superseded) RETURN count(s) AS superseded }
CALL () { MATCH (c:Conflict) RETURN count(c) AS conflicts }
CALL () { MATCH (r:IngestRun) RETURN count(r) AS runs, max(toString(r.finished)) AS last }
CALL () {
  MATCH (o:Observation)
  WHERE o.id > ''
  WITH o ORDER BY o.id LIMIT 2
  RETURN collect(o.content_hash) AS lowest
}
CALL () {
  MATCH (o:Observation)
  WHERE o.id > ''
  WITH o ORDER BY o.id DESC LIMIT 2
  RETURN collect(o.content_hash) AS highest
}
RETURN observations, facts, tombstones, superseded, conflicts, runs, last, lowest, highest
