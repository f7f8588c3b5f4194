// Claims that a hyperedge asserts
CYPHER 5
MATCH (h:Hyperedge {id: $id})-[:ASSERTS]->(c:Claim)
RETURN c {.*} AS claim
ORDER BY c.id
