// Write passages of documents, or write them again
CYPHER 5
UNWIND $rows AS row
MATCH (d:Document {id: row.document_id})
MERGE (p:Passage {id: row.id})
SET p = row.p
MERGE (p)-[:STATED_IN]->(d)
