"""Pareto fronts over relevance scores and the choice of λ on the simplex (Spatial-RAG Eq. 12–14, METHODS §2).

A candidate is on the front when no other is at least as good in every objective and better in one. Candidates with
equal scores do not dominate one another: all of them stay.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import UsageError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_CHUNK = 256


def pareto_front(scores: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Which rows nobody dominates.

    Parameters
    ----------
    scores : (n, m) larger is better; finite

    Returns
    -------
    (n,) True on the front. Duplicates of a front row are on it too.

    Raises
    ------
    UsageError
        A score is not finite, or the array is not two-dimensional.

    Examples
    --------
    >>> pareto_front([[1, 0], [0, 1], [0.5, 0.5], [0.4, 0.4], [1, 0]]).tolist()
    [True, True, True, False, True]
    """
    matrix = _checked(scores)
    n, m = matrix.shape
    if n == 0:
        return np.zeros(0, dtype=bool)
    if m == 2:
        return _front_2d(matrix)
    unique, inverse = np.unique(matrix, axis=0, return_inverse=True)
    keep = np.ones(len(unique), dtype=bool)
    for start in range(0, len(unique), _CHUNK):
        block = unique[start : start + _CHUNK]
        at_least = np.all(unique[None, :, :] >= block[:, None, :], axis=2)
        better = np.any(unique[None, :, :] > block[:, None, :], axis=2)
        keep[start : start + _CHUNK] = ~np.any(at_least & better, axis=1)
    return np.asarray(keep[np.ravel(inverse)])


def _front_2d(matrix: FloatArray) -> npt.NDArray[np.bool_]:
    """O(n log n): going down the first objective, a row stays while its second beats everything before it."""
    unique, inverse = np.unique(matrix, axis=0, return_inverse=True)
    order = np.lexsort((-unique[:, 1], -unique[:, 0]))
    second = unique[order, 1]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(second)[:-1]])
    keep = np.zeros(len(unique), dtype=bool)
    keep[order] = second > best_before
    return np.asarray(keep[np.ravel(inverse)])


def front_layers(scores: npt.ArrayLike, limit: int | None = None) -> IntArray:
    """Layer of each row: 0 on the front, 1 on the front of the rest, and so on.

    With `limit`, layers are peeled only until that many rows have one; the others share the next number.
    """
    matrix = _checked(scores)
    if matrix.shape[1] == 2 and len(matrix):
        return _layers_2d(matrix, limit)
    layer = np.full(len(matrix), -1, dtype=np.int64)
    left = np.arange(len(matrix))
    depth = 0
    while len(left):
        if limit is not None and len(matrix) - len(left) >= limit:
            layer[left] = depth
            break
        front = pareto_front(matrix[left])
        layer[left[front]] = depth
        left = left[~front]
        depth += 1
    return layer


def _layers_2d(matrix: FloatArray, limit: int | None) -> IntArray:
    """All layers in one pass, O(n log n).

    Going down the first objective, a layer dominates a row when its largest second objective so far is at least the
    row's. Those largest values fall from layer to layer, so the first layer that does not dominate is found by bisection.
    """
    unique, inverse = np.unique(matrix, axis=0, return_inverse=True)
    order = np.lexsort((-unique[:, 1], -unique[:, 0]))
    of = np.empty(len(unique), dtype=np.int64)
    largest: list[float] = []  # negated, so that they rise
    for row, second in zip(order.tolist(), (-unique[order, 1]).tolist(), strict=True):
        depth = bisect_right(largest, second)
        of[row] = depth
        if depth == len(largest):
            largest.append(second)
        else:
            largest[depth] = second
    layer = of[np.ravel(inverse)]
    if limit is not None:
        before = np.cumsum(np.bincount(layer))
        layer = np.minimum(layer, int(np.searchsorted(before, limit)) + 1)
    return layer


def _checked(scores: npt.ArrayLike) -> FloatArray:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2:
        raise UsageError("scores must be an (n, m) array")
    if not np.all(np.isfinite(matrix)):
        raise UsageError("every score must be a finite number")
    return matrix


def check_lambda(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float] | None:
    """Weights on the simplex, or None where they are not: a missing or further name, a negative or non-finite
    value, or a sum that is not 1 (± 1e-3; within that it is normalised).

    >>> check_lambda({"s": 0.25, "k": 0.75}, ["s", "k"])
    {'s': 0.25, 'k': 0.75}
    >>> check_lambda({"s": 0.9, "k": 0.9}, ["s", "k"]) is None
    True
    """
    if set(weights) != set(names):
        return None
    values = [float(weights[n]) for n in names]
    if any(not math.isfinite(v) or v < 0 for v in values) or abs(sum(values) - 1.0) > 1e-3:
        return None
    total = sum(values)
    return {n: v / total for n, v in zip(names, values, strict=True)}


def choose(scores: FloatArray, weights: FloatArray, ids: Sequence[str]) -> IntArray:
    """Row numbers by λᵀf, best first; equal scores by id, so that a question always gets the same order (Eq. 14)."""
    total = np.round(scores @ weights, 12)
    return np.asarray(sorted(range(len(ids)), key=lambda i: (-total[i], ids[i])), dtype=np.int64)
