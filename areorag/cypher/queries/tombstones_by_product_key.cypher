// Which products of some keys belong to something forgotten
CYPHER 5
UNWIND $keys AS key
MATCH (p:Product {key: key})<-[:FROM_PRODUCT]-(t:Tombstone)
WHERE NOT EXISTS { (p)<-[:FROM_PRODUCT]-(:Observation) }
RETURN DISTINCT key
