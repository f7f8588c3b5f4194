r"""The geodesic distance in its exact form, from depths and the chord of the directions (METHODS §1, Numerics)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError

Float = NDArray[np.float64]

LINEAR_LIMIT = 340.0
"""Largest √-K·rho for which products of two hyperbolic sines stay finite in float64; beyond it logarithms are used."""


def sqrt_k(K: float) -> float:
    """√(-K).

    Raises
    ------
    HyperbolicError
        K is not a finite negative number.
    """
    if not (np.isfinite(K) and K < 0):
        raise HyperbolicError(f"the curvature K must be finite and negative, not {K}")
    return float(np.sqrt(-K))


def distance_from_chord2(rho_x: ArrayLike, rho_y: ArrayLike, chord2: ArrayLike, K: float = -1.0) -> Float:
    r"""Geodesic distance where |u - v|² is known already (a k-d tree, a cell bound). Shapes broadcast.

    .. math::  d = \frac{2}{√{-K}}\,asinh √{\sinh²(√{-K}\,Δρ/2) + \sinh(√{-K}ρ_1)\sinh(√{-K}ρ_2)\,|u-v|²/4}
    """
    k = sqrt_k(K)
    rx, ry, c2 = (np.asarray(x, dtype=np.float64) for x in (rho_x, rho_y, chord2))
    a, b, gap = k * rx, k * ry, (0.5 * k) * (rx - ry)  # the gap from ρ itself: k·ρ is rounded already
    if max(float(np.fmax.reduce(x, axis=None, initial=0.0)) for x in (a, b)) > LINEAR_LIMIT:
        return _distance_log(a, b, gap, c2) / k
    half = np.sinh(gap)
    inside = half * half + np.sinh(a) * np.sinh(b) * (0.25 * c2)
    return np.asarray(np.arcsinh(np.sqrt(inside)) * (2.0 / k))


def _distance_log(a: Float, b: Float, gap: Float, chord2: Float) -> Float:
    """√-K·d in the log domain, for depths whose hyperbolic sines overflow."""
    with np.errstate(divide="ignore"):
        far = log_sinh(a) + log_sinh(b) + np.log(0.25 * chord2)
        near = 2.0 * log_sinh(np.abs(gap))
    s = np.logaddexp(near, far)  # log of sinh²(d/2)
    small = np.minimum(s, 600.0)
    return np.where(s > 600.0, s + 2.0 * np.log(2.0), 2.0 * np.arcsinh(np.exp(0.5 * small)))


def log_sinh(a: ArrayLike) -> Float:
    """log(sinh(a)) for a ≥ 0 without overflow; -inf at 0."""
    a = np.asarray(a, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(a + np.log(-np.expm1(-2.0 * a)) - np.log(2.0))


def log_cosh(a: ArrayLike) -> Float:
    """log(cosh(a)) without overflow."""
    a = np.abs(np.asarray(a, dtype=np.float64))
    return np.asarray(a + np.log1p(np.exp(-2.0 * a)) - np.log(2.0))
