"""What goes into a selection and what comes out of it (GeoRAG §2.B, stages 1 and 6).

A selector sees *candidates*: observations, passages, facts, or any ranked list of a user. What it returns says which
demand every kept item covers and which demand stays uncovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...errors import SelectionError

SelectorName = Literal["coverage", "facility", "topk", "mmr", "dpp", "rrf", "rerank", "graph"]
SELECTORS: tuple[SelectorName, ...] = (
    "coverage", "facility", "topk", "mmr", "dpp", "rrf", "rerank", "graph",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """One item that can be kept.

    `score` is the retriever's own (any scale, higher is better) or None; `vector` (d,) saves embedding the text;
    `entities` are names the item binds, where a graph knows them (else they are found in the text).
    """

    id: str
    text: str
    title: str = ""
    score: float | None = None
    vector: np.ndarray | None = None
    entities: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        """Title and text, as they are embedded and searched."""
        return f"{self.title}. {self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Options:
    """Hyper-parameters of selection; defaults are GeoRAG's where it gives them.

    pool : candidates kept from retrieval (K)
    sub_queries, kept_sub_queries : generated n and kept m
    alpha, beta : exponents of w ∝ r^α L^β
    epsilon : ε of W_ε as a share of the median cost
    sharpness : r and L are exp(sharpness · z) of standardised scores, so that any retriever's scale will do
    gate : exponent of the reassignment gate (1 − max cos): 1 as printed, 0 off; measured best well below 1 (ADR 0061)
    transport : whether ΔW_ε is the other factor; without it the demand mass itself (the ablation)
    expand : first-round entities become demand (the second hop); None: for ``coverage`` only
    mmr_lambda : relevance against novelty in MMR
    rrf_k : the constant of reciprocal-rank fusion
    covered_share : a demand counts as covered when a kept item reaches this share of the best item in the pool
    """

    pool: int = 200
    sub_queries: int = 20
    kept_sub_queries: int = 10
    alpha: float = 1.0
    beta: float = 1.0
    epsilon: float = 0.05
    sharpness: float = 1.5
    gate: float = 0.25
    transport: bool = True
    expand: bool | None = None
    mmr_lambda: float = 0.7
    rrf_k: int = 60
    covered_share: float = 0.9

    def __post_init__(self) -> None:
        positive = ("pool", "sub_queries", "kept_sub_queries", "epsilon", "sharpness", "rrf_k")
        for name in positive:
            if not getattr(self, name) > 0:
                raise SelectionError(f"option {name} is {getattr(self, name)}; it must be positive")
        for name in ("alpha", "beta", "gate"):
            if not getattr(self, name) >= 0:
                raise SelectionError(f"option {name} is {getattr(self, name)}; it must not be negative")
        for name in ("mmr_lambda", "covered_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise SelectionError(f"option {name} is {getattr(self, name)}; it must lie in [0, 1]")


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing the question asks for: a sub-query, or an entity met in the first round."""

    text: str
    kind: str
    weight: float
    best_possible: float
    reached: float
    covered_by: str | None

    @property
    def covered(self) -> bool:
        """Whether a kept item serves it."""
        return self.covered_by is not None


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept item: its rank's gain under the selector's own objective, and the demands it covers."""

    id: str
    index: int
    text: str
    score: float
    gain: float
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """What was kept, in order, and the coverage report."""

    selector: str
    kept: tuple[Kept, ...]
    demands: tuple[Demand, ...] = ()
    notes: tuple[str, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """Ids of the kept items, best first."""
        return [item.id for item in self.kept]

    @property
    def uncovered(self) -> tuple[Demand, ...]:
        """Demands that no kept item serves."""
        return tuple(d for d in self.demands if not d.covered)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def report(self) -> str:
        """The coverage report in plain words, one line an item and one a gap."""
        lines = []
        for rank, item in enumerate(self.kept, 1):
            what = "; ".join(item.covers) or "no demand of its own"
            lines.append(f"{rank}. {item.id} covers: {what}")
        for d in self.uncovered:
            why = "nothing in the pool speaks of it" if d.best_possible < 0.25 else "left out for lack of room"
            lines.append(f"uncovered: {d.text} ({why})")
        lines.extend(f"note: {n}" for n in self.notes)
        return "\n".join(lines)


def as_candidates(items: Sequence[Any]) -> tuple[list[Candidate], list[str]]:
    """Candidates from what a user has: Candidate, str, (id, text[, score]), mapping, or an object with id and text.

    Items with an id seen before are dropped (the first, best-ranked one stays), and a note says how many.

    Raises
    ------
    SelectionError
        An item has neither of these forms, or its score is not a finite number.
    """
    out: dict[str, Candidate] = {}
    repeated = 0
    for at, item in enumerate(items):
        c = _candidate(item, at)
        if c.score is not None and not np.isfinite(c.score):
            raise SelectionError(f"candidate {c.id!r}: the score {c.score} is not a finite number")
        if c.id in out:
            repeated += 1
        else:
            out[c.id] = c
    notes = [f"{repeated} candidates had an id already seen and were left out"] if repeated else []
    return list(out.values()), notes


def _candidate(item: Any, at: int) -> Candidate:
    if isinstance(item, Candidate):
        return item
    if isinstance(item, str):
        return Candidate(str(at), item)
    if isinstance(item, Mapping):
        get = item.get
    elif isinstance(item, tuple | list) and 2 <= len(item) <= 3:
        get = dict(zip(("id", "text", "score"), item, strict=False)).get
    elif hasattr(item, "id") and hasattr(item, "text"):
        return _build(lambda name, default=None: getattr(item, name, default), at)
    else:
        raise SelectionError(
            f"candidate {at} is a {type(item).__name__}; give text, (id, text), or an object with both"
        )
    return _build(get, at)


def _build(get: Any, at: int) -> Candidate:
    text = get("text") or get("quote") or ""
    score, vector = get("score"), get("vector")
    names = get("entities") or ()
    return Candidate(
        id=str(get("id") if get("id") is not None else at),
        text=str(text),
        title=str(get("title") or ""),
        score=None if score is None else float(score),
        vector=None if vector is None else np.asarray(vector, float),
        entities=tuple(n if isinstance(n, str) else str(n[-1]) for n in names),
    )
