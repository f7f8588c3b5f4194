// Properties have the type that every writer gives them
CYPHER 5
MATCH (n:Hyperedge)
WHERE NOT n.id IS :: STRING NOT NULL OR NOT n.text IS :: STRING OR NOT n.rho IS :: FLOAT
   OR NOT n.embedding IS :: LIST<FLOAT NOT NULL> OR NOT n.lorentz IS :: LIST<FLOAT NOT NULL>
   OR NOT n.resolution_m IS :: FLOAT OR NOT n.mars_year IS :: INTEGER OR NOT n.sol IS :: INTEGER
   OR NOT n.start IS :: ZONED DATETIME OR NOT n.stop IS :: ZONED DATETIME OR NOT n.position IS :: POINT
RETURN coalesce(toStringOrNull(n.id), '?') AS id, 'a property has another type' AS why
LIMIT 20
