// What is claimed of a place, by whom, with its source (change the name)
CYPHER 5
WITH 'Jezero' AS name
MATCH (:Feature {name: name})<-[:BINDS]-(o:Observation)-[:ASSERTS]->(c:Claim)
RETURN DISTINCT c.property AS property, c.value AS value, c.polarity AS polarity, o.instrument AS instrument,
       o.id AS observation, c.citation AS citation
ORDER BY property, instrument, observation
