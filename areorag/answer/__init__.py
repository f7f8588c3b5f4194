"""ARP (AreoRAG §III-E): differential context, prompt, answer, provenance, audit report."""
