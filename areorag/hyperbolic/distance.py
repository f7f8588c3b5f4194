r"""The geodesic distance from stored depths and directions (AreoRAG Definition 3 in the form of METHODS §1).

acosh(K<x, y>) destroys near distances: at the depth of a HiRISE product a true 0.001 comes out of float64 as noise. The
form used here adds two terms that are never negative, from (rho, u) as they are stored, and holds at any depth.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch import LONG, Pairs, Points, run
from .chord import distance_from_chord2, sqrt_k

Float = NDArray[np.float64]


def _a(x: ArrayLike) -> Float:
    return np.asarray(x, dtype=np.float64)


def distance(
    rho_x: ArrayLike,
    u: ArrayLike,
    rho_y: ArrayLike,
    v: ArrayLike,
    K: float = -1.0,
    *,
    threads: int | None = None,
    out: Float | None = None,
) -> Float:
    r"""Geodesic distance from the polar form (METHODS §1, Numerics; equals AreoRAG Definition 3).

    .. math::  d = \frac{2}{√{-K}}\,asinh √{\sinh²(√{-K}\,Δρ/2) + \sinh(√{-K}ρ_1)\sinh(√{-K}ρ_2)\,|u-v|²/4}

    Parameters
    ----------
    rho_x, rho_y : (...) geodesic distance of the points from the origin, ≥ 0
    u, v : (..., d) unit vectors
    K : curvature, < 0
    threads : for long one-dimensional batches; None: as BLAS does, the cores this process may use or OMP_NUM_THREADS,
        from 100,000 distances of more than 16 dimensions on. The result does not depend on it
    out : (n,) float64 array to write a long one-dimensional batch into; it may not share memory with the points

    Returns
    -------
    (...) distances, ≥ 0; NaN where an input is NaN. Relative error ≤ 1e-13 up to depth 25 for any K of the tests.

    See also
    --------
    batch : how more than 4096 distances are computed; the two forms differ by rounding, up to 5e-14

    >>> float(distance(1.0, [1.0, 0.0], 1.0, [-1.0, 0.0]))
    2.0
    """
    sqrt_k(K)
    rx, ry, u, v = _a(rho_x), _a(rho_y), _a(u), _a(v)
    shape = np.broadcast_shapes(rx.shape, ry.shape, u.shape[:-1], v.shape[:-1])
    if len(shape) == 1 and shape[0] > LONG and u.shape[-1] == v.shape[-1]:
        n = shape[0]
        return run(Pairs(rx, u, ry, v, K, n), K, np.empty(n) if out is None else out, _threads(n, u.shape[-1], threads))
    diff = u - v
    d = distance_from_chord2(rx, ry, np.einsum("...i,...i->...", diff, diff), K)
    if out is not None:
        out[...] = d
        return out
    return d


def _threads(n: int, d: int, wanted: int | None) -> int:
    if wanted is not None:
        return max(1, wanted)
    if n < 100_000 or d <= 16:  # few dimensions: the interpreter's lock between numpy's short calls costs what is won
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores, int(limit) if limit.isdigit() else cores, 8))


def pairwise_distance(rho_x: ArrayLike, u: ArrayLike, rho_y: ArrayLike, v: ArrayLike, K: float = -1.0) -> Float:
    """All distances between two sets: (n,), (n, d) and (m,), (m, d) → (n, m). Same accuracy as :func:`distance`."""
    x, y = Points(rho_x, u, K), Points(rho_y, v, K)
    out = np.empty((len(x), len(y)))
    for i in range(len(x)):
        y.distance(x[i], out=out[i])
    return out
