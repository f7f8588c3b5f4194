// Two places, and the shortest way between them over hyperedges (change the names)
CYPHER 5
MATCH (a:Feature {name: 'Jezero'}), (b:Feature {name: 'Gale'})
MATCH path = shortestPath((a)-[:BINDS*..8]-(b))
RETURN path
