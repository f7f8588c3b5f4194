// What triage did to each side of a conflict: weight before and after, kept or left out
CYPHER 5
MATCH (x:Conflict)
UNWIND [0, 1] AS i
WITH x, i, CASE i WHEN 0 THEN x.a_id ELSE x.b_id END AS id
RETURN coalesce(x.overruled_category, x.category) AS category, x.property AS property, id AS source,
       round(x.c_base[i], 3) AS before, round(x.c_triage[i], 3) AS after, x.kept[i] AS kept, x.opaque AS opaque,
       x.bridge_name AS bridge, x.bridge_source AS physics_from, x.id AS conflict
ORDER BY category, conflict, i
