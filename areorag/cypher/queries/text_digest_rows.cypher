// Everything a document contributes, for a digest of the text side of the graph
CYPHER 5
MATCH (f:Fact)
OPTIONAL MATCH (f)-[b:BINDS]->(e:Entity)
WITH f, collect(b.role + '>' + e.id) AS binds
OPTIONAL MATCH (f)-[:ASSERTS]->(c:Claim)
RETURN f.id AS id, f.quote AS quote, binds, collect(c.id) AS claims
ORDER BY id
