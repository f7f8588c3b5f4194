"""BM25 over numpy/scipy arrays: lexical candidates for the pool (GeoRAG §2.B stage 1).

One small class for words and for character n-grams alike: what a *term* is, the caller says. For a corpus in Neo4j
the database's full-text index gives the same ranking; this one serves lists, passages and evaluation files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .tokens import QUESTION_WORDS, stems

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

Analyzer = Callable[[str], Sequence[str]]


def word_terms(text: str) -> list[str]:
    """Stems of the content words of `text`."""
    return stems(text, stop=QUESTION_WORDS)


class BM25:
    """Okapi BM25 with non-negative inverse document frequencies.

    score(q, d) = Σ_{t ∈ q} idf(t) · f(t, d) (k₁ + 1) / (f(t, d) + k₁ (1 − b + b |d| / mean |d|)),
    idf(t) = ln(1 + (N − n(t) + ½) / (n(t) + ½)).

    Parameters
    ----------
    texts : the documents, (n,)
    analyzer : text → terms; the same for documents and questions
    """

    def __init__(
        self, texts: Sequence[str], *, analyzer: Analyzer = word_terms, k1: float = 1.2, b: float = 0.75
    ) -> None:
        from scipy.sparse import csc_matrix

        self.analyzer = analyzer
        counts = [Counter(analyzer(t)) for t in texts]
        df: Counter[str] = Counter()
        for c in counts:
            df.update(c.keys())
        self.vocabulary: dict[str, int] = {t: j for j, t in enumerate(sorted(df))}
        n = len(counts)
        n_t = np.array([df[t] for t in self.vocabulary], float)
        self.idf = np.log(1.0 + (n - n_t + 0.5) / (n_t + 0.5))
        size = np.array([sum(c.values()) for c in counts], float)
        norm = k1 * (1.0 - b + b * size / max(float(size.mean()) if n else 1.0, 1e-9))
        nnz = sum(len(c) for c in counts)
        rows, cols, data = np.empty(nnz, np.int32), np.empty(nnz, np.int32), np.empty(nnz)
        at = 0
        for i, c in enumerate(counts):
            for t, f in c.items():
                rows[at], cols[at], data[at] = i, self.vocabulary[t], f * (k1 + 1.0) / (f + norm[i])
                at += 1
        data *= self.idf[cols]
        self.matrix: csc_matrix = csc_matrix((data, (rows, cols)), shape=(n, len(self.vocabulary)))

    def terms(self, question: str) -> np.ndarray:
        """Columns of the terms of `question` that the documents know, sorted, without repeats → int (t,)."""
        known = {self.vocabulary[t] for t in self.analyzer(question) if t in self.vocabulary}
        return np.array(sorted(known), dtype=np.int64)

    def scores(self, question: str) -> np.ndarray:
        """BM25 of every document for `question` → float64 (n,); all 0 where no term is known."""
        m = self.matrix
        out = np.zeros(m.shape[0])
        for j in self.terms(question):
            lo, hi = m.indptr[j], m.indptr[j + 1]
            out[m.indices[lo:hi]] += m.data[lo:hi]
        return out

    def holds(self, columns: np.ndarray) -> np.ndarray:
        """Whether each document holds each of the terms `columns` → bool (n, t)."""
        m = self.matrix
        out = np.zeros((m.shape[0], len(columns)), dtype=bool)
        for at, j in enumerate(columns):
            out[m.indices[m.indptr[j] : m.indptr[j + 1]], at] = True
        return out
