// Names of the participants of text facts, with how many facts name them
CYPHER 5
MATCH (e:Entity)<-[:BINDS]-(:Fact)
WITH e, count(*) AS n
RETURN e.id AS id, e.name AS name, [l IN labels(e) WHERE l <> 'Entity'][0] AS label, n
ORDER BY id
