// Who has looked at a place, how finely, when (change the name)
CYPHER 5
WITH 'Jezero' AS name
MATCH (:Feature {name: name})<-[:BINDS]-(o:Observation)
RETURN o.instrument AS instrument, o.kind AS kind, count(DISTINCT o) AS observations,
       min(coalesce(o.resolution_m, o.scale_m)) AS finest_m, max(coalesce(o.resolution_m, o.scale_m)) AS coarsest_m,
       min(o.mars_year) AS first_mars_year, max(o.mars_year) AS last_mars_year
ORDER BY observations DESC, instrument
