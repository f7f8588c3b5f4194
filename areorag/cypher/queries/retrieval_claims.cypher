// What hyperedges assert, a page by claim id: enough to know on which topic each speaks
CYPHER 5
MATCH (c:Claim)
WHERE c.id > $after
WITH c ORDER BY c.id LIMIT $limit
MATCH (h:Hyperedge)-[:ASSERTS]->(c)
RETURN c.id AS id, h.id AS hyperedge, c.property AS property, c.value AS value
ORDER BY c.id
