// Coverage by season: observations in each twelfth of the Mars year
CYPHER 5
MATCH (o:Observation)
WHERE o.ls_deg IS NOT NULL
RETURN toInteger(o.ls_deg / 30) * 30 AS ls_from, count(*) AS observations, collect(DISTINCT o.instrument) AS instruments
ORDER BY ls_from
