// A stored answer
CYPHER 5
MATCH (a:Answer {id: $id})
RETURN a.payload AS payload
