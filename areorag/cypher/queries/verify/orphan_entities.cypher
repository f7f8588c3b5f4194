// Every entity takes part in something
CYPHER 5
MATCH (e:Entity)
WHERE NOT EXISTS { (e)--() }
RETURN e.id AS id, 'nothing binds it' AS why
LIMIT 20
