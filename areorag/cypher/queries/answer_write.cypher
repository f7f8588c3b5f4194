// Store an answer with the question it answers
CYPHER 5
MERGE (q:Query {id: $query_id})
ON CREATE SET q.name = $name, q.question = $question, q.created = datetime()
SET q.intent = $intent, q.last_asked = datetime()
MERGE (a:Answer {id: $answer_id})
SET a.name = $answer_name, a.text = $text, a.payload = $payload, a.created = datetime($created), a.path = $path,
    a.model = $model, a.version = $version, a.found = $found
MERGE (q)-[:ANSWERED_BY]->(a)
RETURN a.id AS id
