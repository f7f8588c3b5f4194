// One step over hyperedges: a rare entity opens all its hyperedges, a common one only those that are candidates
CYPHER 5
UNWIND $frontier AS id
MATCH (head:Entity {id: id})
WITH head, COUNT { (head)<-[:BINDS]-() } AS degree
CALL (head, degree) {
  WITH head, degree
  WHERE degree <= $fan_out
  MATCH (head)<-[:BINDS]-(h:Hyperedge)
  RETURN h
  UNION
  WITH head, degree
  WHERE degree > $fan_out
  UNWIND $candidates AS candidate
  MATCH (h:Hyperedge {id: candidate})-[:BINDS]->(head)
  RETURN h
}
WITH head, h
ORDER BY head.id, h.id
LIMIT $edges
MATCH (h)-[b:BINDS]->(tail:Entity)
RETURN head.id AS head, h.id AS edge, h:Observation AS observation, tail.id AS tail, tail.name AS name, b.role AS role,
       COUNT { (tail)<-[:BINDS]-() } AS degree
