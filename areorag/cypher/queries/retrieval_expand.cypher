// One step over hyperedges: a rare entity opens all its hyperedges, a common one only those that are candidates
CYPHER 5
UNWIND $frontier AS id
MATCH (head:Entity {id: id})
WITH head, COUNT { (head)<-[:BINDS]-() } AS degree
CALL (head, degree) {
  WITH head, degree
  WHERE degree <= $fan_out
  MATCH (head)<-[:BINDS]-(h:Hyperedge)
  RETURN h, h.id IN $candidates AS candidate
  ORDER BY candidate DESC, h.id
  LIMIT $edges
  UNION
  WITH head, degree
  WHERE degree > $fan_out
  UNWIND $candidates AS candidate_id
  MATCH (h:Hyperedge {id: candidate_id})
  WHERE (h)-[:BINDS]->(head)
  RETURN h, true AS candidate
  LIMIT $edges
}
RETURN head.id AS head, head.name AS name, degree, h.id AS edge,
       [(h)-[b:BINDS]->(tail:Entity) | tail.id + '\t' + coalesce(tail.name, tail.id) + '\t' + coalesce(b.role, '')] AS members
