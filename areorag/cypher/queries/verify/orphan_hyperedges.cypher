// Every hyperedge binds or groups something
CYPHER 5
MATCH (h:Hyperedge)
WHERE NOT EXISTS { (h)-[:BINDS|GROUPS|COVERS|FROM_PRODUCT|STATED_IN]->() }
RETURN h.id AS id, 'no participant, cell or source' AS why
LIMIT 20
