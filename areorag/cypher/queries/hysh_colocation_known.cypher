// Which of some observations belong to a co-location or have one of their own
CYPHER 5 replan=skip
UNWIND $ids AS wanted
WITH wanted
WHERE EXISTS { (:Observation {id: wanted})<-[:GROUPS]-(:Colocation) }
   OR EXISTS { (:Colocation {id: 'colocation:' + wanted}) }
RETURN wanted AS id
