// Keep records that are not the current one of their observation
CYPHER 5
UNWIND $rows AS row
MERGE (s:Superseded {id: row.id})
SET s = row.p, s.id = row.id, s.of = row.of, s.embedding = NULL, s.known_hashes = NULL,
    s.position = CASE WHEN row.xyz IS NULL THEN NULL ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END,
    s.location = CASE WHEN row.lonlat IS NULL THEN NULL
                      ELSE point({longitude: row.lonlat[0], latitude: row.lonlat[1]}) END
