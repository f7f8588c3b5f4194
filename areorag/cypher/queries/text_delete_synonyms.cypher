// Take back synonym hyperedges; the participants stay as they are
CYPHER 5
UNWIND $ids AS id
MATCH (s:Synonym {id: id})
DETACH DELETE s
RETURN count(*) AS n
