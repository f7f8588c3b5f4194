// Where an observation comes from: product, file, sources, run, what it superseded
CYPHER 5
MATCH (o:Observation|Superseded {id: $id})
OPTIONAL MATCH (o)-[:FROM_PRODUCT]->(p:Product)
OPTIONAL MATCH (o)-[:INGESTED_BY]->(r:IngestRun)
RETURN p {.*} AS product, r {.*} AS run,
       COLLECT { MATCH (p)-[:DERIVED_FROM]->(s:Product) RETURN s.data_id ORDER BY s.data_id } AS sources,
       COLLECT { MATCH (o)-[:SUPERSEDES]->(old) RETURN old.id ORDER BY old.id } AS superseded
