"""Graph anchoring: the entities a question names and the hyperedges it is about (PRoH, step 2).

Names are looked up by their folded form under every label (the ids of shared nodes), longest first; what stays unnamed
is looked up in the full-text index with room for a typing error. Target hyperedges come from words and meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.ids import ENTITY_LABELS, entity_id, fold
from ...planet.lexicon import get_lexicon
from ..fulltext import any_of
from .hypergraph import STOP, WORD, Node

if TYPE_CHECKING:
    from ...graph.connection import Database
    from ...llm.embed import Embedder

MAX_WORDS = 5
_GENERIC = frozenset(
    {"mars", "rover", "target", "targets", "rock", "rocks", "mineral", "minerals", "element", "elements", "instrument"}
    | {"instruments", "crater", "place", "sample"}
)


@dataclass(frozen=True)
class Anchors:
    """Topic entities with the words that named them, and target hyperedges with their similarity to the question."""

    entities: tuple[tuple[Node, str], ...]
    hyperedges: tuple[tuple[str, float], ...]

    @property
    def ids(self) -> list[str]:
        """Ids of the topic entities, in order of the question."""
        return [n.id for n, _ in self.entities]


def _grams(question: str) -> list[tuple[int, int, str]]:
    words = [(m.start(), m.end()) for m in re.finditer(r"[^\s,;:?!()\"“”]+", question)]
    out = []
    for n in range(MAX_WORDS, 0, -1):
        for i in range(len(words) - n + 1):
            a, b = words[i][0], words[i + n - 1][1]
            text = question[a:b].rstrip(".").removesuffix("'s").removesuffix("’s")
            if n > 1 or (text.casefold() not in STOP and len(text) > 1):
                out.append((a, b, text))
    return out


def _variants(text: str) -> list[str]:
    out = [text]
    term = get_lexicon().get(text)
    if term is not None:
        out.append(term.name)
    low = text.casefold()
    if low.endswith(" crater"):
        out.append(text[:-7])
    if low.endswith("s") and len(low) > 4:
        out.append(text[:-1])
    if low.startswith("the "):
        out.append(text[4:])
    else:
        out.append(f"the {text}")
    return list(dict.fromkeys(out))


def topic_entities(db: Database, question: str, limit: int = 8) -> list[tuple[Node, str]]:
    """Entities the question names, with the words that name them; none overlapping, longest names first."""
    grams = _grams(question)
    wanted: dict[str, list[str]] = {}
    for _, _, text in grams:
        for v in _variants(text):
            if fold(v):
                wanted.setdefault(text, []).extend(entity_id(label, v) for label in ENTITY_LABELS)
    ids = sorted({i for v in wanted.values() for i in v})
    known = {r["id"]: r for r in db.read("reason_entities", ids=ids)} if ids else {}
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Node, str]] = []
    for a, b, text in grams:
        if any(a < d and c < b for c, d in taken):
            continue
        hits = [known[i] for i in wanted.get(text, ()) if i in known]
        if not hits or (text.casefold() in _GENERIC):
            continue
        best = max(hits, key=lambda r: (r["degree"], r["id"]))
        taken.append((a, b))
        found.append((a, Node(best["id"], best["name"], best["label"]), text))
    found += _fuzzy(db, question, taken)
    found.sort(key=lambda x: x[0])
    unique = {n.id: (n, t) for _, n, t in found}
    return list(unique.values())[:limit]


def _fuzzy(db: Database, question: str, taken: list[tuple[int, int]]) -> list[tuple[int, Node, str]]:
    """Capitalised words that named nothing, looked up with one wrong letter allowed."""
    from rapidfuzz import fuzz

    out = []
    for m in re.finditer(r"[A-ZÀ-Þ][\w'’-]{3,}(?:\s[A-ZÀ-Þ][\w'’-]+)*", question):
        if m.start() == 0 or any(m.start() < d and c < m.end() for c, d in taken):
            continue
        query = " AND ".join(f"{w}~1" for w in WORD.findall(m[0]))
        if not query:
            continue
        rows = db.read("reason_entity_words", query=query)
        scored = [(fuzz.ratio(fold(m[0]), fold(r["name"])), r) for r in rows if r["name"]]
        if scored:
            ratio, r = max(scored, key=lambda x: (x[0], x[1]["id"]))
            if ratio >= 80:
                out.append((m.start(), Node(r["id"], r["name"], r["label"]), m[0]))
    return out


def target_hyperedges(
    db: Database, question: str, embedder: Embedder, k: int = 8, pool: int = 24
) -> list[tuple[str, float]]:
    """The k hyperedges most similar to the question: candidates from words and vectors, rescored by their own text."""
    words = (w for w in WORD.findall(question.casefold()) if w not in STOP)
    candidates: dict[str, str] = {r["id"]: r["text"] or "" for r in _by_words(db, {question: words}, pool)}
    vector = embedder.embed([question])[0]
    for r in db.read("reason_target_vectors", n=pool, vector=vector.tolist()):
        candidates.setdefault(r["id"], r["text"] or "")
    if not candidates:
        return []
    ids = sorted(candidates)
    scores = embedder.embed([candidates[i][:600] for i in ids]) @ vector
    order = np.argsort(-scores, kind="stable")[:k]
    return [(ids[i], float(scores[i])) for i in order]


def step_targets(db: Database, words: Mapping[str, Iterable[str]], k: int = 6) -> dict[str, dict[str, float]]:
    """Target hyperedges of sub-questions: the k whose text matches their words best (BM25 over all hyperedges).

    Parameters
    ----------
    words : by sub-question, the words that tell it from the others

    Returns
    -------
    By sub-question, hyperedge → score / best score of that sub-question, in (0, 1].
    """
    out: dict[str, dict[str, float]] = {}
    for r in _by_words(db, {key: sorted(found) for key, found in words.items()}, k):
        out.setdefault(r["key"], {})[r["id"]] = r["score"]
    return {key: {i: s / max(found.values()) for i, s in found.items()} for key, found in out.items()}


def _by_words(db: Database, words: Mapping[str, Iterable[str]], n: int) -> list[dict[str, Any]]:
    """For each key the n hyperedges whose text matches its words best, in one statement."""
    queries = [{"key": key, "query": query} for key, found in words.items() if (query := any_of(found))]
    return db.read("reason_targets", queries=queries, n=n) if queries else []


def anchor(db: Database, question: str, embedder: Embedder, *, targets: bool = True, k: int = 8) -> Anchors:
    """Topic entities and, unless switched off, target hyperedges."""
    found = topic_entities(db, question)
    edges = target_hyperedges(db, question, embedder, k) if targets else []
    return Anchors(tuple(found), tuple(edges))
