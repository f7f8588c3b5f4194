// k against k²: relationships of co-location hyperedges, and what pairs between their members would need
CYPHER 5
MATCH (c:Colocation)-[:GROUPS]->(o:Observation)
WITH c, count(o) AS k
RETURN count(c) AS hyperedges, sum(k) AS relationships, sum(k * (k - 1) / 2) AS pairs, max(k) AS largest,
       round(toFloat(sum(k * (k - 1) / 2)) / sum(k), 2) AS ratio
