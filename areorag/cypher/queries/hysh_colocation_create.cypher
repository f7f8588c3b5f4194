// Make co-locations that are not there yet, with their members and the features of their focus
CYPHER 5 replan=skip
UNWIND $rows AS row
CREATE (c:Hyperedge:Colocation)
SET c = row.p,
    c.position = CASE WHEN row.xyz IS NULL THEN null
                      ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END
WITH c, row
CALL (c, row) {
  UNWIND row.members AS member
  MATCH (o:Observation {id: member.id})
  CREATE (c)-[:GROUPS {pointer: member.pointer, witness: member.witness}]->(o)
}
CALL (c, row) {
  MATCH (:Observation {id: row.p.focus})-[b:BINDS]->(e:Feature)
  WITH DISTINCT c, b.role AS role, e
  CREATE (c)-[:BINDS {role: role}]->(e)
}
