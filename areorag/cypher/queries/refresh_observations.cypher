// Replace computed values (coordinates, embedding) of observations whose content is unchanged
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (o:Observation {id: row.p.id})
WITH o, row, o.known_hashes AS hashes
SET o += row.p,
    o.known_hashes = hashes,
    o.position = CASE WHEN row.xyz IS NULL THEN NULL ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END,
    o.location = CASE WHEN row.lonlat IS NULL THEN NULL
                      ELSE point({longitude: row.lonlat[0], latitude: row.lonlat[1]}) END
