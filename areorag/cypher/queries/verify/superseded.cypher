// Every superseded record is superseded by one that is current, or is a claim of one
CYPHER 5
MATCH (s:Superseded)
WHERE NOT EXISTS { ()-[:SUPERSEDES|ASSERTS]->(s) }
RETURN s.id AS id, 'nothing supersedes it' AS why
LIMIT 20
