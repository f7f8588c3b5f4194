// One step over hyperedges: a rare entity opens all its hyperedges, a common one only those that are candidates
CYPHER 5
MATCH (head:Entity)
WHERE head.id IN $frontier
WITH head, COUNT { (head)<-[:BINDS]-() } AS degree
WITH collect([head, degree]) AS heads
CALL (heads) {
  UNWIND [x IN heads WHERE x[1] <= $fan_out] AS rare
  WITH rare[0] AS head, rare[1] AS degree
  CALL (head) {
    MATCH (head)<-[:BINDS]-(h:Hyperedge)
    WITH h, h.id IN $candidates AS candidate
    ORDER BY candidate DESC, h.id
    LIMIT $edges
    RETURN h
  }
  RETURN head, degree, h
  UNION ALL
  WITH [x IN heads WHERE x[1] > $fan_out] AS common
  WHERE size(common) > 0
  WITH common, [x IN common | x[0]] AS nodes
  UNWIND range(0, size($candidates) - 1) AS place
  MATCH (h:Hyperedge {id: $candidates[place]})-[:BINDS]->(head:Entity)
  WHERE head IN nodes
  WITH common, head, place, h
  ORDER BY place
  WITH common, head, collect(h)[..$edges] AS best
  WITH head, head([x IN common WHERE x[0] = head | x[1]]) AS degree, best
  UNWIND best AS h
  RETURN head, degree, h
}
RETURN head.id AS head, head.name AS name, degree, h.id AS edge,
       [(h)-[b:BINDS]->(tail:Entity) | tail.id + '\t' + coalesce(tail.name, tail.id) + '\t' + coalesce(b.role, '')] AS members
