// Documents of some ids, and the documents of a corpus by the id of its file
CYPHER 5
UNWIND $ids AS id
MATCH (d:Document)
WHERE d.id STARTS WITH id AND (d.id = id OR d.id STARTS WITH id + '#')
RETURN id AS wanted, d.id AS id
ORDER BY wanted, id
