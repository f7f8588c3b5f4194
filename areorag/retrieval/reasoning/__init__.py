"""Planned reasoning over the knowledge hypergraph (PRoH; METHODS §4): anchoring, plan, state search, trace.

`needs_reasoning` says whether a question chains facts; `reason` answers one with paths of hyperedges.
"""

from .run import ReasoningOptions, ReasoningResult, needs_reasoning, reason

__all__ = ["ReasoningOptions", "ReasoningResult", "needs_reasoning", "reason"]
