"""F_Q, the demand-weighted facility-location objective, and its lazy greedy maximiser (GeoRAG §2.A).

F_Q(S) = Σ_i w_i max(0, max_{s∈S} cos(c_i, s)), F_Q(∅) = 0. With w ≥ 0 it is monotone and submodular, so greedy reaches
at least (1 − 1/e) of the optimum. That guarantee belongs to *this* objective's greedy (`facility`), not to the
product of the reassignment gate with ΔW_ε that the paper prints for its selector (`coverage`), which is a heuristic.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np


def coverage_value(weights: np.ndarray, similarity: np.ndarray, chosen: Sequence[int]) -> float:
    """F_Q(S).

    Parameters
    ----------
    weights : (n,) ≥ 0
    similarity : (n, m) cosine of demand point i with item j
    chosen : the items in S
    """
    if not len(chosen):
        return 0.0
    best = similarity[:, list(chosen)].max(axis=1)
    return float(weights @ np.maximum(best, 0.0))


def lazy_greedy(weights: np.ndarray, similarity: np.ndarray, k: int) -> tuple[list[int], list[float]]:
    """Greedy maximiser of F_Q with lazily re-evaluated gains (Minoux 1978): same set as plain greedy, fewer gains.

    Returns
    -------
    The items in the order taken (ties: the lower index), and the gain of each. Stops after `k` items or all of them.
    """
    positive = np.maximum(similarity, 0.0)
    reached = np.zeros(similarity.shape[0])
    first = weights @ positive
    heap = [(-float(g), j, 0) for j, g in enumerate(first)]
    heapq.heapify(heap)
    chosen: list[int] = []
    gains: list[float] = []
    while heap and len(chosen) < k:
        negative, j, seen = heapq.heappop(heap)
        if seen == len(chosen):
            chosen.append(j)
            gains.append(-negative)
            reached = np.maximum(reached, positive[:, j])
        else:
            gain = float(weights @ np.maximum(positive[:, j] - reached, 0.0))
            heapq.heappush(heap, (-gain, j, len(chosen)))
    return chosen, gains
