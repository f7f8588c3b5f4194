// Depth profile: how many observations at each power of ten of resolution, and where they sit in hyperbolic space
CYPHER 5
MATCH (o:Observation)
WHERE o.rho IS NOT NULL
WITH toInteger(floor(log10(o.scale_m))) AS decade, count(*) AS observations, round(min(o.rho), 2) AS least_rho,
     round(avg(o.rho), 2) AS mean_rho, round(max(o.rho), 2) AS greatest_rho,
     collect(DISTINCT o.instrument)[..8] AS instruments
RETURN '1e' + toString(decade) + ' m' AS resolution, observations, least_rho, mean_rho, greatest_rho, instruments
ORDER BY decade DESC
