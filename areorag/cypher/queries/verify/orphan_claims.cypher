// Every claim is asserted by a hyperedge
CYPHER 5
MATCH (c:Claim)
WHERE NOT EXISTS { (:Hyperedge)-[:ASSERTS]->(c) }
RETURN coalesce(c.id, '?') AS id, 'nothing asserts it' AS why
LIMIT 20
