// Remove co-locations that bind fewer than two observations or lost their focus
CYPHER 5 replan=skip
UNWIND $ids AS wanted
MATCH (c:Colocation {id: wanted})
WHERE COUNT { (c)-[:GROUPS]->() } < 2 OR NOT EXISTS { (c)-[:GROUPS]->(:Observation {id: c.focus}) }
DETACH DELETE c
RETURN count(*) AS n
