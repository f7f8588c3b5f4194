// Relationships of the co-locations against the pairs that a line graph would need
CYPHER 5
MATCH (c:Colocation)
RETURN count(c) AS colocations, sum(c.n) AS relationships, sum(c.n * (c.n - 1) / 2) AS pairwise_edges, max(c.n) AS largest
