"""``areorag eval containment``: which coarse products contain this fine one? Hyperbolic against Euclidean (HySH).

The question that should favour hyperbolic space if any does. Containment pairs are exact (spherical `covers`). A fifth
of them is hidden; for each fine product with hidden containers and at least a hundred coarser products to choose from,
these are ranked by distance, containers seen in training left out, and the mean average precision (MAP) of the hidden
ones is reported. The Euclidean models have as many coordinates, the same pairs, negatives, optimiser, epochs and early
stopping; both choose the learning rate from the same grid by the loss on validation pairs.
``euclidean_scale`` spends one coordinate on ρ, as the hyperbolic model does with its radius. Closed forms, which are
not trained, stand beside them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..hyperbolic.lorentz import distance
from ..hyperbolic.train import Config, Init, Space, train

log = logging.getLogger(__name__)

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Progress = Callable[[str, int, int | None], None]
DIMENSIONS = (4, 8, 16, 64)
SPACES: tuple[Space, ...] = ("hyperbolic", "euclidean", "euclidean_scale")
RATES = (1e-2, 1e-1)
_LEAST = 100


def run(
    *,
    n: int = 4000,
    seed: int = 1,
    dims: Sequence[int] = DIMENSIONS,
    inits: Sequence[Init] = ("random", "position"),
    epochs: int = 50,
    home: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train and rank; → ``{n, pairs, hidden, queries, candidates, closed, learned: [{space, dim, init, map, …}]}``.

    Parameters
    ----------
    n, seed : size and seed of the synthetic archive
    home : use the observations of this managed database instead
    inits : ``random`` (the relation alone must be learned) and ``position`` (start from the closed form)

    Raises
    ------
    MissingExtraError
        The extra ``[train]`` is not installed.
    UsageError
        The archive holds too few containment pairs to hide any.
    """
    rho, unit, pairs = _from_graph(home) if home is not None else synthetic_pairs(n, seed)
    task = Task(rho, unit, pairs, seed)
    out: dict[str, Any] = {
        "n": len(rho),
        "pairs": len(pairs),
        "hidden": len(task.hidden),
        "queries": len(task.queries),
        "candidates": float(np.mean([len(c) for c in task.candidates])),
        "closed": {
            "hyperbolic_d3": task.mean_average_precision(lambda i, js: distance(rho[i], unit[i], rho[js], unit[js])),
            "chord_d3": task.mean_average_precision(lambda i, js: np.linalg.norm(unit[i] - unit[js], axis=1)),
            "chance": task.chance(),
        },
        "learned": [],
    }
    plan = [(i, d, s) for i in inits for d in dims for s in SPACES]
    for done, (init, dim, space) in enumerate(plan):
        if progress:
            progress("containment", done, len(plan))
        out["learned"].append(_one(task, space, dim, init, seed, epochs))
    if progress:
        progress("containment", len(plan), len(plan))
    return out


def _one(task: Task, space: Space, dim: int, init: Init, seed: int, epochs: int) -> dict[str, Any]:
    best: tuple[float, Float, float] | None = None
    for rate in RATES:
        config = Config(
            dim=dim, space=space, init=init, seed=seed, epochs=epochs, patience=10, batch=256, learning_rate=rate,
            validation_share=0.1,
        )  # fmt: skip
        result = train(task.rho, task.unit, task.known, config)
        if best is None or result.loss < best[0]:
            best = (result.loss, result.coordinates, rate)
    assert best is not None
    loss, x, rate = best
    rho = task.rho

    def measure(i: int, js: Int) -> Float:
        if space == "hyperbolic":
            return distance(rho[i], x[i], rho[js], x[js])
        return np.asarray(np.linalg.norm(x[i] - x[js], axis=1))

    score = task.mean_average_precision(measure)
    return {"space": space, "dim": dim, "init": init, "map": score, "loss": loss, "learning_rate": rate}


class Task:
    """Containment ranking: hidden pairs, and for each query the coarser products to rank.

    Parameters
    ----------
    rho, unit, pairs : (n,), (n, 3), (m, 2) rows (contained, container)
    """

    def __init__(self, rho: Float, unit: Float, pairs: Int, seed: int, *, most: int = 600) -> None:
        rng = np.random.default_rng([seed, 9])
        order = rng.permutation(len(pairs))
        cut = len(pairs) // 5
        if cut < 5:
            raise UsageError(f"{len(pairs)} containment pairs are too few; use a larger archive")
        self.rho, self.unit = rho, unit
        self.hidden, self.known = pairs[order[:cut]], pairs[order[cut:]]
        asked = np.array([i for i in np.unique(self.hidden[:, 0]) if np.sum(rho < rho[i]) >= _LEAST], dtype=np.int64)
        if len(asked) < 5:
            raise UsageError("too few products with a hundred coarser ones beside them; use a larger archive")
        self.queries = asked if len(asked) <= most else np.sort(rng.permutation(asked)[:most])
        seen: dict[int, set[int]] = {}
        for i, j in self.known:
            seen.setdefault(int(i), set()).add(int(j))
        self.relevant = [set(self.hidden[self.hidden[:, 0] == i, 1].tolist()) for i in self.queries]
        self.candidates = [
            np.array(
                [j for j in np.flatnonzero(rho < rho[i]).tolist() if j not in seen.get(int(i), ())], dtype=np.int64
            )
            for i in self.queries
        ]

    def mean_average_precision(self, measure: Callable[[int, Int], Float]) -> float:
        """MAP of ranking by `measure(query, candidates)`, smallest first."""
        scores = []
        for i, js, relevant in zip(self.queries, self.candidates, self.relevant, strict=True):
            ranked = js[np.argsort(measure(int(i), js), kind="stable")]
            scores.append(average_precision(np.isin(ranked, list(relevant))))
        return float(np.mean(scores))

    def chance(self) -> float:
        """MAP of a random order."""
        rng = np.random.default_rng(0)
        return self.mean_average_precision(lambda i, js: rng.uniform(size=len(js)))


def average_precision(hits: NDArray[np.bool_]) -> float:
    """Mean of the precisions at the ranks of the hits; 0 without any.

    >>> average_precision(np.array([True, False, True]))
    0.8333333333333333
    """
    at = np.flatnonzero(hits) + 1
    return float(np.mean(np.arange(1, len(at) + 1) / at)) if len(at) else 0.0


def synthetic_pairs(n: int, seed: int) -> tuple[Float, Float, Int]:
    """(rho, unit, containment pairs) of a synthetic archive."""
    from ..graph.colocation_index import ColocationIndex, Site
    from ..graph.hysh import embed_observations
    from ..graph.relations import containment_pairs
    from ..planet.coordinates import to_unit
    from ..planet.geometry import footprint
    from ..settings import Settings
    from .synthetic import synthetic_archive

    observations = list(synthetic_archive(n, seed=seed))
    geogs = [footprint(o.footprint) for o in observations]
    rows = embed_observations(observations, Settings(), geogs=geogs)
    index = ColocationIndex()
    index.fill([Site(o.id, o.body, g, float(r)) for o, g, r in zip(observations, geogs, rows.rho, strict=True)])
    pairs = containment_pairs(index, {o.id: i for i, o in enumerate(observations)})
    return rows.rho, to_unit(rows.lonlat[:, 0], rows.lonlat[:, 1]), pairs


def _from_graph(home: Path) -> tuple[Float, Float, Int]:
    from ..graph.connection import Database
    from ..graph.train_embedding import relations_of
    from ..settings import load_settings

    settings = load_settings(home=home)
    with Database.open(settings) as db:
        _, rho, unit, pairs = relations_of(db, settings)
    return rho, unit, pairs["containment"]
