"""Text ingest: documents to passages, mentions, n-ary facts and claims (AreoRAG §III-B.1, text side).

``read_document`` reads a file, ``split_passages`` cuts it, ``extract`` finds facts without a model, ``ingest_text``
writes them to the graph. Every span quotes its source exactly.
"""
