"""Mineral mentions: IMA species and group names, with element modifiers and their inner names.

"calcium sulfate" and "K-feldspar" are mentions, and so is the "sulfate" or "feldspar" inside them: the narrower name is
what is said, the wider one what it is a kind of.
"""

from __future__ import annotations

import re
from functools import cache

from .lexicons import element_names, element_symbols, minerals
from .spans import Span, Zones

#: Names that take an element or family modifier.
_HEADS = (
    r"sulfates?|sulphates?|feldspars?|spars?|carbonates?|smectites?|jarosites?|phosphates?|sulfides?|sulphides?|"
    r"chlorides?|forsterites?|olivines?|pyroxenes?|saponites?|phyllosilicates?|clays?|oxides?"
)
#: Heads that are a mineral mention only with a modifier, or whose bare form is too general to be a mineral.
_ONLY_MODIFIED = frozenset({"oxide", "clay", "spar", "phosphate"})
_NEVER = frozenset({"fluoride"})


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    names = sorted(minerals(), key=len, reverse=True)
    core = "|".join(re.escape(n) for n in names)
    species = re.compile(rf"(?<![A-Za-z])((?:{core})(?:e?s)?)(?![A-Za-z])", re.I)
    symbols = "|".join(sorted(element_symbols(), key=len, reverse=True))
    words = "|".join(sorted(element_names(), key=len, reverse=True))
    modified = re.compile(
        rf"(?<![A-Za-z0-9])(?<![Ll]ow-)(?<![Hh]igh-)((?:(?:{symbols})(?:-\s?|\s)|(?i:{words}|alkali)[- ]|(?:{symbols})(?=sul))"
        rf"(?i:{_HEADS}))(?![A-Za-z])"
    )
    return species, modified


def _singular(name: str) -> str:
    low = name.lower()
    known = minerals()
    if low in known:
        return low
    return low[:-1] if low.endswith("s") else low


def find_minerals(text: str, zones: Zones | None = None) -> list[Span]:
    """All mineral mentions of `text`, nested ones included, sorted by offset."""
    zones = zones or Zones(text)
    species, modified = _patterns()
    found: set[Span] = set()
    for m in species.finditer(text):
        start, end = m.span(1)
        if _singular(m[1]) in _NEVER:
            continue
        found.add(Span(start, end, "Mineral", m[1]))
    for m in modified.finditer(text):
        start, end = m.span(1)
        head = re.split(r"[- ]", m[1])[-1].lower().rstrip("s")
        if head in {"oxide", "clay", "phosphate"}:
            continue
        found.add(Span(start, end, "Mineral", m[1]))
    return sorted(found)
