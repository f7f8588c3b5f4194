// An answer as a picture: question, evidence it used and cites, conflicts it met
CYPHER 5
MATCH (q:Query)-[:ANSWERED_BY]->(a:Answer)
WITH q, a
ORDER BY a.created DESC
LIMIT 1
MATCH p = (q)-[:ANSWERED_BY]->(a)-[:USED|CITES]->(:Hyperedge|Product)
OPTIONAL MATCH c = (q)<-[:FOUND_BY]-(:Conflict)-[:BETWEEN]->(:Claim)
RETURN p, c
LIMIT 100
