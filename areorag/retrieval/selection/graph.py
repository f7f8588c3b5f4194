"""The graph selector: expansion over the hypergraph, then coverage of every hop's demand (GeoRAG §2, PRoH §retrieval).

A multi-hop question does not name the subject of its last hop; a passage met on the way does. Each round takes the
best items as seeds and passes part of their score on to what they are related to (they name its subject, it names
theirs, both bind a rare entity), the more the target answers what the question asks beyond its names and what the
seed leaves open. Each seed's branch is one demand: its second-best item counts less than its best, and so on, so that
room is left for the other branches. Few parameters, none fitted to questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .bm25 import BM25
from .hypergraph import Hypergraph


class HopIndex(Protocol):
    """What expansion needs of a corpus (see `retrieval.passages.PassageIndex`)."""

    vectors: np.ndarray
    bm25: BM25
    graph: Hypergraph

    def named(self, question: str) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """How surely the question names each item's subject (n,) in [0, 1], and where in the folded question."""


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """Weights of the expansion. A change of any by a third moves all-gold@5 by a few points only (docs/selection.md).

    rounds, seeds : rounds of expansion, seeds in each
    named, lexical, rest : of the question naming the subject, BM25 (scaled to its best), and the cosine with the
        question without its names, each beside the cosine with the question
    names, named_by, shares : of the three relations
    floor, fresh, answers : a related item counts floor + fresh × (share of the question's rare words it adds to the
        seed) + answers × (cosine with the question without its names)
    decay : of each further item of one branch
    """

    rounds: int = 2
    seeds: int = 5
    named: float = 0.9
    lexical: float = 0.1
    rest: float = 0.2
    names: float = 0.45
    named_by: float = 0.05
    shares: float = 0.4
    floor: float = 1.2
    fresh: float = 1.2
    answers: float = 0.5
    decay: float = 0.7


@dataclass(slots=True)
class Chain:
    """Scores after expansion.

    base : (n,) first-round score; score : (n,) with the best branch's gain; origin : (n,) the seed that gave it, −1
    for none; branches : seed → (targets, gains before decay)
    """

    base: np.ndarray
    score: np.ndarray
    origin: np.ndarray
    named: np.ndarray
    branches: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)


def first_round(
    index: HopIndex, question: str, vector: np.ndarray, rest: np.ndarray | None, options: ChainOptions
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First-round scores (n,), cosines with the question beyond its names (n,), and how surely each is named (n,)."""
    cosine = index.vectors @ vector
    answers = index.vectors @ rest if rest is not None else cosine
    lexical = index.bm25.scores(question)
    named, _ = index.named(question)
    base = cosine + options.lexical * lexical / max(float(lexical.max(initial=0.0)), 1e-9)
    return base + options.named * named + options.rest * answers, answers, named


def expand(
    index: HopIndex,
    question: str,
    vector: np.ndarray,
    rest: np.ndarray | None = None,
    options: ChainOptions | None = None,
) -> Chain:
    """Rounds of expansion from the best items.

    Parameters
    ----------
    vector : (d,) unit, the question; rest : (d,) unit, the question without the names it holds, or None
    """
    o = options or ChainOptions()
    base, answers, named = first_round(index, question, vector, rest, o)
    columns = index.bm25.terms(question)
    rarity = index.bm25.idf[columns]
    rarity = rarity / max(float(rarity.sum()), 1e-9)
    holds = index.bm25.holds(columns)
    related: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    chain = Chain(base, base.copy(), np.full(base.size, -1), named)
    for _ in range(o.rounds if base.size else 0):
        seeds = np.argsort(-chain.score, kind="stable")[: o.seeds]
        top = max(float(chain.score[seeds[0]]), 1e-9)
        gain_of, origin = np.zeros(base.size), np.full(base.size, -1)
        branches: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for seed in seeds.tolist():
            if seed not in related:
                targets, strength = index.graph.relations(seed)
                tie = strength @ np.array([o.names, o.named_by, o.shares])
                fresh = (holds[targets] & ~holds[seed]) @ rarity
                related[seed] = targets, tie * np.maximum(o.floor + o.fresh * fresh + o.answers * answers[targets], 0)
            targets, reach = related[seed]
            if not targets.size:
                continue
            gain = reach * max(float(chain.score[seed]), 0.0) / top
            branches[seed] = targets, gain
            rank = np.empty(targets.size)
            rank[np.argsort(-(gain + 1e-3 * base[targets]), kind="stable")] = np.arange(targets.size)
            decayed = gain * o.decay**rank
            better = decayed > gain_of[targets]
            origin[targets[better]] = seed
            gain_of[targets] = np.maximum(gain_of[targets], decayed)
        chain = Chain(base, base + gain_of, origin, named, branches)
    return chain


def cover_hops(chain: Chain, k: int, same: Sequence[int] | None = None) -> list[int]:
    """The k best after expansion, best first; of items with the same text only the best is taken while others last.

    The branches' falling gains (`ChainOptions.decay`) are what leaves room for every hop. Taking the decay over the
    items actually kept, instead of over each branch's own ranking, was measured and is worse (ADR 0062).

    Parameters
    ----------
    same : (n,) a group number for each item, equal for equal texts
    """
    ranked = [int(i) for i in np.argsort(-chain.score, kind="stable")[: max(4 * k, k + 32)]]
    if same is not None:
        seen: set[int] = set()
        first = [i for i in ranked if not (same[i] in seen or seen.add(same[i]))]  # type: ignore[func-returns-value]
        ranked = first + [i for i in ranked if i not in set(first)]
    return ranked[:k]
