// Observations by id, with their claims; vectors stay on the server
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation|Superseded {id: id})
OPTIONAL MATCH (o)-[:ASSERTS]->(c)
WITH id, o, c
ORDER BY c.id
RETURN id, o {.*, embedding: NULL, lorentz: NULL, direction: NULL, position: NULL, location: NULL} AS node,
       [claim IN collect(c) | claim {.*}] AS claims
