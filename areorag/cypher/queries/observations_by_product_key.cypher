// Current observations by the key of their product
CYPHER 5
UNWIND $keys AS key
MATCH (p:Product {key: key})<-[:FROM_PRODUCT]-(o:Observation)
WHERE p.superseded IS NULL
RETURN key, min(o.id) AS id
