"""The generic PDS3 fallback: what a label of no known family says, and what it does not (AreoRAG §III-B)."""

from __future__ import annotations

import re

from ..draft import Draft
from ..names import known_platform
from .base import Context, Result, Source, rejected
from .pds3 import PDS3_KEYWORDS, Pds3Family
from .view import View

_DERIVED = re.compile(r"\bDTM\b|-DTM-|MOSAIC|-[56]-\w*(?:MAP|MIDR|GDR|MINERAL)", re.I)


class Generic3(Pds3Family):
    """Any PDS3 label. A label that names no product, or only describes a table, gives no observation."""

    name = "pds3-generic"
    title = "any other PDS3 label"
    keywords = PDS3_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Every PDS3 label."""
        return source.kind == "pds3"

    def matches(self, view: View) -> bool:
        """Always."""
        return True

    def read(self, source: Source, context: Context) -> Result:
        """One observation where the label names a product, else the reason why not."""
        view = source.view
        named = view.text("PRODUCT_ID", "IMAGE_ID") is not None
        told = (
            view.text("INSTRUMENT_ID", "INSTRUMENT_NAME") is not None
            and view.text("START_TIME", "IMAGE_TIME") is not None
        )
        if not named and not told:
            raise rejected(_why_none(view, source))
        return super().read(source, context)

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Say what a complete observation would have had."""
        if _DERIVED.search(view.text("DATA_SET_ID") or ""):
            draft.kind = "derived"
        missing = []
        if not any(draft.instrument_names):
            missing.append("instrument")
        if not any(draft.platform_names):
            missing.append("platform")
        if draft.start is None and draft.kind != "derived":
            missing.append("start time")
        if missing:
            draft.problems.append(f"the label does not tell {', '.join(missing)}")
        if not any(known_platform(p) for p in draft.platform_names):
            draft.meta["family"] = "generic"


def _why_none(view: View, source: Source) -> str:
    start = "; ".join([*source.label.problems, *source.label.warnings[:2]])
    tail = f" ({start})" if start else ""
    if any(True for b in view.root.walk() for _ in b.blocks("COLUMN")) or view.has("COLUMNS"):
        return f"structure of a table, no product id: no observation of its own{tail}"
    if not view.root.items:
        return f"empty label{tail}"
    return f"no product id in the label: no observation{tail}"
