// What disagrees, and why: conflicts with their category, bridge and both sides
CYPHER 5
MATCH (a:Claim)<-[:BETWEEN {side: 'a'}]-(x:Conflict)-[:BETWEEN {side: 'b'}]->(b:Claim)
MATCH (oa:Hyperedge)-[:ASSERTS]->(a)
MATCH (ob:Hyperedge)-[:ASSERTS]->(b)
RETURN coalesce(x.overruled_category, x.category) AS category, x.property AS property, oa.instrument AS one,
       a.value AS says, ob.instrument AS other, b.value AS but, x.bridge AS bridge, oa.id AS one_id, ob.id AS other_id,
       x.id AS conflict
ORDER BY category, property, one_id
