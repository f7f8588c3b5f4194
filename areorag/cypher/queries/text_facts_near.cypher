// Facts with claims that speak of a place or target that the given observations bind
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})-[:BINDS]->(e:Entity)
WHERE e:Feature OR e:Target
WITH DISTINCT e
MATCH (e)<-[:BINDS]-(f:Fact)-[:ASSERTS]->(c:Claim)
WHERE $properties = [] OR any(p IN $properties WHERE toLower(c.property) CONTAINS p)
WITH f, collect(DISTINCT c {.*}) AS claims, min(COUNT { (e)<-[:BINDS]-() }) AS crowd
MATCH (f)-[:STATED_IN]->(:Passage)-[:STATED_IN]->(d:Document)
WITH f, claims, crowd, d
ORDER BY crowd, f.id
LIMIT $limit
OPTIONAL MATCH (f)-[:BINDS]->(t:Target)
WITH f, claims, crowd, d, collect(DISTINCT t.name) AS targets
OPTIONAL MATCH (f)-[:BINDS]->(i:Instrument)
RETURN f {.*, position: NULL, location: NULL, embedding: NULL, lorentz: NULL, direction: NULL} AS fact, claims,
       d.id AS document, d.title AS title, d.sha256 AS sha256, d.source_file AS source_file, targets,
       collect(DISTINCT i.name) AS instruments, crowd
ORDER BY crowd, fact.id
