// Decisions of people on conflicts between claims of some hyperedges
CYPHER 5
MATCH (h:Hyperedge)-[:ASSERTS]->(claim:Claim)<-[:BETWEEN]-(c:Conflict)
WHERE h.id IN $ids AND c.overruled_category IS NOT NULL
WITH DISTINCT c
MATCH (c)-[:BETWEEN]->(side:Claim)
RETURN c.id AS id, c.overruled_category AS category, c.overruled_by AS who, toString(c.overruled_at) AS when,
       c.overruled_why AS why, collect(side.id) AS claims
