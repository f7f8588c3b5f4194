// Which keys are those of products that are only named so far
CYPHER 5 replan=skip
UNWIND $keys AS key
MATCH (p:Product {key: key})
WHERE p.placeholder
RETURN DISTINCT key
