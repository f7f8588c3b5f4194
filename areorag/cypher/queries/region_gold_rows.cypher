// Everything the brute-force gold of the region questions needs, a page by id
CYPHER 5
MATCH (o:Observation)
WHERE o.id > $after AND o.body = $body
RETURN o.id AS id, o.footprint AS footprint, o.lon_deg AS lon, o.lat_deg AS lat, o.instrument AS instrument,
       o.platform AS platform, o.kind AS kind, o.resolution_m AS resolution_m, o.ls_deg AS ls_deg,
       o.mars_year AS mars_year, o.sol AS sol, o.start.epochSeconds AS start, o.stop.epochSeconds AS stop,
       o.targets AS targets, o.text AS text,
       [(o)-[:ASSERTS]->(c:Claim) | {subject: c.subject, property: c.property, value: c.value, polarity: c.polarity}] AS claims
ORDER BY o.id
LIMIT $limit
