"""Coupling 3: explainable conflicts raise the prior of where they were found (AreoRAG §III-D, feedback; METHODS §2).

Each explainable conflict adds weight at the position of its two sides, halved every `HALF_LIFE_DAYS`; a record's prior
is 1 − ∏(1 − wᵢ e^{−(arc/σ)²}), bounded by `MAX_BOOST` in the ranking. It only ever adds: nothing is hidden, and a
record without conflicts near keeps its score. `Feedback.table` shows everything; `reset` starts anew; the setting
``feedback = false`` switches it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..graph.connection import Database

FloatArray = npt.NDArray[np.float64]
HALF_LIFE_DAYS = 180.0
MAX_BOOST = 0.05
"""Largest addition to a ranking score (scores lie in 0..1)."""
SIGMA_RAD = 0.003
"""Reach of a conflict: 0.17°, 10 km on Mars."""
WEIGHT = 0.5


@dataclass(frozen=True)
class Spot:
    """One side of a conflict: unit vector on the body, weight in (0, 1)."""

    conflict: str
    category: str
    hyperedge: str
    u: tuple[float, float, float]
    weight: float


@dataclass(frozen=True)
class Feedback:
    """The prior in force; empty where there are no conflicts or it is switched off."""

    spots: tuple[Spot, ...] = ()

    @classmethod
    def load(cls, db: Database, now: datetime | None = None) -> Feedback:
        """Conflicts since the last reset, with their decayed weights."""
        moment = now or datetime.now(UTC)
        state = db.read("retrieval_feedback_state")
        reset = _time(state[0]["reset"]) if state and state[0]["reset"] else None
        spots: list[Spot] = []
        for row in db.read("retrieval_conflicts"):
            created = _time(row["created"]) if row["created"] else moment
            if reset is not None and created <= reset:
                continue
            age_days = max(0.0, (moment - created).total_seconds() / 86400.0)
            weight = WEIGHT * 0.5 ** (age_days / HALF_LIFE_DAYS)
            for side in row["sides"]:
                u = np.asarray(side["direction"][:3], dtype=np.float64)
                norm = float(np.linalg.norm(u))
                if weight > 1e-4 and norm > 0:
                    x, y, z = (u / norm).tolist()
                    spots.append(Spot(row["id"], row["category"], side["id"], (x, y, z), weight))
        return cls(tuple(spots))

    def prior(self, direction: npt.ArrayLike) -> FloatArray:
        """(n,) prior in [0, 1] of records at unit vectors (n, 3); 0 where the place is unknown."""
        u = np.asarray(direction, dtype=np.float64)[:, :3]
        if not self.spots or len(u) == 0:
            return np.zeros(len(u))
        norm = np.linalg.norm(u, axis=1, keepdims=True)
        known = np.isfinite(norm[:, 0]) & (norm[:, 0] > 0)
        v = np.where(known[:, None], u / np.where(norm > 0, norm, 1.0), 0.0)
        at = np.array([s.u for s in self.spots])
        weight = np.array([s.weight for s in self.spots])
        chord2 = np.clip(2.0 - 2.0 * (v @ at.T), 0.0, 4.0)
        pull = weight[None, :] * np.exp(-chord2 / SIGMA_RAD**2)
        prior = 1.0 - np.prod(1.0 - pull, axis=1)
        return np.asarray(np.where(known, prior, 0.0))

    def table(self) -> list[dict[str, Any]]:
        """What acts, for people."""
        return [
            {"conflict": s.conflict, "category": s.category, "hyperedge": s.hyperedge, "weight": round(s.weight, 4)}
            for s in self.spots
        ]


def reset(db: Database) -> str:
    """Forget feedback up to now; returns the moment (ISO 8601). The conflicts themselves stay in the graph."""
    return str(db.write("retrieval_feedback_reset")[0]["reset"])


def boost(scores: npt.ArrayLike, prior: npt.ArrayLike) -> FloatArray:
    """Scores with the bounded addition: s + MAX_BOOST · prior; never smaller than before."""
    return np.asarray(scores, dtype=np.float64) + MAX_BOOST * np.clip(np.asarray(prior, dtype=np.float64), 0.0, 1.0)


def _time(text: str) -> datetime:
    head = text.split("[")[0].replace("Z", "+00:00")
    when = datetime.fromisoformat(head)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


__all__: Sequence[str] = ["HALF_LIFE_DAYS", "MAX_BOOST", "Feedback", "Spot", "boost", "reset"]
