// Tie facts to the cells of the place they speak of
CYPHER 5
UNWIND $rows AS row
MATCH (f:Fact {id: row.h})
UNWIND row.cells AS cell
MATCH (c:Cell {id: cell})
MERGE (f)-[:COVERS]->(c)
