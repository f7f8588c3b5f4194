// Claims about one property of one subject that do not say the same: candidates for a conflict
CYPHER 5
MATCH (a:Claim), (b:Claim)
WHERE a.id < b.id AND a.property = b.property AND a.subject = b.subject
  AND (a.polarity <> b.polarity OR a.high < b.low OR b.high < a.low)
MATCH (oa:Hyperedge)-[:ASSERTS]->(a)
MATCH (ob:Hyperedge)-[:ASSERTS]->(b)
RETURN a.subject AS subject, a.property AS property, oa.instrument AS one, a.value AS says, ob.instrument AS other,
       b.value AS but
ORDER BY subject, property, one
