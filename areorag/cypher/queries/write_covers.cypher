// Tie observations to the cells that cover them
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (o:Observation {id: row.h})
UNWIND row.cells AS cell
MATCH (c:Cell {id: cell})
CREATE (o)-[:COVERS]->(c)
