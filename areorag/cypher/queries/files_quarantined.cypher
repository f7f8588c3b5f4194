// Files that were put aside, with the reason
CYPHER 5
MATCH (f:File {status: 'quarantined'})
RETURN f.path AS path, f.reason AS reason, f.sha256 AS sha256
ORDER BY path
