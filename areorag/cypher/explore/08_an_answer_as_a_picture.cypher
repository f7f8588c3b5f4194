// An answer as a picture: question, evidence it used and cites, conflicts it met
CYPHER 5
MATCH (q:Query)-[:ANSWERED_BY]->(a:Answer)
WITH q, a
ORDER BY a.created DESC
LIMIT 1
WITH COLLECT { MATCH p = (q)-[:ANSWERED_BY]->(a)-[:USED|CITES]->() RETURN p } AS evidence,
     COLLECT { MATCH c = (q)<-[:FOUND_BY]-(:Conflict)-[:BETWEEN]->(:Claim) RETURN c } AS conflicts
UNWIND evidence + conflicts AS path
RETURN path
LIMIT 200
