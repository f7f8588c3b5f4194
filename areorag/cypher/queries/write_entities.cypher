// Create participants that are not there yet
CYPHER 5 replan=skip
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET e += row.p,
    e.position = CASE WHEN row.xyz IS NULL THEN NULL ELSE point({x: row.xyz[0], y: row.xyz[1], z: row.xyz[2]}) END,
    e.location = CASE WHEN row.lonlat IS NULL THEN NULL
                      ELSE point({longitude: row.lonlat[0], latitude: row.lonlat[1]}) END
FOREACH (_ IN CASE WHEN row.label = 'Feature' THEN [1] ELSE [] END | SET e:Feature)
FOREACH (_ IN CASE WHEN row.label = 'Instrument' THEN [1] ELSE [] END | SET e:Instrument)
FOREACH (_ IN CASE WHEN row.label = 'Platform' THEN [1] ELSE [] END | SET e:Platform)
FOREACH (_ IN CASE WHEN row.label = 'Institution' THEN [1] ELSE [] END | SET e:Institution)
FOREACH (_ IN CASE WHEN row.label = 'Mineral' THEN [1] ELSE [] END | SET e:Mineral)
FOREACH (_ IN CASE WHEN row.label = 'Element' THEN [1] ELSE [] END | SET e:Element)
FOREACH (_ IN CASE WHEN row.label = 'Target' THEN [1] ELSE [] END | SET e:Target)
FOREACH (_ IN CASE WHEN row.label = 'Concept' THEN [1] ELSE [] END | SET e:Concept)
