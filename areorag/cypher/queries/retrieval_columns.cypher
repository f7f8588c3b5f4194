// Columns of observations that retrieval keeps in memory, a page by id
CYPHER 5
MATCH (o:Observation)
WHERE o.id > $after
RETURN o.id AS id, o.kind AS kind, o.body AS body, o.platform AS platform, o.instrument AS instrument,
       o.institution AS institution, o.processing_level AS level, o.resolution_m AS resolution_m,
       o.start.epochSeconds AS start, o.stop.epochSeconds AS stop, o.ls_deg AS ls_deg, o.mars_year AS mars_year,
       o.sol AS sol, o.confidence AS confidence, o.rho AS rho, o.direction AS direction, o.lon_deg AS lon,
       o.lat_deg AS lat, o.targets AS targets, o.text AS text, o.content_hash AS hash, o.embedder AS embedder
ORDER BY o.id
LIMIT $limit
