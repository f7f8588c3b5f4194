// Participants of the facts of passages, their cells and synonym hyperedges: candidates for the sweep
CYPHER 5
UNWIND $ids AS id
MATCH (f:Fact)-[:STATED_IN]->(:Passage {id: id})
OPTIONAL MATCH (f)-[:BINDS]->(e:Entity)
OPTIONAL MATCH (f)-[:COVERS]->(c:Cell)
RETURN collect(DISTINCT e.id) AS entities, collect(DISTINCT c.id) AS cells
