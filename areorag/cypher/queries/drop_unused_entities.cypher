// Delete entities that nothing binds or speaks of but synonyms, and these synonyms
CYPHER 5
MATCH (e:Entity)
WHERE NOT EXISTS { MATCH (e)--(n) WHERE NOT n:Synonym }
OPTIONAL MATCH (e)<-[:BINDS]-(s:Synonym)
WITH collect(DISTINCT e) AS entities, collect(DISTINCT s) AS synonyms
FOREACH (s IN synonyms | DETACH DELETE s)
FOREACH (e IN entities | DELETE e)
RETURN size(entities) AS n
