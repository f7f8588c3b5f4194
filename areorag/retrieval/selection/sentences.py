"""Small-to-big retrieval from running text: rank sentences, return passages that cover the most demand (GeoRAG, PRoH).

A sentence is the unit that is ranked (a fact hyperedge); a passage of at most 120 words is what is returned. Text from
PDF is messy: words are glued (*forthemanagement*), hyphens broken. Character n-grams over letters and digits alone do
not see it, so lexical search stays exact where a word index fails; what is embedded and searched by words is mended first
(`sentences_glue`). Every sentence is read twice: as it is written, and with the short forms that the text itself
introduces spelled out. From the best sentences relevance spreads to those that share rare phrases with them: the next
hop, which the question does not name. The passages are taken greedily by the demand they newly cover, a weighted
maximum-coverage problem with the (1 − 1/e) guarantee of `objective`.
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
from .sentences_glue import Glue
from .sentences_overlap import Overlap
from .sentences_short_forms import ShortForms
from .subqueries import own_parts
from .tokens import grams, letters

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

_BREAK = re.compile(
    r"(?<=[a-z)\]%0-9][.!?])[0-9,–-]*\s+(?=[A-Z•(])"  # an ordinary end, perhaps with reference numbers
    r"|(?<=[a-z)][.!?])[0-9,–-]*(?=[A-Z][a-z])"  # the same, glued to the next sentence
    r"|(?<=[a-z)][.!?])[0-9,–-]+\s*(?=[A-Z])"
    r"|\s+(?=•)|\n\s*\n"
)
_NO_END = re.compile(
    r"(?:\bet ?al|\bvs|\be\.g|\bi\.e|\bFig|\bNo|\bcf|\bDr|\bSt)\.[0-9,–-]*\s*$"
)  # a stop that ends no sentence
_NUMBER = re.compile(
    r"(?:\S*\d\S*|\S*[.!?])\s+(\d{1,4}\.\s*)$"
)  # of the next item of a list: "…ibz133 1010. DiMatteo MR."
_CONTENTS = "...."  # the leader of a line in a table of contents
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


class Asked(NamedTuple):
    """A question ready to search with: its text and unit vector (d,) in each reading of the index."""

    texts: tuple[str, ...]
    vectors: tuple[np.ndarray, ...]


class Found(NamedTuple):
    """A passage returned: where it stands, its words as they stand there, and the demand it newly covered."""

    document: int
    start: int
    end: int
    text: str
    gain: float


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """Parameters of sentence ranking, set by hand on a plateau.

    words : most words of a returned passage
    lexical : of BM25 (scaled to its best) of a sentence beside the cosine
    by_words : of BM25 over words beside BM25 over n-grams
    neighbour : share of the gap to a better neighbour that a sentence makes up
    kinship, kin_full : a sentence that shares text with a start makes up `kinship` of the gap to the best one, in full
        from cosine `kin_full` in n-gram space (edge weight of the expansion)
    overlap, overlap_from : one that shares rare phrases with a start makes up `overlap` of the gap, in full at EWO 1,
        nothing up to EWO `overlap_from`
    trajectories : the best sentences from which the expansion starts, each with its share of demand
    parts : weight of the plan: BM25 of each part of the question on its own, scaled to its best, by the part's idf
    contents : factor on the demand for lines of a table of contents, which name what they do not say
    temperature : of the demand over sentences, exp(score / temperature)
    start_temperature : of the shares of the trajectories
    grams : search by character n-grams; else by words (ablation)
    short_forms : read every sentence also with short forms spelled out (ablation)
    grow : return passages grown around what is relevant; else fixed ones (ablation)
    """

    words: int = 120
    lexical: float = 0.7
    by_words: float = 0.4
    neighbour: float = 0.3
    kinship: float = 0.8
    kin_full: float = 0.4
    overlap: float = 0.7
    overlap_from: float = 0.3
    trajectories: int = 3
    parts: float = 0.1
    contents: float = 0.25
    temperature: float = 0.04
    start_temperature: float = 0.05
    grams: bool = True
    short_forms: bool = True
    grow: bool = True


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Sentences of `text` as [start, end) offsets that together are the whole text; tolerant of PDF debris.

    The number of a list's item begins its sentence. Pieces of more than `_WORDS_IN_PIECE` words are cut at spaces.
    """
    ends = [m.end() for m in _BREAK.finditer(text) if not _NO_END.search(text, max(0, m.end() - 14), m.end())]
    numbers = [_NUMBER.search(text, max(0, end - 60), end) for end in ends]
    ends = [number.start(1) if number else end for number, end in zip(numbers, ends, strict=True)] + [len(text)]
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


@dataclass(frozen=True)
class Reading:
    """All sentences in one way of writing: unit vectors (n, d), BM25 over n-grams and over words, and the rows of the
    former scaled to unit length (n, terms).
    """

    vectors: np.ndarray
    lexicon: BM25
    by_words: BM25
    rows: csr_matrix
    columns: csc_matrix

    @classmethod
    def of(cls, texts: Sequence[str], vectors: np.ndarray, by_grams: bool) -> Reading:
        """The reading of sentences whose vectors are known."""
        from scipy.sparse import csr_matrix, diags

        lexicon = BM25(texts, analyzer=grams if by_grams else word_terms, b=0.6)
        rows = csr_matrix(lexicon.matrix)
        norm = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows = csr_matrix(diags(1.0 / np.maximum(norm, 1e-12)) @ rows)
        by_words = BM25(texts, b=0.6) if by_grams else lexicon
        return cls(np.asarray(vectors, np.float32), lexicon, by_words, rows, rows.tocsc())

    def lexical(self, text: str, by_words: float) -> np.ndarray:
        """BM25 of every sentence for `text`, over n-grams and with weight `by_words` over words, each best being 1."""
        grams = _scaled(self.lexicon.scores(text))
        if self.by_words is self.lexicon or not by_words:
            return grams
        return grams + by_words * _scaled(self.by_words.scores(text))

    def kin(self, unit: int) -> np.ndarray:
        """Cosine of every sentence with one (n,), from the columns of its terms alone."""
        lo, hi = self.rows.indptr[unit], self.rows.indptr[unit + 1]
        return np.asarray(self.columns[:, self.rows.indices[lo:hi]] @ self.rows.data[lo:hi])


class SentenceIndex:
    """Documents cut into sentences, with vectors, n-gram BM25, and the passages that can be returned.

    vectors : (documents, d) unit vectors that the sentences of each document share; else every sentence is embedded
    readings : the sentences as written and, where the documents introduce short forms, with these spelled out.
    Repeated sentences (a recommendation printed three times) form one group and are one demand.
    """

    def __init__(
        self,
        documents: Sequence[str],
        embedder: Embeds,
        *,
        options: SentenceOptions | None = None,
        vectors: np.ndarray | None = None,
    ) -> None:
        self.options = options or SentenceOptions()
        self.documents = list(documents)
        self.embedder = embedder
        self.units = [Unit(d, a, b) for d, t in enumerate(self.documents) for a, b in split_sentences(t)]
        if not self.units:
            raise SelectionError("the documents hold no sentence")
        texts = [self.documents[u.document][u.start : u.end].strip() for u in self.units]
        self.short_forms = ShortForms.find(self.documents) if self.options.short_forms else ShortForms({})
        glue = Glue.find(self.documents)
        mended = [glue.mend(t) for t in texts]
        spelled = [self.short_forms.spell_out(t) for t in mended]
        self.readings = self._read(mended, spelled, vectors)
        groups: dict[str, int] = {}
        self.group = np.array([groups.setdefault(letters(t) or f"#{i}", len(groups)) for i, t in enumerate(texts)])
        self.n_groups = len(groups)
        self.overlap = Overlap([{a, b} for a, b in zip(mended, spelled, strict=True)], self.group)
        self.document = np.array([u.document for u in self.units])
        self.weight = np.where([_CONTENTS in t for t in texts], self.options.contents, 1.0)
        self.windows = self._windows()
        self._holds = self._window_matrix()

    def _read(self, texts: list[str], spelled: list[str], shared: np.ndarray | None) -> tuple[Reading, ...]:
        """The readings; a sentence without a short form keeps its vector."""
        by_document = None if shared is None else np.asarray(shared, np.float32)[[u.document for u in self.units]]
        vectors = np.asarray(self.embedder.embed(texts), np.float32) if by_document is None else by_document
        out = [Reading.of(texts, vectors, self.options.grams)]
        changed = [i for i, (a, b) in enumerate(zip(texts, spelled, strict=True)) if a != b]
        if changed:
            other = vectors.copy()
            if by_document is None:
                other[changed] = self.embedder.embed([spelled[i] for i in changed])
            out.append(Reading.of(spelled, other, self.options.grams))
        return tuple(out)

    @property
    def vectors(self) -> np.ndarray:
        """Unit vectors of the sentences as they are written (n, d)."""
        return self.readings[0].vectors

    @property
    def lexicon(self) -> BM25:
        """BM25 of the sentences as they are written."""
        return self.readings[0].lexicon

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

    def ask(self, questions: Sequence[str]) -> list[Asked]:
        """Questions in the readings of the index, embedded together."""
        texts = [list(questions), [self.short_forms.spell_out(q) for q in questions]][: len(self.readings)]
        unique = list(dict.fromkeys(t for reading in texts for t in reading))
        embedded = np.asarray(self.embedder.embed(unique), np.float32) if unique else ()
        vectors = dict(zip(unique, embedded, strict=True))
        return [Asked(said, tuple(vectors[t] for t in said)) for said in zip(*texts, strict=True)]

    def kin(self, units: Sequence[int]) -> np.ndarray:
        """Cosine in n-gram space of some sentences with every one (units, n): how much text they share."""
        return np.array([np.mean([r.kin(u) for r in self.readings], axis=0) for u in units])

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

    def scores(self, question: str | Asked) -> np.ndarray:
        """Relevance of every sentence (n,), the mean over readings carried along neighbours, shared text and the plan."""
        o = self.options
        asked = self.ask([question])[0] if isinstance(question, str) else question
        pairs = list(zip(self.readings, asked.texts, strict=True))
        cosine = np.mean([r.vectors @ v for r, v in zip(self.readings, asked.vectors, strict=True)], axis=0)
        x = cosine + o.lexical * _scaled(np.mean([_scaled(r.lexical(t, o.by_words)) for r, t in pairs], axis=0))
        x = x + o.neighbour * np.maximum(self._best_neighbour(x, 0.1) - x, 0.0)
        x = self._spread(x)
        return np.asarray(x + o.parts * _planned(pairs) if o.parts else x)

    def _spread(self, x: np.ndarray) -> np.ndarray:
        """Draw sentences up to the best by what they share with the starts: running text, then rare phrases (n,)."""
        o = self.options
        if o.kinship:
            units, share = self._starts(x)
            kin = np.minimum(self.kin(units) / o.kin_full, 1.0)
            x = x + o.kinship * (share[:, None] * kin).max(axis=0) * (x.max() - x)
        if o.overlap:
            units, share = self._starts(x)
            linked = np.array([self.overlap.of(u) for u in units])
            linked = np.clip((linked - o.overlap_from) / (1.0 - o.overlap_from), 0.0, 1.0)
            x = x + o.overlap * (share[:, None] * linked).max(axis=0) * (x.max() - x)
        return x

    def _starts(self, x: np.ndarray) -> tuple[list[int], np.ndarray]:
        """The best different sentences, one a trajectory, and the share of each, 1 for the best."""
        starts: dict[int, int] = {}
        for unit in np.argsort(-x)[: 10 * self.options.trajectories]:
            starts.setdefault(int(self.group[unit]), int(unit))
        units = list(starts.values())[: self.options.trajectories]
        return units, np.exp((x[units] - x.max()) / self.options.start_temperature)

    def search(self, question: str | Asked, k: int = 20) -> list[Found]:
        """k passages, greedily, each with the most demand not yet covered.

        Parameters
        ----------
        question : text, or what `ask` made of it

        Raises
        ------
        SelectionError
            k < 1.
        """
        if k < 1:
            raise SelectionError(f"k is {k}; it must be at least 1")
        scores = self.scores(question)
        demand = np.zeros(self.n_groups)
        np.maximum.at(demand, self.group, self.weight * np.exp((scores - scores.max()) / self.options.temperature))
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


def _scaled(x: np.ndarray) -> np.ndarray:
    return x / max(float(x.max()), 1e-9)


def _planned(pairs: Sequence[tuple[Reading, str]]) -> np.ndarray:
    """The plan: how well each sentence answers the question's parts, each searched on its own (n,), in [0, 1]."""
    rows, weights = [], []
    for reading, text in pairs:
        for part in own_parts(text):
            found = reading.lexicon.scores(part.text)
            if found.max() > 0:
                rows.append(_scaled(found))
                weights.append(float(reading.lexicon.idf[reading.lexicon.terms(part.text)].sum()))
    return np.average(rows, axis=0, weights=weights) if rows else np.zeros(len(pairs[0][0].vectors))
