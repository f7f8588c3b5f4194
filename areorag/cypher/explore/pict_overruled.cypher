// Conflicts that a person decided otherwise than the classifier
CYPHER 5
MATCH (c:Conflict)
WHERE c.overruled_category IS NOT NULL AND c.overruled_category <> c.predicted
RETURN c.id AS conflict, c.predicted AS predicted, c.overruled_category AS decided, c.overruled_by AS by, c.overruled_why AS why
ORDER BY conflict
