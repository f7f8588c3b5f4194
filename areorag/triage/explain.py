"""Words for a verdict: the bridge with its numbers, what was kept, what was left out (AreoRAG Definition 7)."""

from __future__ import annotations

from collections.abc import Mapping

from .bridges import Bridge, Pair
from .bridges.base import metres
from .faulty import Blame
from .source import Source

_LEAD = {
    "instrument": "The instruments sense different things",
    "scale": "The two look at different scales",
    "temporal": "The thing itself changed between the observations",
    "noise": "Nothing physical separates the two",
}


def best_bridge(bridges: Mapping[str, Bridge | None], category: str, found: Blame) -> Bridge | None:
    """The strongest argument for a category; for noise the test that named the side, else the strongest fault test."""
    if category == "none":
        return None
    if category == "noise" and found.test is not None:
        return found.test
    candidates = [b for b in bridges.values() if b is not None and b.category == category]
    return max(candidates, key=lambda b: b.score, default=None)


def describe(source: Source) -> str:
    """A side in a few words: instrument, scale, time."""
    parts = [source.instrument or source.data_id or "a source"]
    if source.scale_m is not None:
        parts.append(metres(source.scale_m))
    if source.mars_year is not None and source.ls_deg is not None:
        parts.append(f"MY {source.mars_year} Ls {source.ls_deg:.0f}°")
    return ", ".join(parts)


def explain(pair: Pair, detected: bool, category: str, bridge: Bridge | None, found: Blame, abstained: bool) -> str:
    """One or two sentences: why the sides differ, with numbers, and what happens to them."""
    sides = f"{describe(pair.a)} against {describe(pair.b)}"
    if not detected:
        return f"{sides}: the statements are compatible."
    if abstained:
        return f"{sides}: they disagree, and no explanation is clear enough. Both kept, marked opaque."
    argument = f": {bridge.text}" if bridge is not None and bridge.score > 0.0 else ""
    text = f"{sides}. {_LEAD[category]}{argument}."
    if category != "noise":
        weak = (
            "" if bridge is not None and bridge.holds else " No bridge carries this by itself, so it is marked opaque."
        )
        return text + weak + " Both kept."
    if found.side is None:
        return text + " Neither side can be shown to be wrong: both kept, marked opaque."
    side = pair.side(found.side)
    return text + f" {side.data_id} is left out of the context (by {found.how}); it stays in the graph."
