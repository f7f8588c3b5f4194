// Tie claims to the entities they are about
CYPHER 5 replan=skip
UNWIND $rows AS row
MATCH (c:Claim {id: row.claim})
MATCH (e:Entity {id: row.e})
MERGE (c)-[:ABOUT]->(e)
