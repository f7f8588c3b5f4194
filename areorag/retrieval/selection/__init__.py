"""Evidence selection behind one signature (GeoRAG): `select`.

Retriever-agnostic: observations, passages, facts, or any ranked list. Selectors: ``coverage`` (the paper's six stages),
``facility`` (lazy greedy on F_Q, with the guarantee), ``graph`` (hypergraph expansion, then coverage of every hop), and
the baselines ``topk``, ``mmr``, ``dpp``, ``rrf``, ``rerank``.
"""

from __future__ import annotations

from .engine import select
from .types import SELECTORS, Candidate, Demand, Kept, Options, Selection

__all__ = ["SELECTORS", "Candidate", "Demand", "Kept", "Options", "Selection", "select"]
