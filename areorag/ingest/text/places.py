"""Named places of the body in a text: gazetteer features, told apart from people and from rover targets.

Most crater names are surnames. A name counts when the text gives its kind ("Gale crater", "Meridiani Planum"), when it
is a place the project or a rover team named, or when the same document has already given the kind.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...planet.gazetteer import Feature, Gazetteer
from .spans import Span, Zones

_RUN = re.compile(
    r"(?<![\w.])((?:Mt\. |Mount |St\. )?[A-ZÀ-Þ][\w'’-]+(?:\s(?:of\s)?[A-ZÀ-Þ][\w'’-]+){0,3}"
    r"(?:\s(?:crater|craters|dunes?|delta|ridge|valley|region))?)"
)
_KIND = re.compile(
    r"(?i)\b(?:crater|planum|planitia|mons|montes|vallis|valles|terra|patera|chasma|fossae?|palus|dunes?|chaos|rupes|"
    r"tholus|mensae?|cav(?:us|i)|dors(?:um|a)|sulc(?:us|i)|labyrinthus|cape|mount|mt\.|delta|landing|bay|hills?|valley)\b"
)
_ALONE = frozenset({"Rover place", "Landing site", "Region", "Sub-part", "Pole"})
_COMMON = frozenset({"troy", "midway", "darwin", "link", "shaler", "eagle", "victoria", "santa maria", "north pole"})


@lru_cache(maxsize=4)
def _index(body: str) -> dict[str, tuple[Feature, bool]]:
    """Folded name -> (feature, whether the name alone is proof)."""
    out: dict[str, tuple[Feature, bool]] = {}
    for f in Gazetteer.load(body).features:
        if f.type == "Albedo Feature":
            continue
        for name in (f.name, *f.aliases):
            key = name.casefold()
            alone = bool(_KIND.search(name)) or (f.type in _ALONE and key not in _COMMON and len(key) > 4)
            known = out.get(key)
            if known is None or (alone and not known[1]):
                out[key] = (f, alone)
            if f.type == "Crater" and not _KIND.search(name):
                out.setdefault(f"{key} crater", (f, True))
    return out


def find_places(text: str, zones: Zones, body: str = "Mars") -> list[tuple[Span, Feature]]:
    """Place mentions with their feature, by offset, none overlapping."""
    index = _index(body)
    hits: list[tuple[int, int, Feature, bool]] = []
    for m in _RUN.finditer(text):
        if zones.in_authors(m.start()) or zones.in_references(m.start()):
            continue
        words = [(w.start() + m.start(), w.end() + m.start()) for w in re.finditer(r"\S+", m[1])]
        i = 0
        while i < len(words):
            for j in range(len(words), i, -1):
                a, b = words[i][0], words[j - 1][1]
                found = index.get(" ".join(text[a:b].split()).casefold().removesuffix("'s").removesuffix("’s"))
                if found:
                    hits.append((a, b, *found))
                    i = j
                    break
            else:
                i += 1
    proven = {f.name for _, _, f, alone in hits if alone}
    return [
        (Span(a, b, "Feature", text[a:b]), f)
        for a, b, f, alone in sorted(hits, key=lambda h: h[0])
        if alone or f.name in proven
    ]
