"""Entity-weighted overlap: how far an entity and a next hyperedge serve a sub-question (PRoH, EWO; METHODS §4).

EW(v | q_j) = LLMScore(v, q_j) if SE(v | q_j) ≥ θ_emb else 0;  EWO(e' | q, e) = aggregate of EW over V(e) ∩ V(e').

The paper prints the second line with SE in the place of EW. Then neither the model's score nor θ_emb would reach any
hyperedge: `edge_weight` of the similarities is that form, and prefers an entity the model has ruled out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

THETA_EMB = 0.15
Aggregate = Callable[[Sequence[float]], float]


def entity_weights(
    similarity: Mapping[str, float],
    score: Mapping[str, float] | None = None,
    theta: float = THETA_EMB,
) -> dict[str, float]:
    """EW of each entity.

    Parameters
    ----------
    similarity : SE(v | q_j), cosine of the entity's name and the sub-question, by entity id
    score : LLMScore(v, q_j) in [0, 1]; None is PRoH-L, which takes the similarity itself
    theta : θ_emb; below it the weight is 0 and no model is asked

    Returns
    -------
    Weights in [0, 1] by entity id.
    """
    out = {}
    for v, se in similarity.items():
        if se < theta:
            out[v] = 0.0
        else:
            out[v] = min(1.0, max(0.0, se if score is None else score.get(v, 0.0)))
    return out


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def edge_weight(
    here: Iterable[str], there: Iterable[str], weights: Mapping[str, float], aggregate: Aggregate = mean
) -> float:
    """EWO(e' | q, e): the aggregate of EW over the entities that both hyperedges bind; 0 when they share none."""
    shared = sorted(set(here) & set(there))
    return aggregate([weights.get(v, 0.0) for v in shared]) if shared else 0.0
