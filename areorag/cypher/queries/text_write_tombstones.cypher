// Mark documents as forgotten: where they came from, what they said by hash, which answers cited them
CYPHER 5
UNWIND $ids AS id
MATCH (d:Document {id: id})
MERGE (t:Tombstone {id: id})
SET t.name = 'forgotten ' + d.title, t.kind = 'text', t.source_file = d.source_file, t.forgotten_at = $now,
    t.hashes = [h IN coalesce(t.hashes, []) WHERE h <> d.sha256] + d.sha256,
    t.answers = COLLECT {
      MATCH (a:Answer)-[:USED|CITES]->(:Passage)-[:STATED_IN]->(d)
      RETURN DISTINCT a.id ORDER BY a.id
    },
    d.state = 'going'
