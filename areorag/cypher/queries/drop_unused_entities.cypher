// Delete entities that nothing binds or speaks of
CYPHER 5
MATCH (e:Entity)
WHERE NOT EXISTS { (e)--() }
DELETE e
RETURN count(*) AS n
