// Documents with their state and what they gave
CYPHER 5
MATCH (d:Document)
CALL (d) {
  MATCH (d)<-[:STATED_IN]-(p:Passage)
  RETURN count(p) AS passages, sum(COUNT { (p)<-[:STATED_IN]-(:Fact) }) AS facts,
         count(CASE WHEN p.recipe ENDS WITH '|failed' THEN 1 END) AS failed
}
RETURN d.id AS id, d.title AS title, d.kind AS kind, d.state AS state, passages, facts, failed,
       d.source_file AS source_file, d.recipe AS recipe, d.warnings AS warnings
ORDER BY id
