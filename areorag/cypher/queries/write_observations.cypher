// Create observation hyperedges
CYPHER 5 replan=skip
UNWIND $rows AS row
CREATE (o:Hyperedge:Observation)
SET o = row.p,
    o.embedding = CASE WHEN row.vector IS NULL THEN row.p.embedding ELSE $vectors[row.vector] END,
    o.position = CASE WHEN row.xyz IS NULL THEN NULL ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END,
    o.location = CASE WHEN row.lonlat IS NULL THEN NULL
                      ELSE point({longitude: row.lonlat[0], latitude: row.lonlat[1]}) END
