// Conflicts as a picture: claims, the observations that assert them and their instruments
CYPHER 5
MATCH (x:Conflict)-[b:BETWEEN]->(c:Claim)<-[s:ASSERTS]-(o:Hyperedge)
OPTIONAL MATCH (o)-[i:BINDS]->(instrument:Instrument)
RETURN x, b, c, s, o, i, instrument
LIMIT 200
