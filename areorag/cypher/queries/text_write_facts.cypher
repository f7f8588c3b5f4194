// Write facts: text hyperedges with their source and, where they have one, their place
CYPHER 5
UNWIND $rows AS row
MATCH (p:Passage {id: row.passage_id})
MERGE (f:Hyperedge:Fact {id: row.id})
SET f = row.p, f.embedding = p.embedding, f.embedder = p.embedder,
    f.position = CASE WHEN row.xyz IS NULL THEN NULL ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END,
    f.location = CASE WHEN row.lonlat IS NULL THEN NULL
                      ELSE point({longitude: row.lonlat[0], latitude: row.lonlat[1]}) END
MERGE (f)-[:STATED_IN]->(p)
