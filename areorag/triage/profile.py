"""Which kind of property a pair is about, and what that kind is sensitive to (METHODS §5, features).

Raw differences of the constraints cannot label a pair: real pairs differ in several dimensions at once. What matters
is whether the property asked depends on a dimension: frost on season, a mineral under dust on depth, an elevation on
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .source import Source
from .tables import DIMENSIONS, property_classes, typical_sizes

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Weights over the property classes (n,), the sensitivity to each of `DIMENSIONS` (8,), the class with most weight."""

    weights: FloatArray
    sensitivity: FloatArray
    name: str
    matched: bool

    def of(self, dimension: str) -> float:
        """Sensitivity to one dimension, 0..1."""
        return float(self.sensitivity[DIMENSIONS.index(dimension)])

    def weight(self, *names: str) -> float:
        """Summed weight of the named classes."""
        return float(sum(w for w, c in zip(self.weights, property_classes(), strict=True) if c.name in names))


@lru_cache(maxsize=1)
def _matrix() -> FloatArray:
    return np.array([c.sensitivity for c in property_classes()])


def scores(question: str, a: Source, b: Source) -> FloatArray:
    """Keyword score of every property class, (n,): the property named counts most, then the question, then the rest."""
    fields = [(a.property, 2.5), (b.property, 2.5), (question, 2.0)]
    fields += [(a.value, 0.6), (b.value, 0.6), (a.subject, 0.5), (a.text, 0.4), (b.text, 0.4)]
    out = np.zeros(len(property_classes()))
    for text, weight in fields:
        if text:
            out[list(_named(text))] += weight
    return out


@lru_cache(maxsize=8192)
def _named(text: str) -> tuple[int, ...]:
    """Indices of the property classes whose keywords a text contains."""
    return tuple(i for i, cls in enumerate(property_classes()) if cls.keywords.search(text))


def profile(question: str, a: Source, b: Source, anchor_cosine: FloatArray | None = None) -> Profile:
    """The profile of a pair; `anchor_cosine` (n,) is the embedder's likeness of question and property to each anchor.

    With keywords found, the anchors only refine; with none, they decide.
    """
    raw = scores(question, a, b)
    matched = bool(raw.max() >= 2.0)
    energy = 0.9 * raw
    if anchor_cosine is not None:
        energy = energy + (4.0 if matched else 14.0) * np.clip(anchor_cosine, 0.0, 1.0)
    elif not matched and raw.max() == 0:
        energy = np.zeros_like(raw)
    weights = np.exp(energy - energy.max())
    weights /= weights.sum()
    return Profile(weights, weights @ _matrix(), property_classes()[int(weights.argmax())].name, matched)


def target_size_m(question: str, a: Source, b: Source) -> tuple[float, bool, str] | None:
    """Usual extent of what the claims are about, metres, whether it is linear, and the source; None if unknown."""
    for text in (a.property, b.property, question, f"{a.value}; {b.value}", f"{a.text} {b.text}"):
        for size in typical_sizes():
            if size.words.search(text):
                return size.size_m, size.linear, size.source
    return None
