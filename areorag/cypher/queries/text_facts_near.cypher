// Facts with claims that share a place, a target or a claim's subject and property with the given observations
CYPHER 5
UNWIND $ids AS id
MATCH (o:Observation {id: id})
CALL (o) {
  MATCH (o)-[:BINDS]->(e:Entity)
  WHERE e:Feature OR e:Target
  WITH DISTINCT e, COUNT { (e)<-[:BINDS]-() } AS crowd
  WHERE crowd <= $crowd
  MATCH (e)<-[:BINDS]-(f:Fact)
  RETURN f, crowd
  UNION
  MATCH (o)-[:ASSERTS]->(own:Claim)
  MATCH (other:Claim {property: own.property})<-[:ASSERTS]-(f:Fact)
  WHERE toLower(other.subject) = toLower(own.subject)
  RETURN f, 0 AS crowd
}
WITH f, min(crowd) AS crowd
MATCH (f)-[:ASSERTS]->(c:Claim)
WHERE $properties = [] OR any(p IN $properties WHERE toLower(c.property) CONTAINS p)
WITH f, crowd, collect(DISTINCT c {.*}) AS claims
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
