// Replace the text of observations, and the embedding that goes with it
CYPHER 5
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
SET o.text = row.text, o.embedding = coalesce(row.embedding, o.embedding)
