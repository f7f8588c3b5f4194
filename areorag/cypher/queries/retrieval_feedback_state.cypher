// Since when conflicts count as feedback: the last reset
CYPHER 5
OPTIONAL MATCH (f:FeedbackState {id: 'feedback'})
RETURN toString(f.reset) AS reset
