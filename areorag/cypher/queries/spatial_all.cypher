// Every placed observation of a body with its outline, for the client's array cache
CYPHER 5
MATCH (o:Observation {body: $body})
WHERE o.footprint IS NOT NULL OR o.lon_deg IS NOT NULL
RETURN o.id AS id, o.footprint AS footprint, o.lon_deg AS lon, o.lat_deg AS lat
