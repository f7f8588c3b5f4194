"""The proxy of information demand P_Q (GeoRAG §2.B, stages 2 to 4).

Sub-queries are spread by greedy max–min cosine, weighted by inverse validation, and merged with the retrieval prior
into a distribution over the pool: w_i ∝ r_i^α L_i^β.
"""

from __future__ import annotations

import numpy as np


def spread(question: np.ndarray, vectors: np.ndarray, m: int) -> list[int]:
    """Greedy max–min cosine filter: m sub-queries as far from each other as can be, the nearest to the question first.

    Parameters
    ----------
    question : (d,) unit; vectors : (n, d) unit

    Returns
    -------
    Positions in the order taken; min(m, n) of them.
    """
    if not len(vectors):
        return []
    chosen = [int(np.argmax(vectors @ question))]
    nearest = vectors @ vectors[chosen[0]]
    nearest[chosen[0]] = np.inf
    while len(chosen) < min(m, len(vectors)):
        j = int(np.argmin(nearest))
        chosen.append(j)
        nearest = np.maximum(nearest, vectors @ vectors[j])
        nearest[j] = np.inf
    return chosen


def inverse_validation(
    prior: np.ndarray, similarity: np.ndarray, between: np.ndarray, *, results: int = 10
) -> np.ndarray:
    """Quality weights q̃_j of sub-queries: overlap with the pool × novelty against those taken before.

    overlap_j = mean over the sub-query's first `results` items of (1 − their rank in the main pool / K): a sub-query
    that drifts off topic fetches what the question ranks low. novelty_j = 1 − max_{l<j} cos(s_j, s_l), the first is 1:
    a repeat adds nothing.

    Parameters
    ----------
    prior : (n,) retrieval score of the pool for the question; similarity : (m, n) cosines sub-query × pool;
    between : (m, m) cosines among sub-queries

    Returns
    -------
    (m,) non-negative, sum 1; uniform when everything is worthless.
    """
    n = prior.size
    rank = np.empty(n)
    rank[np.argsort(-prior, kind="stable")] = np.arange(n)
    first = np.argsort(-similarity, axis=1, kind="stable")[:, : min(results, n)]
    overlap = (1.0 - rank[first] / n).mean(axis=1)
    lower = np.where(np.tri(len(between), k=-1, dtype=bool), between, -np.inf)
    novelty = np.clip(1.0 - np.maximum(lower.max(axis=1), 0.0), 0.0, 1.0)
    quality = overlap * novelty
    total = float(quality.sum())
    return quality / total if total > 1e-12 else np.full(len(quality), 1.0 / max(len(quality), 1))


def sharpen(scores: np.ndarray, sharpness: float) -> np.ndarray:
    """exp(sharpness · z) of standardised scores, normalised to sum 1 along the last axis.

    Free of the retriever's scale: a cosine, a BM25 and a rank all serve. Equal scores give the uniform distribution.
    """
    spread_ = scores.std(axis=-1, keepdims=True)
    z = (scores - scores.max(axis=-1, keepdims=True)) / np.where(spread_ > 1e-12, spread_, 1.0)
    e = np.exp(sharpness * z)
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def demand_distribution(
    prior: np.ndarray,
    similarity: np.ndarray,
    quality: np.ndarray,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    sharpness: float = 1.5,
) -> np.ndarray:
    """P_Q over the pool: w_i ∝ r_i^α · L_i^β, L_i = Σ_j q̃_j · (share of sub-query j that falls on item i).

    Parameters
    ----------
    prior : (n,) retrieval scores; similarity : (m, n); quality : (m,) from `inverse_validation`

    Returns
    -------
    (n,) non-negative, sum 1.
    """
    r = sharpen(prior, sharpness)
    local = quality @ sharpen(similarity, sharpness) if len(quality) else np.ones_like(r)
    with np.errstate(divide="ignore"):
        log_w = alpha * np.log(r) + beta * np.log(np.maximum(local, 1e-300))
    w = np.exp(log_w - log_w.max())
    return np.asarray(w / w.sum())
