"""Spatial-only and semantics-only texts and their cosines (Spatial-RAG Eq. 10, 11, 16, 17).

The masks M_s and M_k take out of a text what the other side is about. For questions they follow the reading (which
words were taken for what), so a language model's reading masks too; for records they follow the record's own names.
Identifiers, dates and numbers are in neither: they are tested exactly elsewhere and only blur a cosine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from .intent.model import SpatialIntent

FloatArray = npt.NDArray[np.float64]

_SPATIAL_FIELDS = frozenset({"geometry", "coordinate", "places", "relation", "distance_m"})
_EXACT_FIELDS = frozenset({"ls_deg", "mars_years", "sols", "dates", "resolution_m"})
_IDS = re.compile(r"\b(?=\w*\d)(?=\w*[A-Z_])[\w./-]{5,}\b")
_COORDINATES = re.compile(r"\bat -?[\d.]+° [NS], -?[\d.]+° E", re.IGNORECASE)
_NUMBERS = re.compile(r"(?<![A-Za-z])[-+]?\d[\d.,:/°–-]*\s*(?:UTC|nm|km|cm|mm|m|°)?(?![A-Za-z])")
_SPACES = re.compile(r"\s+")
_LEFTOVER = re.compile(r"\s+([.,;:])|\(\s*\)|,\s*(?=[.,;])")
_STOP = re.compile(
    r"\b(?:which|what|where|when|how|who|show|give|find|list|me|the|a|an|of|in|on|at|is|are|was|were|do|does|did|any|all|"
    r"there|please|by|for|to|from|with|and|or|that|this|it|its|anything|everything)\b",
    re.IGNORECASE,
)


def semantic_text(text: str, names: Iterable[str] = ()) -> str:
    """M_k of a record's text: without place names, coordinates, identifiers, dates and numbers.

    >>> semantic_text("CTX visible imaging on MRO of Jezero at 18.45° N, 77.45° E. Taken 2012-01-01.", ["Jezero"])
    'CTX visible imaging on MRO of. Taken.'
    """
    out = _COORDINATES.sub(" ", text)
    for name in sorted(names, key=len, reverse=True):
        out = re.sub(rf"\b{re.escape(name)}\b", " ", out, flags=re.IGNORECASE)
    out = _NUMBERS.sub(" ", _IDS.sub(" ", out))
    return _SPACES.sub(" ", _LEFTOVER.sub(r"\1", _SPACES.sub(" ", out))).strip()


def spatial_text(body: str | None, names: Sequence[str]) -> str:
    """M_s of a record: the names of where it lies."""
    places = [n for n in names if n != body]
    return ", ".join([*places, body or ""]).strip(", ")


def question_masks(intent: SpatialIntent) -> tuple[str, str]:
    """(spatial-only, semantics-only) text of a question; "" where it has none of that kind."""
    question = intent.question
    drop_spatial = [r for r in intent.readings if r.field in _SPATIAL_FIELDS or r.step == "geometry"]
    drop_exact = [r for r in intent.readings if r.field in _EXACT_FIELDS]
    parts = [f"{intent.parts[p]} of {p}" if p in intent.parts else p for p in intent.places]
    spatial = ", ".join(parts)
    chars = list(question)
    for reading in (*drop_spatial, *drop_exact):
        chars[reading.start : reading.end] = " " * (reading.end - reading.start)
    rest = _NUMBERS.sub(" ", "".join(chars))
    for word in (*intent.exclude.instruments, *intent.exclude.platforms, *intent.exclude.properties):
        rest = re.sub(rf"\b{re.escape(word)}\b", " ", rest, flags=re.IGNORECASE)
    kept = _SPACES.sub(" ", _STOP.sub(" ", rest)).strip(" ?.,;:!-")
    extra = [p for p in (*intent.properties, *intent.instruments) if p.lower() not in kept.lower()]
    semantic = " ".join([kept, *extra]).strip()
    return spatial, semantic


def cosine(matrix: npt.NDArray[np.float32], vector: npt.NDArray[np.float32]) -> FloatArray:
    """Cosines of unit rows (n, d) with a unit vector (d,), clipped to [-1, 1]."""
    return np.clip(np.asarray(matrix @ vector, dtype=np.float64), -1.0, 1.0)


def positive(cosines: FloatArray) -> FloatArray:
    """Cosines as relevance in [0, 1]: below 0 means unrelated, not opposite."""
    return np.maximum(cosines, 0.0)
