"""The passage hypergraph and its index: each passage a hyperedge that binds its title and what it mentions.

Text side of HySH construction (AreoRAG §III-B.1) without a language model, and the corpus side of the `graph`
selector (GeoRAG). The hypergraph is `selection.hypergraph.Hypergraph`, the same one that observations use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..errors import SelectionError
from .selection.bm25 import BM25
from .selection.graph import Chain, ChainOptions, cover_hops, expand
from .selection.hypergraph import Hypergraph
from .selection.linking import Linker, base_title, name_stems
from .selection.subqueries import residual
from .selection.tokens import fold, letters, phrases
from .selection.types import Candidate

RARE = 5.0  # summed idf from which a name tells an item apart (a word in about 30 of 5,000 passages)


class Embeds(Protocol):
    """The part of an embedder that is used here."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Texts → (n, d) unit vectors."""


@dataclass
class PassageIndex:
    """A corpus ready for retrieval: vectors, BM25, entity linker and hypergraph over the same passages.

    vectors : (n, d) float32, unit rows.
    """

    items: list[Candidate]
    vectors: np.ndarray
    bm25: BM25
    linker: Linker
    graph: Hypergraph
    embedder: Embeds
    same: list[int]

    @classmethod
    def build(
        cls, passages: Iterable[Mapping[str, Any] | Candidate], embedder: Embeds, *, vectors: np.ndarray | None = None
    ) -> PassageIndex:
        """Index a corpus of ``{id, title, text}``.

        Parameters
        ----------
        vectors : (n, d) unit vectors of the passages where they are known; else they are embedded (title and text)

        Raises
        ------
        SelectionError
            The corpus is empty, or an id is missing or repeated.
        """
        items = [p if isinstance(p, Candidate) else _item(p) for p in passages]
        if not items:
            raise SelectionError("the corpus has no passages")
        if len({c.id for c in items}) != len(items):
            raise SelectionError("the corpus repeats an id; ids must be unique")
        if vectors is None:
            vectors = embedder.embed([c.full_text for c in items])
        if vectors.shape[0] != len(items) or not np.isfinite(vectors).all():
            raise SelectionError(f"{len(items)} passages got vectors of shape {vectors.shape}, or not finite ones")
        bm25 = BM25([f"{c.title} {c.text}" for c in items])

        def rarity(name: str) -> float:
            known = [bm25.vocabulary[s] for s in name_stems(name) if s in bm25.vocabulary]
            return min(1.0, float(bm25.idf[known].sum()) / RARE) if known else 1.0

        linker = Linker([c.title for c in items], [c.text for c in items], rarity=rarity)
        groups: dict[str, int] = {}
        same = [groups.setdefault(letters(c.full_text), len(groups)) for c in items]
        return cls(items, vectors, bm25, linker, passage_hypergraph(items, linker), embedder, same)

    def named(self, question: str) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """How surely `question` names each passage's subject (n,), and where (offsets in the folded question)."""
        strength = np.zeros(len(self.items))
        for link in self.linker.links(question):
            strength[link.target] = max(strength[link.target], link.strength)
        return strength, [(s.start, s.end) for s in self.linker.spans(question)]

    def dense(self, vector: np.ndarray) -> np.ndarray:
        """Cosines with a unit vector (n,)."""
        return np.asarray(self.vectors @ vector)

    def first_round(self, question: str, *, how: str = "hybrid", vector: np.ndarray | None = None) -> np.ndarray:
        """First-round scores (n,): `dense` cosine, `bm25`, or `hybrid` (cosine + 0.3 × BM25 scaled to its best).

        Raises
        ------
        SelectionError
            `how` is none of the three.
        """
        if how not in ("dense", "bm25", "hybrid"):
            raise SelectionError(f"candidates {how!r}: use dense, bm25 or hybrid")
        lexical = self.bm25.scores(question) if how != "dense" else np.zeros(len(self.items))
        if how == "bm25":
            return lexical
        cosine = self.dense(self.embedder.embed([question])[0] if vector is None else vector)
        return np.asarray(cosine + 0.3 * lexical / max(float(lexical.max(initial=0.0)), 1e-9))

    def pool(
        self, question: str, size: int = 200, *, how: str = "hybrid", vector: np.ndarray | None = None
    ) -> list[Candidate]:
        """The `size` best first-round candidates, scored, with their vectors."""
        scores = self.first_round(question, how=how, vector=vector)
        best = np.argsort(-scores, kind="stable")[:size]
        return [self.candidate(int(i), float(scores[i])) for i in best]

    def candidate(self, i: int, score: float) -> Candidate:
        """Passage `i` as a candidate with `score`."""
        c = self.items[i]
        return Candidate(c.id, c.text, c.title, score, self.vectors[i], c.entities)

    def chain(self, question: str, options: ChainOptions | None = None, *, vector: np.ndarray | None = None) -> Chain:
        """Expansion over the hypergraph for `question` (see `selection.graph`); `vector` (d,) is the question's.

        Raises
        ------
        SelectionError
            The question's vector and the passages' have different lengths.
        """
        _, spans = self.named(question)
        rest = residual(question, spans) if spans else ""
        texts = ([question] if vector is None else []) + ([rest] if rest else [])
        made = list(self.embedder.embed(texts)) if texts else []
        asked = made.pop(0) if vector is None else np.asarray(vector, float)
        if any(v.size != self.vectors.shape[1] for v in (asked, *made)):
            raise SelectionError(
                f"the question's vector has {asked.size} numbers, the passages' have {self.vectors.shape[1]}; "
                "use one embedder"
            )
        return expand(self, question, asked, made[0] if made else None, options)

    def search(self, question: str, k: int = 5, options: ChainOptions | None = None) -> list[int]:
        """Positions of the k passages that cover every hop of `question`."""
        return cover_hops(self.chain(question, options), k, self.same)


def _item(p: Mapping[str, Any]) -> Candidate:
    if p.get("id") is None:
        raise SelectionError("a passage of the corpus has no id")
    return Candidate(str(p["id"]), str(p.get("text") or ""), str(p.get("title") or ""))


def passage_hypergraph(items: Sequence[Candidate], linker: Linker) -> Hypergraph:
    """Each passage a hyperedge: about its title entity; mentioning the titles its text names; binding, besides, the
    capitalised phrases of its text and the entities it brings with it."""
    keys = [letters(c.title) or f"#{i}" for i, c in enumerate(items)]
    about: list[dict[str, float]] = []
    mentions: list[dict[str, float]] = []
    also: list[set[str]] = []
    for i, c in enumerate(items):
        about.append({keys[i]: 1.0} if c.title else {})
        row: dict[str, float] = {}
        for span in linker.spans(c.text):
            homonyms = {keys[t]: 0.0 for t, _ in linker.table[span.key]}
            for target, strength in linker.table[span.key]:
                homonyms[keys[target]] = max(homonyms[keys[target]], strength)
            for key, strength in homonyms.items():
                if key != keys[i]:
                    row[key] = max(row.get(key, 0.0), strength / len(homonyms) ** 0.5)
        mentions.append(row)
        names = {p.key for p in phrases(fold(c.text))} | {letters(e) for e in c.entities}
        also.append(names | ({letters(base_title(c.title))} if c.title else set()))
    return Hypergraph(about, mentions, also)
