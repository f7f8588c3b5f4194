"""Candidate names of rover targets in one document, with the contexts they stand in (AreoRAG §III-B.1, O_target).

Targets are an open class: every sol adds names of rocks, soils and drill holes that no list has yet. A candidate is a
run of capitalised words; whether it names a target is a question about all its occurrences in the document together.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from .lexicons import element_names, instruments, known_places, known_targets, minerals, word_set
from .spans import Zones

_RUN = re.compile(
    r"(?<![A-Za-z0-9.])((?:La |El |De |Le |St\. |Mt\. )?[A-Z][a-zé]+(?:[A-Z][a-zé]+)?\d?(?:_[A-Z]?[A-Za-z0-9]+)*"
    r"(?: [A-Z][a-zé]+(?:_[A-Za-z0-9]+)*){0,3}(?: [A-Z]\.| 2(?![\d.])|(?<=[a-z])\d(?![\d.]))?)(?![A-Za-z0-9])"
)
#: Capitalised words that are never (part of) a target's name at its edge.
STOP = word_set("stop_words.txt")
#: Words that are no target alone but may be part of one ("Red Wine", "Ibex Pass").
SOFT = word_set("soft_words.txt")
_GEO = (
    r"craters?|Craters?|Planum|Planitia|Mons|Montes|Vallis|Valles|Terra|Patera|Chasma|Fossae|Palus|Bay|Rise|Landing|"
    r"Formation|formation|Fm|Group|Dunes?|dunes?|dune field|Quadrangle|quadrangle"
)
_UNIT = (
    r"members?|Members?|units?|outcrops?|waypoints?|localit(?:y|ies)|areas?|regions?|mudstones?|sandstones?|"
    r"facies|sites?"
)
_OBJECT = (
    r"targets?|rocks?|soils?|drill(?:ed|ing|s)?|drill[- ]holes?|samples?|tailings|powders?|cuttings|fines|floats?|"
    r"pebbles?|veins?|boulders?|conglomerates?|nodules?|clasts?|meteorites?|basalts?|blocks?|holes?|mini-drill|"
    r"points?|rasters?|surfaces?|materials?|analys[ie]s|spectr(?:um|a)|compositions?|observations?|location"
)
LEFT = {
    "target_word": re.compile(
        r"(?i)\btargets?(?:,? (?:named|called|known as|dubbed|such as|like|of|on|names?:?|is|include|were|at))?"
        r"[\s:;,]*[\"'“‘(]*$"
    ),
    "named": re.compile(r"(?i)\b(?:named|called|dubbed|known as|nicknamed|informally)\s+[\"'“‘(]*$"),
    "object": re.compile(rf"(?i)\b(?:{_OBJECT})(?:,| at| on| of| from| in| for| named)?\s+(?:the )?[\"'“‘(]*$"),
    "sol": re.compile(r"(?i)\bsols? \d+(?:[-–]\d+)?[,)]?\s+(?:[a-z]{1,12}\s+){0,2}[\"'“‘(]*$"),
    "eg": re.compile(r"(?:e\.g\.|i\.e\.|such as|including|include|like),?\s+(?:the )?[\"'“‘(]*$"),
    "quote": re.compile(r"[\"“‘']$"),
    "at": re.compile(r"\b[Aa]t (?:the )?[\"“‘]*$"),
    "on": re.compile(r"\b[Oo]n (?:the )?[\"“‘]*$"),
    "of": re.compile(r"\bof (?:the )?[\"“‘]*$"),
    "in": re.compile(r"\b[Ii]n (?:the )?[\"“‘]*$"),
    "for": re.compile(r"\bfor (?:the )?[\"“‘]*$"),
    "from": re.compile(r"\bfrom (?:the )?[\"“‘]*$"),
    "near": re.compile(
        r"\b(?:near|around|between|above|below|beneath|toward|towards|through|across|along|within) (?:the )?[\"“‘]*$"
    ),
    "and": re.compile(r"\b(?:and|or|,) (?:the )?[\"“‘]*$"),
    "the": re.compile(r"\b[Tt]he [\"“‘]*$"),
    "paren": re.compile(r"\($"),
    "panel": re.compile(r"(?:\(?[A-Za-z0-9]\)|[,;:]) $"),
    "drill": re.compile(
        r"(?i)\b(?:drill\w*|scoop\w*|brush\w*|sampled?|tailings|fines|DRT)\s+(?:[a-z]{1,10}\s+){0,3}[\"“‘(]*$"
    ),
    "start": re.compile(r"(?:^|[.!?:;]\s+)$"),
    "initial": re.compile(r"[A-Z]\.\s?$"),
    "caps": re.compile(r"[A-Z][a-z]+ $"),
}
RIGHT = {
    "sol": re.compile(r"(?i)^[\"'”’)]*\s*[,(]?\s*(?:[a-z ]{0,14})?[,(\s]sols?\b\s?~?\d"),
    "object": re.compile(rf"^[\"'”’)]*\s(?:[a-z-]{{1,12}} )?(?:{_OBJECT})\b"),
    "target": re.compile(r"(?i)^[\"'”’)]*\s(?:rock |soil |drill )?targets?\b"),
    "drill": re.compile(
        r"(?i)^[\"'”’)]*\s\(?(?:mini-?)?(?:drill|scoop|tailings|dump|cuttings|fines|hole|sample|powder)"
    ),
    "unit": re.compile(rf"^[\"'”’)]*\s(?:{_UNIT})\b"),
    "geo": re.compile(rf"^\s(?:{_GEO})\b"),
    "number": re.compile(r"^\s?(?:#|point |\()\d"),
    "panel": re.compile(r"^\s?\([A-Za-z0-9]{1,2}\)"),
    "possessive": re.compile(r"^['’]s\b"),
    "verb": re.compile(
        r"^[\"'”’)]*,?\s(?:is|was|has|shows?|contains?|exhibits?|appears?|displays?|plots?|had|reveals?|were|and)\b"
    ),
    "affil": re.compile(r"^\s?\d|^,? (?:[A-Z]\.|et al)"),
    "colon": re.compile(r"^:"),
    "quote": re.compile(r"^[\"”’]"),
    "comma": re.compile(r"^,? (?:and |or )?[\"“]?[A-Z]"),
    "ccam": re.compile(r"^[\"']?_?(?:CCAM|MCAM)|^[^.]{0,30}\(?(?:ccam|mcam|CCAM)\d"),
    "caps": re.compile(r"^ [A-Z][a-z]+"),
    "mult": re.compile(r"^\s?\([^)]{0,40}(?:wt|ppm|%|Sol|sol|target|group|Fig|MAHLI|ChemCam|APXS)"),
}
_PLACE_WORDS = frozenset(
    "Crater Planum Planitia Mons Montes Vallis Valles Terra Patera Chasma Fossae Palus Bay Rise Landing Formation "  # noqa: SIM905
    "Dunes Plateau Ridge Buttes Park Basin Sea Ocean Island Islands State Desert Quadrangle Gorge".split()
)


@dataclass
class Candidate:
    """One name of a document and every place it stands."""

    name: str
    places: list[tuple[int, int]] = field(default_factory=list)
    features: dict[str, float] = field(default_factory=dict)
    listed_with: set[str] = field(default_factory=set)


def normal(name: str) -> str:
    """Name for look-ups: underscores as spaces, no trailing point number or instrument suffix."""
    name = re.sub(r"_(?:CCAM|RP|DW|LW|APXS|DRT|\d+)+$", "", name.replace("’", "'"))
    name = re.sub(r"(?:_CCAM|_RP|_DW)$", "", name)
    return re.sub(r"[ _]?\d{1,2}$", "", name.replace("_", " ")).removesuffix("'s").strip(" -.")


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip words that cannot begin or end a name; an empty result has start == end."""
    words = [(m.start() + start, m.end() + start) for m in re.finditer(r"[^\s]+", text[start:end])]

    def strip(index: int, allowed: frozenset[str]) -> None:
        while words and text[words[index][0] : words[index][1]].rstrip(".") in allowed:
            words.pop(index)

    strip(0, STOP - SOFT)
    strip(-1, STOP - SOFT)
    if all(text[a:b].rstrip(".") in STOP for a, b in words):
        words.clear()
    return (words[0][0], words[-1][1]) if words else (start, start)


def _spans(text: str, zones: Zones) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    chemistry = minerals() | set(element_names())
    for m in _RUN.finditer(text):
        start, end = m.span(1)
        whole = text[start:end]
        if normal(whole) not in known_targets() and whole not in known_targets():
            start, end = _trim(text, start, end)
        if end - start < 3 or zones.in_authors(start) or zones.in_references(start):
            continue
        name = text[start:end]
        words = [w.lower() for w in re.split(r"[ _]", name)]
        if name in instruments() or all(w in chemistry or w.rstrip("s") in chemistry for w in words):
            continue
        found[name].append((start, end))
    return found


def find_candidates(text: str, zones: Zones) -> dict[str, Candidate]:
    """Candidate names with document-level features (see `features`)."""
    spans = _spans(text, zones)
    everywhere = Counter(re.findall(r"[A-Za-z][a-zé]+", text))
    out = {name: Candidate(name, places) for name, places in spans.items()}
    _coordination(text, out)
    for candidate in out.values():
        candidate.features = _features(text, zones, candidate, everywhere)
    return out


def _coordination(text: str, candidates: dict[str, Candidate]) -> None:
    """Names that share a list: "A (sol 1), B, and C"."""
    order = sorted((a, b, c.name) for c in candidates.values() for a, b in c.places)
    gap = re.compile(
        r"^(?:['’]s)?[\"”’]?\s?(?:\([^()]{0,40}\)|\[\d+\])?\s?(?:,|;| and| or|,? and|/|&)\s?"
        r"(?:the |and |or )?(?:[a-z]\) )?[\"“‘]?$"
    )
    for (_, end, name), (start, _, other) in pairwise(order):
        if name != other and start - end < 60 and gap.match(text[end:start]):
            candidates[name].listed_with.add(other)
            candidates[other].listed_with.add(name)


@cache
def _by_initial(names: frozenset[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        out[name[:1]].append(name)
    return out


def _near(name: str, names: frozenset[str]) -> bool:
    """True for a misspelling or another number of a listed name ("Book Cliff", "Winjana"); the first letter stands."""
    from rapidfuzz import fuzz, process

    if len(name) < 6:
        return False
    return process.extractOne(name, _by_initial(names).get(name[0], ()), scorer=fuzz.ratio, score_cutoff=90) is not None


def _features(text: str, zones: Zones, candidate: Candidate, words: Counter[str]) -> dict[str, float]:
    """Document-level features of one name: shares over its occurrences (suffix ~) and whether any has it."""
    name = candidate.name
    n = len(candidate.places)
    sums: Counter[str] = Counter()
    for start, end in candidate.places:
        left, right = text[max(0, start - 60) : start], text[end : end + 60]
        for key, pattern in LEFT.items():
            sums[f"l_{key}"] += bool(pattern.search(left))
        for key, pattern in RIGHT.items():
            sums[f"r_{key}"] += bool(pattern.search(right))
    out: dict[str, float] = {"bias": 1.0}
    for key, value in sums.items():
        if value:
            out[key] = 1.0
            out[key + "~"] = value / n
    parts = re.split(r"[ _]", name)
    base = normal(name)
    out["known"] = float(base in known_targets() or name in known_targets())
    out["near_known"] = float(_near(base, known_targets()))
    out["place"] = float(base in known_places() or any(p in _PLACE_WORDS for p in parts[-1:]))
    out["underscore"] = float("_" in name)
    out["digit"] = float(name[-1].isdigit())
    out["words"] = min(len(parts), 4) / 4
    out["once"] = float(n == 1)
    out["many"] = min(n, 8) / 8
    out["common"] = float(any(words[p.lower()] > 0 for p in parts if len(p) > 2))
    out["stop_inside"] = float(any(p in STOP for p in parts))
    out["short"] = float(len(name) < 5)
    out["before_body"] = float(candidate.places[0][0] < zones.header_end + 5)
    out["listed"] = float(bool(candidate.listed_with))
    return {k: v for k, v in out.items() if v}
