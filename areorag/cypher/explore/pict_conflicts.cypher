// Explainable conflicts with both claims and the observations that assert them
CYPHER 5
MATCH path = (c:Conflict)-[:BETWEEN]->(:Claim)<-[:ASSERTS]-(:Hyperedge)
WHERE c.category IN ['instrument', 'scale', 'temporal']
RETURN path
LIMIT 100
