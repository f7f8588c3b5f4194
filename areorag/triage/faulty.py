"""Which side of a noise conflict is wrong: a test first, authority second, else neither (METHODS §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .bridges import DECISIVE, Bridge, Pair
from .bridges.provenance import suspicion

AUTHORITY_GAP = 0.1
DOUBT_GAP = 0.12
CLEARLY_UNUSUAL, UNUSUAL = 0.5, 0.15


@dataclass(frozen=True)
class Blame:
    """The side found wrong ("a", "b" or None), by what, and the test that says so."""

    side: str | None
    how: str
    test: Bridge | None


def blame(pair: Pair, bridges: Mapping[str, Bridge | None]) -> Blame:
    """Find the faulty side of a noise conflict.

    Order: a test that proves the error of one side; what the label says of a side's quality; a value clearly outside
    what is usual for the property; the lower authority where the gap is at least 0.1; a value slightly outside.
    Otherwise neither side: the conflict stays opaque and both are kept.
    """
    proofs = [b for b in bridges.values() if b is not None and b.name in DECISIVE and b.faulty and b.score >= 0.4]
    doubt_a, doubt_b = suspicion(pair.a), suspicion(pair.b)
    if proofs:
        best = max(proofs, key=lambda b: b.score)
        sides = {b.faulty for b in proofs}
        if len(sides) == 1 or abs(doubt_a - doubt_b) < DOUBT_GAP:
            return Blame(best.faulty, "test", best)
    if abs(doubt_a - doubt_b) >= DOUBT_GAP:
        return Blame("a" if doubt_a > doubt_b else "b", "test", bridges.get("quality"))
    odd = bridges.get("unusual")
    if odd is not None and odd.score >= CLEARLY_UNUSUAL:
        return Blame(odd.faulty, "test", odd)
    gap = pair.a.authority - pair.b.authority
    if abs(gap) >= AUTHORITY_GAP - 1e-9:
        return Blame("b" if gap > 0 else "a", "authority", None)
    if odd is not None and odd.score >= UNUSUAL:
        return Blame(odd.faulty, "test", odd)
    return Blame(None, "", None)
