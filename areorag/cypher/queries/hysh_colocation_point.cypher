// Bind observations to the co-location of their focus
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (o:Observation {id: row.member}), (f:Observation {id: row.focus})
MERGE (c:Hyperedge:Colocation {id: row.id})
ON CREATE SET c.focus = row.focus
MERGE (c)-[own:GROUPS]->(f)
ON CREATE SET own.pointer = false, own.witness = false
MERGE (c)-[g:GROUPS]->(o)
ON CREATE SET g.witness = false
SET g.pointer = true
