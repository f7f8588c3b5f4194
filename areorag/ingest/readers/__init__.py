"""Readers: bytes of a label or table in, plain values out; no knowledge of products (AreoRAG §III-B, ingest).

Each reader keeps what it could read and says what it could not; none follows a pointer out of the ingest root.
"""
