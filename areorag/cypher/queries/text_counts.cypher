// Numbers of documents, passages, facts and claims of texts
CYPHER 5
RETURN COUNT { (:Document) } AS documents, COUNT { (:Passage) } AS passages, COUNT { (:Fact) } AS facts,
       COUNT { (:Fact)-[:ASSERTS]->(:Claim) } AS claims, COUNT { (:Synonym) } AS synonyms
