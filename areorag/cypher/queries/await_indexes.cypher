// Wait until every index is online
CYPHER 5
CALL db.awaitIndexes($seconds)
