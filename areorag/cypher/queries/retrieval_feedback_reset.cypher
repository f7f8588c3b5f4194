// Forget feedback up to now; the conflicts themselves stay
CYPHER 5
MERGE (f:FeedbackState {id: 'feedback'})
SET f.reset = datetime(), f.name = 'feedback reset'
RETURN toString(f.reset) AS reset
