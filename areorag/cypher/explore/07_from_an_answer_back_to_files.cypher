// From an answer back to files: what it cites, the product, the file, its sha256, the run that read it
CYPHER 5
MATCH (q:Query)-[:ANSWERED_BY]->(a:Answer)-[:CITES]->(p:Product)<-[:FROM_PRODUCT]-(o:Observation|Superseded)
OPTIONAL MATCH (o)-[:INGESTED_BY]->(r:IngestRun)
RETURN a.id AS answer, q.question AS question, o.id AS observation, p.data_id AS product, p.version AS version,
       p.source_file AS file, p.sha256 AS sha256, r.name AS run, r.areorag AS code
ORDER BY a.created DESC, observation
