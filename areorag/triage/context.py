"""What the embedder adds to a pair: likeness of values and texts, and of the question to each kind of property.

The embedder is optional: without one, the features keep neutral values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .bridges import Pair
from .features import FloatArray, build_pair, featurise
from .source import Source
from .tables import property_classes

if TYPE_CHECKING:
    from ..llm.embed import Embedder
    from ..settings import Settings


@dataclass
class Embedded:
    """An embedder with the anchors of the property classes, (classes, dim)."""

    embedder: Embedder
    anchors: FloatArray

    @classmethod
    def of(cls, settings: Settings | None, embedder: Embedder | None = None) -> Embedded | None:
        """With the given embedder or that of `settings`; None when there is neither."""
        if embedder is None:
            if settings is None:
                return None
            from ..llm.embed import get_embedder

            embedder = get_embedder(settings)
        anchors = np.asarray(embedder.embed([c.anchor for c in property_classes()]), dtype=np.float64)
        return cls(embedder, anchors)

    @property
    def name(self) -> str:
        """Model name, for traces."""
        return self.embedder.name

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, dim)."""
        return np.asarray(self.embedder.embed(list(texts)), dtype=np.float64)


@dataclass(frozen=True)
class Likeness:
    """Cosines of a pair's texts; ``base`` are those of question and each claim, the C_base of Eq. 20."""

    anchor: FloatArray | None
    cosines: dict[str, float] | None
    base: tuple[float, float] | None


NEUTRAL = Likeness(None, None, None)


def pair_texts(question: str, a: Source, b: Source) -> list[str]:
    """The texts embedded for a pair, in the order `likeness` reads them."""
    claim_a = f"{a.subject}: {a.property} {a.value}. {a.text}"
    claim_b = f"{b.subject}: {b.property} {b.value}. {b.text}"
    return [
        question or a.property,
        a.property,
        a.value or "-",
        b.value or "-",
        a.text or "-",
        b.text or "-",
        claim_a,
        claim_b,
    ]


def likeness(vectors: FloatArray, anchors: FloatArray) -> Likeness:
    """Cosines from the (8, dim) vectors of `pair_texts`."""
    question, prop, va, vb, ta, tb, ca, cb = vectors
    anchor = 0.5 * (anchors @ question + anchors @ prop)
    return Likeness(
        anchor, {"value": float(va @ vb), "text": float(ta @ tb)}, (float(question @ ca), float(question @ cb))
    )


def embed_pair(question: str, a: Source, b: Source, embedded: Embedded | None) -> Likeness:
    """Cosines of one pair, neutral without an embedder."""
    if embedded is None:
        return NEUTRAL
    return likeness(embedded.vectors(pair_texts(question, a, b)), embedded.anchors)


def make_pair(question: str, a: Source, b: Source, like: Likeness) -> Pair:
    """The `Pair` with its cosines."""
    return build_pair(question, a, b, like.anchor, like.cosines)


def featurise_pairs(pairs: Sequence[dict[str, Any]], embedded: Embedded | None) -> FloatArray:
    """Vectors (n, features) of pairs in the evaluation's JSON shape; texts are embedded in one go."""
    sources = [(str(p["question"]), Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"])) for p in pairs]
    if embedded is None:
        return np.array([featurise(make_pair(*s, NEUTRAL)).z for s in sources])
    texts = [t for s in sources for t in pair_texts(*s)]
    vectors = embedded.vectors(texts).reshape(len(sources), 8, -1)
    return np.array(
        [featurise(make_pair(*s, likeness(v, embedded.anchors))).z for s, v in zip(sources, vectors, strict=True)]
    )
