// Features and targets bound by the given observations
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (:Observation {id: wanted})-[:BINDS]->(e:Entity)
WHERE e:Feature OR e:Target
RETURN DISTINCT e.id AS id
