// Tie cells to the cells they lie within
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (c:Cell {id: row.cell})
MATCH (up:Cell {id: row.up})
MERGE (c)-[:WITHIN]->(up)
