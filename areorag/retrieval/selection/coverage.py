"""The coverage selector: six stages from a pool to a set that covers the demand (GeoRAG §2.B).

Stage 5 as printed scores an item by the product of the reassignment gate (1 − max_{s∈S} cos) and ΔW_ε. The product is
a heuristic: it is not submodular and has no (1 − 1/e) guarantee (that belongs to F_Q, selector `facility`). W_ε is
exact here, without iterations (see `sinkhorn`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .baselines import fill
from .demand import demand_distribution, inverse_validation, sharpen, spread
from .linking import Linker
from .sinkhorn import CoverState
from .types import Candidate, Demand, Options

EXPANSION_SHARE = 0.4
"""Share of P_Q that first-round entities get, where there are any."""
EXPANSION_SOURCES = 3


@dataclass(frozen=True, slots=True)
class DemandModel:
    """P_Q and what it is made of.

    weights : (n,) over the pool, sum 1; texts, kinds, quality : the kept sub-queries; similarity : (m, n) with the pool
    """

    weights: np.ndarray
    texts: list[str]
    kinds: list[str]
    quality: np.ndarray
    similarity: np.ndarray


def model_demand(
    prior: np.ndarray,
    vectors: np.ndarray,
    question: np.ndarray,
    sub_texts: Sequence[str],
    sub_kinds: Sequence[str],
    sub_vectors: np.ndarray,
    options: Options,
    hops: tuple[list[int], np.ndarray] | None = None,
) -> DemandModel:
    """Stages 2 (spread), 3 (inverse validation) and 4 (P_Q).

    Parameters
    ----------
    prior : (n,) retrieval scores; vectors : (n, d) unit, zero rows allowed; question : (d,) unit
    sub_vectors : (s, d) unit, one for each of `sub_texts`; may be empty
    hops : pool positions of first-round entities and the mass of each (sums to 1), see `first_round_hops`
    """
    kept = spread(question, sub_vectors, options.kept_sub_queries)
    chosen = sub_vectors[kept] if kept else np.zeros((0, vectors.shape[1]))
    similarity = chosen @ vectors.T
    quality = inverse_validation(prior, similarity, chosen @ chosen.T) if kept else np.zeros(0)
    weights = demand_distribution(
        prior, similarity, quality, alpha=options.alpha, beta=options.beta, sharpness=options.sharpness
    )
    texts, kinds = [sub_texts[j] for j in kept], [sub_kinds[j] for j in kept]
    if hops and hops[0]:
        targets, mass = hops
        weights = (1.0 - EXPANSION_SHARE) * weights
        weights[targets] += EXPANSION_SHARE * mass
    return DemandModel(weights, texts, kinds, quality, similarity)


def first_round_hops(
    pool: Sequence[Candidate], prior: np.ndarray, vectors: np.ndarray, question: np.ndarray, options: Options
) -> tuple[list[int], np.ndarray]:
    """Items whose subject the best first-round items name: the demand that reaches the second hop.

    Each of the first `EXPANSION_SOURCES` items shares its part of the prior among the items it names (or shares an
    entity with, where the candidates bring entities), by their similarity to what the question asks beyond the source.

    Returns
    -------
    Pool positions (ascending) and mass (sum 1); empty when nothing is named or no candidate has a title or entities.
    """
    sources = [int(i) for i in np.argsort(-prior, kind="stable")[:EXPANSION_SOURCES]]
    trust = sharpen(prior, options.sharpness)
    mass: dict[int, float] = {}
    linker = Linker([c.title for c in pool], [c.text for c in pool])
    owners: dict[str, list[int]] = {}
    for i, c in enumerate(pool):
        for name in c.entities:
            owners.setdefault(name.lower(), []).append(i)
    for s in sources:
        found = {link.target: link.strength for link in linker.links(pool[s].text)}
        for name in pool[s].entities:
            group = owners[name.lower()]
            if 1 < len(group) <= max(3, len(pool) // 4):
                for i in group:
                    found[i] = max(found.get(i, 0.0), 1.0 / len(group) ** 0.5)
        found.pop(s, None)
        if not found:
            continue
        targets = np.array(sorted(found))
        beyond = question - (question @ vectors[s]) * vectors[s]
        pull = np.array([found[int(t)] for t in targets]) * np.exp(4.0 * (vectors[targets] @ beyond))
        for t, p in zip(targets.tolist(), (trust[s] * pull / pull.sum()).tolist(), strict=True):
            mass[t] = mass.get(t, 0.0) + p
    positions = sorted(mass)
    weights = np.array([mass[t] for t in positions])
    total = float(weights.sum()) if positions else 0.0
    return (positions, weights / total) if total > 0 else ([], np.zeros(0))


def greedy_cover(
    weights: np.ndarray, similarity: np.ndarray, k: int, options: Options, prior: np.ndarray
) -> tuple[list[int], list[float], list[float]]:
    """Stage 5: k items by gate × ΔW_ε.

    Parameters
    ----------
    weights : (n,) P_Q; similarity : (n, n) cosines; prior : (n,) breaks ties and fills when no demand is left

    Returns
    -------
    Positions in the order taken, the score of each when taken, and W_ε after each.
    """
    n = weights.size
    cost = 1.0 - np.clip(similarity, -1.0, 1.0)
    epsilon = options.epsilon * max(float(np.median(cost)), 1e-6)
    state = CoverState(weights, cost, epsilon)
    nearest = np.full(n, 0.0)
    free = np.ones(n, dtype=bool)
    chosen: list[int] = []
    scores: list[float] = []
    distances: list[float] = []
    while len(chosen) < min(k, n):
        gain = np.maximum(state.gains(), 0.0) if options.transport else weights
        value = gain * (1.0 - np.clip(nearest, 0.0, 1.0)) ** options.gate if chosen else gain
        value = np.where(free, value, -np.inf)
        j = int(np.argmax(value))
        if value[j] <= 1e-15:
            break
        chosen.append(j)
        scores.append(float(value[j]))
        free[j] = False
        state.add(j)
        distances.append(state.value)
        nearest = np.maximum(nearest, similarity[:, j])
    rest = fill(chosen, prior, k)[len(chosen) :]
    return chosen + rest, scores + [0.0] * len(rest), distances + [state.value] * len(rest)


def demand_report(
    model: DemandModel, chosen: Sequence[int], ids: Sequence[str], options: Options
) -> tuple[tuple[Demand, ...], list[tuple[str, ...]]]:
    """Stage 6: which demand each kept item covers, and what stays uncovered.

    A sub-query is covered by the kept item nearest to it when that item reaches `covered_share` of the pool's best.
    """
    covers: list[list[str]] = [[] for _ in chosen]
    demands: list[Demand] = []
    for text, kind, quality, row in zip(model.texts, model.kinds, model.quality, model.similarity, strict=True):
        best = float(row.max()) if row.size else 0.0
        reached, at = 0.0, -1
        if len(chosen):
            at = int(np.argmax(row[list(chosen)]))
            reached = float(row[chosen[at]])
        served = at >= 0 and reached > 0 and reached >= options.covered_share * best
        if served:
            covers[at].append(text)
        demands.append(Demand(text, kind, float(quality), best, reached, ids[chosen[at]] if served else None))
    return tuple(demands), [tuple(c) for c in covers]
