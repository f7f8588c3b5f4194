// Files of the journal by id
CYPHER 5 replan=skip
UNWIND $ids AS id
MATCH (f:File {id: id})
RETURN f.id AS id, f {.*} AS file
