// What retrieval's arrays depend on: counts from the count store, the last run, the first and last content by index
CYPHER 5
CALL () { MATCH (o:Observation) RETURN count(o) AS observations }
CALL () { MATCH (f:Fact) RETURN count(f) AS facts }
CALL () { MATCH (t:Tombstone) RETURN count(t) AS tombstones }
CALL () { MATCH (s:Superseded) RETURN count(s) AS superseded }
CALL () { MATCH (c:Conflict) RETURN count(c) AS conflicts }
CALL () { MATCH (r:IngestRun) RETURN count(r) AS runs, max(toString(r.finished)) AS last }
CALL () {
  MATCH (o:Observation)
  USING INDEX o:Observation(content_hash)
  WHERE o.content_hash > ''
  WITH o.content_hash AS hash ORDER BY hash LIMIT 2
  RETURN collect(hash) AS lowest
}
CALL () {
  MATCH (o:Observation)
  USING INDEX o:Observation(content_hash)
  WHERE o.content_hash > ''
  WITH o.content_hash AS hash ORDER BY hash DESC LIMIT 2
  RETURN collect(hash) AS highest
}
RETURN observations, facts, tombstones, superseded, conflicts, runs, last, lowest, highest
