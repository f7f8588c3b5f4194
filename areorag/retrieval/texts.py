"""Passages of ingested documents that answer a question: found by meaning and by words, ranked by their sentences.

Candidates come from the vector index and from the full-text index; `SentenceIndex` ranks them together, small to big.
Its sentences share the vector of their passage (ADR 70), so nothing but the question is embedded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .fulltext import any_of
from .selection.bm25 import word_terms
from .selection.sentences import SentenceIndex
from .selection.tokens import QUESTION_WORDS

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.embed import Embedder

CANDIDATES = 40  # from each index
CLOSE = 0.45  # cosine from which a passage is about the question whatever its words
NEAR, NAMED = 0.25, 1 / 3  # or this cosine with this share of the question's words, by idf among the candidates


class Text(NamedTuple):
    """A passage: its row (id, text, title, source_file, sha256), its cosine to the question, and its best sentence."""

    row: dict[str, Any]
    cosine: float
    sentence: str


def passages_about(db: Database, question: str, embedder: Embedder, k: int = 3) -> list[Text]:
    """Up to k passages about `question`, best first; none where no document is about it."""
    vector = np.asarray(embedder.embed([question])[0], dtype=np.float64)
    rows = {r["id"]: r for r in db.read("passages_by_meaning", n=CANDIDATES, vector=vector.tolist())}
    query = any_of(w for w in re.findall(r"[^\W_]+", question.casefold()) if w not in QUESTION_WORDS)
    if query:
        found = db.read("passages_by_words", n=CANDIDATES, query=query)
        rows |= {r["id"]: r for r in found if r["id"] not in rows}
    candidates = [rows[i] for i in sorted(rows) if str(rows[i]["text"]).strip()]
    if not candidates:
        return []
    vectors = np.array([r.pop("embedding") for r in candidates], dtype=np.float64)
    texts, cosines = [str(r["text"]) for r in candidates], vectors @ vector
    about = (cosines >= CLOSE) | ((cosines >= NEAR) & (_named(question, texts) >= NAMED))
    if not about.any():
        return []
    index = SentenceIndex(texts, embedder, vectors=vectors)
    scores = index.scores(question)
    out: dict[int, Text] = {}
    for passage in index.search(question, 4 * k):
        d = passage.document
        if about[d] and d not in out and len(out) < k:
            mine = np.flatnonzero(index.document == d)
            best = index.units[mine[np.argmax(scores[mine])]]
            sentence = index.documents[d][best.start : best.end].strip()
            out[d] = Text(candidates[d], float(cosines[d]), sentence)
    return list(out.values())


def _named(question: str, texts: list[str]) -> np.ndarray:
    """Share of the question's content words that each text holds (n,), a word weighing ln(1 + N / its texts)."""
    asked = sorted(set(word_terms(question)))
    held = np.array([[w in terms for w in asked] for terms in (set(word_terms(t)) for t in texts)], float)
    weight = np.log(1.0 + len(texts) / np.maximum(held.sum(axis=0), 0.5)) if asked else np.ones(0)
    return held @ weight / max(float(weight.sum()), 1e-9) if asked else np.zeros(len(texts))
