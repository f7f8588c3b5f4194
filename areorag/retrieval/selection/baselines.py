"""Baselines in the same harness: top-k, MMR, DPP, reciprocal-rank fusion, cross-encoder (GeoRAG §1 and §4).

All work on the same pool; each returns positions in the pool, best first. They exist to be beaten, and to be used by
those who want them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import MissingExtraError, SelectionError, SettingsError

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""(question, texts) → a relevance for each text: what a cross-encoder does."""


def order(scores: np.ndarray) -> np.ndarray:
    """Positions by falling score; ties by position."""
    return np.argsort(-scores, kind="stable")


def top_k(scores: np.ndarray, k: int) -> list[int]:
    """The k best by score."""
    return [int(i) for i in order(scores)[:k]]


def mmr(scores: np.ndarray, similarity: np.ndarray, k: int, *, lam: float = 0.7) -> list[int]:
    """Maximal marginal relevance: argmax λ·score − (1 − λ)·max_{s∈S} cos (Carbonell & Goldstein 1998)."""
    chosen: list[int] = []
    nearest = np.zeros(scores.size)
    free = np.ones(scores.size, dtype=bool)
    while len(chosen) < min(k, scores.size):
        value = np.where(free, lam * scores - (1.0 - lam) * nearest, -np.inf)
        j = int(np.argmax(value))
        chosen.append(j)
        free[j] = False
        nearest = np.maximum(nearest, similarity[:, j]) if len(chosen) > 1 else similarity[:, j].copy()
    return chosen


def dpp(scores: np.ndarray, similarity: np.ndarray, k: int, *, theta: float = 0.7) -> list[int]:
    """Greedy MAP of a determinantal point process, L_ij = q_i cos_ij q_j, q = exp(a·score), a = θ / (2 (1 − θ)).

    Incremental Cholesky (Chen, Zhang & Zhou 2018). Stops early only when nothing independent is left; the rest is
    then filled by score.
    """
    n = scores.size
    quality = np.exp(theta / (2.0 * (1.0 - theta)) * scores)
    gain = quality**2 * np.clip(np.diag(similarity), 0.0, None)
    rows = np.zeros((min(k, n), n))
    chosen: list[int] = []
    while len(chosen) < min(k, n):
        j = int(np.argmax(gain))
        if not gain[j] > 1e-10:
            break
        t = len(chosen)
        kernel = quality[j] * similarity[j] * quality
        rows[t] = (kernel - rows[:t, j] @ rows[:t]) / np.sqrt(gain[j])
        chosen.append(j)
        gain = gain - rows[t] ** 2
        gain[chosen] = -np.inf
    return fill(chosen, scores, k)


def fill(chosen: list[int], scores: np.ndarray, k: int) -> list[int]:
    """`chosen`, completed to k (or all) by score."""
    have = set(chosen)
    return chosen + [int(i) for i in order(scores) if int(i) not in have][: max(0, min(k, scores.size) - len(chosen))]


def reciprocal_rank_fusion(rankings: Sequence[np.ndarray], n: int, *, constant: int = 60) -> np.ndarray:
    """Σ 1 / (constant + rank) over the rankings (Cormack et al. 2009).

    Parameters
    ----------
    rankings : each an array of positions, best first; may be shorter than n
    """
    fused = np.zeros(n)
    for ranking in rankings:
        fused[ranking] += 1.0 / (constant + 1.0 + np.arange(len(ranking)))
    return fused


def rerank(question: str, texts: Sequence[str], reranker: Reranker | None) -> np.ndarray:
    """Scores of a cross-encoder.

    Raises
    ------
    SelectionError
        None is configured, or it returned something other than one finite number a text.
    """
    if reranker is None:
        raise SelectionError(
            "selector rerank needs a cross-encoder: pass reranker=(question, texts) -> scores, or set AREORAG_RERANKER=st:<model>"
        )
    scores = np.asarray(list(reranker(question, texts)), float)
    if scores.shape != (len(texts),) or not np.isfinite(scores).all():
        raise SelectionError(
            f"the re-ranker returned {scores.shape} numbers for {len(texts)} texts, or not finite ones"
        )
    return scores


def configured_reranker(name: str | None) -> Reranker | None:
    """The cross-encoder that the setting ``reranker`` names (``st:<model>``, a name or a folder), or None.

    Raises
    ------
    SettingsError
        The name has another form.
    MissingExtraError
        sentence-transformers is not installed.
    """
    if not name:
        return None
    kind, _, model = name.partition(":")
    if kind != "st" or not model:
        raise SettingsError(f"unknown reranker {name!r}: use st:<model>")
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise MissingExtraError("sentence-transformers", "st") from None
    net = CrossEncoder(model)

    def score(question: str, texts: Sequence[str]) -> Sequence[float]:
        return [float(s) for s in net.predict([(question, t) for t in texts], show_progress_bar=False)]

    return score
