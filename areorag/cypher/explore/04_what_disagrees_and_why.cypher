// What disagrees, and why: conflicts with their category, bridge and both sides
CYPHER 5
MATCH (a:Claim)<-[:BETWEEN {side: 'a'}]-(x:Conflict)-[:BETWEEN {side: 'b'}]->(b:Claim)
MATCH (oa:Hyperedge)-[:ASSERTS]->(a)
MATCH (ob:Hyperedge)-[:ASSERTS]->(b)
RETURN coalesce(x.overruled_category, x.category) AS category, x.property AS property, oa.id AS one, a.value AS says,
       ob.id AS other, b.value AS but, x.bridge AS bridge, x.h_inter AS h_inter
ORDER BY category, property, one
