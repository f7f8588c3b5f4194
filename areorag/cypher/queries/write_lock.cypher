// Take the writer's lock for this transaction: one writer at a time, on any machine
CYPHER 5 replan=skip
MATCH (m:Migration {version: 1})
SET m.writing = true
REMOVE m.writing
