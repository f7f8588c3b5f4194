// Everything about one place: the hyperedges that bind it and their other participants (change the name)
CYPHER 5
WITH 'Jezero' AS name
MATCH (place:Feature {name: name})<-[b:BINDS]-(h:Hyperedge)-[:BINDS]->(other:Entity)
RETURN place, b, h, other
LIMIT 500
