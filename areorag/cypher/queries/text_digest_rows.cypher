// Everything the texts contribute, in order, for a digest of the text side of the graph
CYPHER 5
MATCH (f:Fact)
RETURN f.id AS id, f.quote AS quote,
       COLLECT { MATCH (f)-[b:BINDS]->(e:Entity) RETURN b.role + '>' + e.id AS bind ORDER BY bind } AS binds,
       COLLECT { MATCH (f)-[:ASSERTS]->(c:Claim) RETURN c.id ORDER BY c.id } AS claims
ORDER BY id
