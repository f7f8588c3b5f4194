// Numbers of observations lie in their domains
CYPHER 5
MATCH (o:Observation)
WHERE NOT (-180 <= coalesce(o.lon_deg, 0) <= 180) OR NOT (-90 <= coalesce(o.lat_deg, 0) <= 90)
   OR NOT (0 <= coalesce(o.ls_deg, 0) < 360) OR NOT (coalesce(o.resolution_m, 1) > 0)
   OR NOT (0 <= coalesce(o.authority, 0.5) <= 1) OR o.start > o.stop
RETURN o.id AS id, 'a number is outside its domain' AS why
LIMIT 20
