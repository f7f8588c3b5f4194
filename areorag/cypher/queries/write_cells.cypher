// Create cells of the scale tree that are not there yet
CYPHER 5 replan=skip
UNWIND $rows AS row
MERGE (c:Cell {id: row.id})
ON CREATE SET c.order = row.order, c.index = row.index, c.name = 'cell ' + row.id
