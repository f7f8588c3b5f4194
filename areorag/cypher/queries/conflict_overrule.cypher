// Set the category of a conflict by hand; earlier decisions stay in its history
CYPHER 5
MATCH (c:Conflict {id: $id})
SET c.overruled_history = CASE WHEN c.overruled_category IS NULL THEN coalesce(c.overruled_history, [])
      ELSE coalesce(c.overruled_history, [])
        + [c.overruled_category + ' | ' + c.overruled_by + ' | ' + toString(c.overruled_at) + ' | ' + c.overruled_why] END,
    c.overruled_category = $category, c.overruled_by = $who, c.overruled_at = datetime(), c.overruled_why = $why
RETURN c.id AS id
