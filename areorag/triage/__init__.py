"""Physics-informed conflict triage (PICT, AreoRAG §III-D): detection, classification, bridging, recalibration.

``from areorag.triage import Triage, Source, Verdict``; nothing heavy is imported until a name is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .pict import Triage, Verdict
    from .source import Source

__all__ = ["Source", "Triage", "Verdict"]


def __getattr__(name: str) -> Any:
    if name == "Source":
        from .source import Source

        return Source
    if name in ("Triage", "Verdict"):
        from . import pict

        return getattr(pict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
