"""Retrieval: intent, spatial and dense search, expansion, and the selection of evidence (AreoRAG §III-C, GeoRAG).

``from areorag.retrieval import select`` serves any ranked list; nothing heavy is imported until it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .passages import PassageIndex
    from .selection import Candidate, Options, Selection, select

__all__ = ["Candidate", "Options", "PassageIndex", "Selection", "select"]


def __getattr__(name: str) -> Any:
    if name == "PassageIndex":
        from .passages import PassageIndex

        return PassageIndex
    if name in __all__:
        from . import selection

        return getattr(selection, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
