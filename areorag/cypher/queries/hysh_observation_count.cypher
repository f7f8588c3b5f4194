// Number of observations
CYPHER 5
MATCH (o:Observation)
RETURN count(o) AS n
