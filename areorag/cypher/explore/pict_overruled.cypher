// Who decided each conflict: a person's decisions first, then the classifier's alone
CYPHER 5
MATCH (c:Conflict)
RETURN c.id AS conflict, c.property AS property, coalesce(c.predicted, c.category) AS classifier,
       c.overruled_category AS person, c.overruled_by AS by, c.overruled_why AS why
ORDER BY person IS NULL, conflict
