// Mark documents that are about to be deleted, so that none is taken for complete when that is cut short
CYPHER 5
UNWIND $ids AS id
MATCH (d:Document {id: id})
SET d.state = 'going'
RETURN count(*) AS n
