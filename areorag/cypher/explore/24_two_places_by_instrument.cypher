// Two places by the instruments that looked at both: four hops over hyperedges (change the names)
CYPHER 5
MATCH (a:Feature {name: 'Jezero'})
MATCH (b:Feature {name: 'Gale'})
MATCH (a)<-[:BINDS]-(x:Observation)-[:BINDS]->(i:Instrument)
WITH b, i, count(DISTINCT x) AS there
MATCH (b)<-[:BINDS]-(y:Observation)-[:BINDS]->(i)
RETURN i.name AS instrument, there AS observations_of_one, count(DISTINCT y) AS observations_of_the_other
ORDER BY there + observations_of_the_other DESC, instrument
