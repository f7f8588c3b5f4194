"""Small-to-big retrieval from running text: rank sentences, return passages that cover the most demand (GeoRAG, PRoH).

A sentence is the unit that is ranked (a fact hyperedge); a passage of at most 120 words is what is returned. Text from
PDF is messy: words are glued (*forthemanagement*), hyphens broken. Character n-grams over letters and digits alone do
not see it, so lexical search stays exact where a word index fails. The passages are taken greedily by the demand they
newly cover, a weighted maximum-coverage problem with the (1 − 1/e) guarantee of `objective`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ...errors import SelectionError
from .bm25 import BM25, word_terms
from .tokens import grams, letters

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_BREAK = re.compile(
    r"(?<=[a-z)\]%0-9][.!?])[0-9,–-]*\s+(?=[A-Z•(])"  # an ordinary end, perhaps with reference numbers
    r"|(?<=[a-z)][.!?])[0-9,–-]*(?=[A-Z][a-z])"  # the same, glued to the next sentence
    r"|(?<=[a-z)][.!?])[0-9,–-]+\s*(?=[A-Z])"
    r"|\s+(?=•)|\n\s*\n"
)
_SHORTEST = 15  # characters: less is an abbreviation or a number, not a sentence
_WORDS_IN_PIECE = 100  # a "sentence" longer than this (a table, a list of authors) is cut into pieces


class Embeds(Protocol):
    """The part of an embedder that is used here."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Texts → (n, d) unit vectors."""


class Unit(NamedTuple):
    """A sentence: document number and character offsets in it."""

    document: int
    start: int
    end: int


class Found(NamedTuple):
    """A passage returned: where it stands, its words as they stand there, and the demand it newly covered."""

    document: int
    start: int
    end: int
    text: str
    gain: float


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """Parameters of sentence ranking; none is fitted to questions.

    words : most words of a returned passage
    lexical, context : of BM25 (scaled to its best) of a sentence, and of its best neighbour, beside the cosine
    neighbour : share of the gap to a better neighbour that a sentence makes up
    kinship, kin_full : a sentence that shares text with the best one makes up `kinship` of the gap to it, in full from
        cosine `kin_full` in n-gram space (edge weight of the expansion)
    temperature : of the demand over sentences, exp(score / temperature)
    grams : search by character n-grams; else by words (ablation)
    grow : return passages grown around what is relevant; else fixed ones (ablation)
    """

    words: int = 120
    lexical: float = 0.5
    context: float = 0.2
    neighbour: float = 0.3
    kinship: float = 0.7
    kin_full: float = 0.4
    temperature: float = 0.05
    grams: bool = True
    grow: bool = True


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Sentences of `text` as [start, end) offsets that together are the whole text; tolerant of PDF debris.

    Pieces of more than `_WORDS_IN_PIECE` words are cut at spaces.
    """
    ends = [m.end() for m in _BREAK.finditer(text)] + [len(text)]
    out: list[tuple[int, int]] = []
    start = 0
    for end in ends:
        if end - start < _SHORTEST and end != len(text):
            continue
        if text[start:end].strip():
            out.extend(_pieces(text, start, end))
        start = end
    return out


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    places = [m.start() + start for m in re.finditer(r"\S+", text[start:end])]
    cuts = [start, *places[_WORDS_IN_PIECE::_WORDS_IN_PIECE], end]
    return list(pairwise(cuts))


@lru_cache(maxsize=200_000)
def _word_count(piece: str) -> int:
    return len(piece.split())


class SentenceIndex:
    """Documents cut into sentences, with vectors, n-gram BM25, and the passages that can be returned.

    vectors : (n, d) unit rows, one a sentence. Repeated sentences (a recommendation printed three times) form one group
    and are one demand.
    """

    def __init__(self, documents: Sequence[str], embedder: Embeds, *, options: SentenceOptions | None = None) -> None:
        self.options = options or SentenceOptions()
        self.documents = list(documents)
        self.embedder = embedder
        self.units = [Unit(d, a, b) for d, t in enumerate(self.documents) for a, b in split_sentences(t)]
        if not self.units:
            raise SelectionError("the documents hold no sentence")
        texts = [self.documents[u.document][u.start : u.end].strip() for u in self.units]
        self.vectors = np.asarray(embedder.embed(texts), np.float32)
        self.lexicon = BM25(texts, analyzer=grams if self.options.grams else word_terms, b=0.6)
        groups: dict[str, int] = {}
        self.group = np.array([groups.setdefault(letters(t) or f"#{i}", len(groups)) for i, t in enumerate(texts)])
        self.n_groups = len(groups)
        self.document = np.array([u.document for u in self.units])
        self.windows = self._windows()
        self._kin: csr_matrix | None = None
        self._holds = self._window_matrix()

    @classmethod
    def build(
        cls, corpus: Sequence[Mapping[str, Any]], embedder: Embeds, *, options: SentenceOptions | None = None
    ) -> SentenceIndex:
        """From ``{id, title, text}`` records."""
        return cls([str(c.get("text") or "") for c in corpus], embedder, options=options)

    def _windows(self) -> list[tuple[int, int]]:
        """Runs of sentences [i, j) of one document with at most `words` words, each as long as it can be.

        One begins at every sentence; with `grow` off, one begins where the last ended.
        """
        out: list[tuple[int, int]] = []
        i = 0
        while i < len(self.units):
            j = i + 1
            while (
                j < len(self.units)
                and self.units[j].document == self.units[i].document
                and self._words(i, j + 1) <= self.options.words
            ):
                j += 1
            out.append((i, j))
            i = i + 1 if self.options.grow else j
        return out

    def _words(self, i: int, j: int) -> int:
        text = self.documents[self.units[i].document]
        return _word_count(text[self.units[i].start : self.units[j - 1].end])

    def _window_matrix(self) -> csr_matrix:
        """Which groups each window holds (windows × groups, 0/1)."""
        from scipy.sparse import csr_matrix

        held = [np.unique(self.group[i:j]) for i, j in self.windows]
        indptr = np.concatenate([[0], np.cumsum([len(h) for h in held])])
        indices = np.concatenate(held)
        return csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(held), self.n_groups))

    def kin(self, unit: int) -> np.ndarray:
        """Cosine in n-gram space of every sentence with one (n,): how much text they share."""
        if self._kin is None:
            from scipy.sparse import csr_matrix, diags

            rows = csr_matrix(self.lexicon.matrix)
            norm = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
            self._kin = csr_matrix(diags(1.0 / np.maximum(norm, 1e-12)) @ rows)
        return np.asarray((self._kin @ self._kin[unit].T).todense()).ravel()

    def _best_neighbour(self, x: np.ndarray, fall: float) -> np.ndarray:
        """Largest value within two sentences in the same document, less `fall` a step; −inf where there is none."""
        best = np.full(x.size, -np.inf)
        for step in (-2, -1, 1, 2):
            there = np.roll(x, step) - fall * abs(step)
            same = np.roll(self.document, step) == self.document
            edge = slice(0, step) if step > 0 else slice(step, None)
            same[edge] = False
            best = np.where(same, np.maximum(best, there), best)
        return best

    def scores(self, question: str, vector: np.ndarray | None = None) -> np.ndarray:
        """Relevance of every sentence (n,): cosine, lexical match, its neighbours' help, kinship with the best."""
        o = self.options
        vector = self.embedder.embed([question])[0] if vector is None else vector
        lexical = self.lexicon.scores(question)
        lexical = lexical / max(float(lexical.max()), 1e-9)
        near = np.maximum(self._best_neighbour(lexical, 0.0), 0.0)
        x = self.vectors @ vector + o.lexical * lexical + o.context * near
        x = x + o.neighbour * np.maximum(self._best_neighbour(x, 0.1) - x, 0.0)
        if o.kinship:
            best = int(np.argmax(x))
            x = x + o.kinship * np.minimum(self.kin(best) / o.kin_full, 1.0) * (x[best] - x)
        return np.asarray(x)

    def search(self, question: str, k: int = 20, vector: np.ndarray | None = None) -> list[Found]:
        """k passages, greedily, each with the most demand not yet covered.

        Parameters
        ----------
        vector : (d,) unit, the question's, where it is known

        Raises
        ------
        SelectionError
            k < 1.
        """
        if k < 1:
            raise SelectionError(f"k is {k}; it must be at least 1")
        scores = self.scores(question, vector)
        group = np.full(self.n_groups, -np.inf)
        np.maximum.at(group, self.group, scores)
        demand = np.exp((group - group.max()) / self.options.temperature)
        out: list[Found] = []
        taken: set[int] = set()
        while len(out) < min(k, len(self.windows)):
            gain = self._holds @ demand
            if taken:
                gain[list(taken)] = -1.0
            w = int(np.argmax(gain))
            taken.add(w)
            out.append(self._found(w, float(gain[w])))
            demand[self._holds.indices[self._holds.indptr[w] : self._holds.indptr[w + 1]]] = 0.0
        return out

    def _found(self, window: int, gain: float) -> Found:
        i, j = self.windows[window]
        d, start, end = self.units[i].document, self.units[i].start, self.units[j - 1].end
        return Found(d, start, end, self.documents[d][start:end].strip(), gain)
