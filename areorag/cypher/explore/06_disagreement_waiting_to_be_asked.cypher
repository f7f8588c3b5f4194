// Claims about one property of one subject that do not say the same: candidates for a conflict
CYPHER 5
MATCH (o:Hyperedge)-[:ASSERTS]->(c:Claim)
WITH c.subject AS subject, c.property AS property, collect([c, o]) AS said
UNWIND said AS one
UNWIND said AS other
WITH subject, property, one[0] AS a, one[1] AS oa, other[0] AS b, other[1] AS ob
WHERE a.id < b.id AND (a.polarity <> b.polarity OR a.high < b.low OR b.high < a.low)
RETURN subject, property, oa.instrument AS one, a.value AS says, ob.instrument AS other, b.value AS but
ORDER BY subject, property, one
