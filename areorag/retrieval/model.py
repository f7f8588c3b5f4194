"""What retrieval gives back: ranked evidence, and everything that led to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..graph.model import Observation
from .intent.model import SpatialIntent
from .intent.resolve import QueryRegion


@dataclass(frozen=True)
class Evidence:
    """One piece of ranked evidence. `scores` holds every part of the score, `path` how the graph leads to it."""

    id: str
    score: float
    scores: dict[str, float]
    text: str
    observation: Observation
    path: tuple[str, ...] = ()

    def model_dump(self, mode: str = "json") -> dict[str, Any]:
        """JSON-able record."""
        return {
            "id": self.id,
            "score": self.score,
            "scores": self.scores,
            "text": self.text,
            "observation": self.observation.model_dump(mode=mode),
            "path": list(self.path),
        }


@dataclass(frozen=True)
class Nearest:
    """A record near what was asked, where nothing meets all constraints."""

    id: str
    distance_m: float | None
    misses: tuple[str, ...]


@dataclass
class Retrieval:
    """Evidence with everything that led to it.

    Attributes
    ----------
    intent : what was understood
    evidence : best first
    counts : (what was left, how many), in order
    lambdas : the weights used
    seconds : per stage
    trace : region, expansion, thresholds, OEM region vector, selector …
    explanation : per candidate ``{id, fate, why, scores}`` (with ``explain=True``)
    message : what to say when nothing was found
    nearest, relax : what comes nearest, and what dropping one constraint would give
    facts : text hyperedges the expansion reached, (id, plausibility, path)
    coverage : share of the question's demand that is covered, where the selector says
    ids : what was chosen, before the records were fetched
    """

    intent: SpatialIntent
    evidence: list[Evidence] = field(default_factory=list)
    counts: list[tuple[str, int]] = field(default_factory=list)
    lambdas: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    trace: dict[str, Any] = field(default_factory=dict)
    explanation: list[dict[str, Any]] = field(default_factory=list)
    message: str = ""
    nearest: list[Nearest] = field(default_factory=list)
    relax: list[str] = field(default_factory=list)
    facts: list[tuple[str, float, tuple[str, ...]]] = field(default_factory=list)
    coverage: float | None = None
    selector: str = ""
    region: QueryRegion | None = None
    ids: list[str] = field(default_factory=list)
