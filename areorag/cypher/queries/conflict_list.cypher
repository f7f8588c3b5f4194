// Conflicts, the latest first
CYPHER 5
MATCH (c:Conflict)
WHERE ($category IS NULL OR coalesce(c.overruled_category, c.category) = $category)
  AND ($ids IS NULL OR c.a_id IN $ids OR c.b_id IN $ids)
RETURN c {.id, .property, .subject, .a_id, .b_id, .explanation, .bridge, .sub_category, .opaque, .abstained, .h_inter,
          .overruled_by, .overruled_why, .model, .question,
          category: coalesce(c.overruled_category, c.category), overruled: c.overruled_category IS NOT NULL,
          created: toString(c.created)} AS conflict
ORDER BY c.last_seen DESC, c.id
LIMIT $limit
