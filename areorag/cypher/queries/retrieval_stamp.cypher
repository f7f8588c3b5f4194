// What retrieval's arrays depend on: counts from the count store and the last run
CYPHER 5
CALL () { MATCH (o:Observation) RETURN count(o) AS observations }
CALL () { MATCH (f:Fact) RETURN count(f) AS facts }
CALL () { MATCH (t:Tombstone) RETURN count(t) AS tombstones }
CALL () { MATCH (s:Superseded) RETURN count(s) AS superseded }
CALL () { MATCH (c:Conflict) RETURN count(c) AS conflicts }
CALL () { MATCH (r:IngestRun) RETURN count(r) AS runs, max(toString(r.finished)) AS last }
RETURN observations, facts, tombstones, superseded, conflicts, runs, last
