// The current product supersedes its retired versions
CYPHER 5
UNWIND $rows AS row
MATCH (p:Product {data_id: row.data_id})
MATCH (old:Product {data_id: row.old})
MERGE (p)-[:SUPERSEDES]->(old)
