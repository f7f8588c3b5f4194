"""AreoRAG: hyperbolic spatial hypergraph retrieval and physics-informed conflict triage on Neo4j.

>>> from areorag import AreoRAG                                    # doctest: +SKIP
>>> with AreoRAG.open() as areo:                                   # doctest: +SKIP
...     print(areo.ask("What minerals are in the western Jezero delta?"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import AreoRAGError

if TYPE_CHECKING:
    from .api import AreoRAG, AsyncAreoRAG
    from .graph.model import Claim, IngestReport, Observation

__version__ = "0.1.0"
__all__ = [
    "AreoRAG",
    "AreoRAGError",
    "AsyncAreoRAG",
    "Claim",
    "IngestReport",
    "Observation",
    "__version__",
]

_LAZY = {
    "AreoRAG": "api",
    "AsyncAreoRAG": "api",
    "Claim": "graph.model",
    "IngestReport": "graph.model",
    "Observation": "graph.model",
}


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that ``import areorag`` costs nothing."""
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
