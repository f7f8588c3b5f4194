// Keep records that are not the current one of their observation
CYPHER 5
UNWIND $rows AS row
MERGE (s:Superseded {id: row.p.id})
SET s += row.p
