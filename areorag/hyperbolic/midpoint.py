r"""Midpoints of weighted sets: Einstein, λ-weighted, Spatial OEM as printed, and the outward midpoint (AreoRAG Eq. 13).

All four are Π_K(Σ cᵢ Φᵢ) with coefficients c of one's choice:

=================  ============================  ==============================================================
``einstein``       w                             Σγv/Σγ in Klein coordinates
``lambda_weighted``  w·λ                         the paper's "p = 0"; it counts the Lorentz factor λ = x₀ twice
``oem``            w·rᵖ·λ                        Eq. 13 as printed. Theorem 1 does not hold for it (see docs/hysh.md)
``outward_midpoint``  direction of ``oem``       depth = the largest of the three: the outward bias is a theorem
=================  ============================  ==============================================================

Numerics. With Φ = (cosh a, sinh a·u)/√-K the projection divides by √(v₀² - |v_s|²), a difference of two nearly equal
numbers at depth. Instead ρ_m = ½ log((v₀ + |v_s|)/(v₀ - |v_s|))/√-K, where both factors are sums of positive terms,

.. math::  v_0 ∓ |v_s| = Σ cᵢ (\cosh aᵢ ∓ \sinh aᵢ \cos θᵢ) = Σ cᵢ (e^{∓aᵢ} ± 2 \sinh aᵢ\,|uᵢ - û|²/4)

with û the direction of v_s, taken relative to the heaviest member; coefficients live in the log domain, so weights
rᵖ of 1e20 and more are harmless. Inputs are (..., n) depths and weights and (..., n, d) directions; zero weights are
members left out, so ragged groups are padded with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError
from .lorentz import check_polar, log_cosh, log_sinh, sqrt_k

Float = NDArray[np.float64]
Radius = Literal["x0", "rho"]

OWN, EINSTEIN, FIRST = 0, 1, 2
"""Where a midpoint's direction comes from: its own sum, Einstein's, or (members cancel) the first member."""

_CANCEL = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Midpoint:
    """A midpoint in polar form: rho (...), u (..., d), and direction_from (...) ∈ {OWN, EINSTEIN, FIRST}."""

    rho: Float
    u: Float
    direction_from: NDArray[np.int8]


def _prepare(rho: ArrayLike, u: ArrayLike, weights: ArrayLike | None, K: float) -> tuple[Float, Float, Float, float]:
    k = sqrt_k(K)
    rho, u = np.asarray(rho, dtype=np.float64), np.asarray(u, dtype=np.float64)
    if rho.ndim == 0 or rho.shape[-1] == 0:
        raise HyperbolicError("the midpoint of an empty set does not exist")
    if u.shape[:-1] != rho.shape:
        raise HyperbolicError(f"depths {rho.shape} and directions {u.shape} do not belong together")
    w = np.ones_like(rho) if weights is None else np.asarray(weights, dtype=np.float64)
    try:
        w = np.broadcast_to(w, rho.shape)
    except ValueError:
        raise HyperbolicError(f"{w.shape} weights for {rho.shape} members") from None
    if not np.all(np.isfinite(w)) or np.any(w < 0):
        raise HyperbolicError("a weight is negative or not finite")
    if np.any(np.max(w, axis=-1) == 0):
        raise HyperbolicError("all weights are zero: no midpoint")
    ok, reason = check_polar(rho, u, 1e-6)
    if not ok:
        raise HyperbolicError(f"a member is not a point: {reason}")
    with np.errstate(divide="ignore"):
        return k * rho, u, np.log(w), k


def _logsumexp(x: Float) -> Float:
    top = np.max(x, axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(x - top), axis=-1)) + top[..., 0])


def _weighted(a: Float, u: Float, lc: Float, k: float) -> Midpoint:
    """Π_K(Σ exp(lc) Φ) for a = √-K·rho (..., n), u (..., n, d), log coefficients lc (..., n)."""
    ls = lc + log_sinh(a)  # log of cᵢ sinh aᵢ
    ref_at = np.argmax(ls, axis=-1)[..., None]
    ref = np.take_along_axis(u, ref_at[..., None], axis=-2)
    off = u - ref
    top = np.max(ls, axis=-1, keepdims=True)
    at_origin = ~np.isfinite(top[..., 0])  # every member with a weight is the origin itself
    q = np.exp(ls - np.where(np.isfinite(top), top, 0.0))
    total = np.sum(q, axis=-1)
    total = np.where(total > 0, total, 1.0)
    lean = np.einsum("...n,...nd->...d", q, off) / total[..., None]  # v_s/Σ(c sinh a) - u_ref
    r0 = ref[..., 0, :]
    length = np.linalg.norm(r0 + lean, axis=-1)
    none = at_origin | (length <= _CANCEL)
    safe = np.where(none, 1.0, length)
    excess = (2 * np.einsum("...d,...d->...", r0, lean) + np.einsum("...d,...d->...", lean, lean)) / (safe + 1.0)
    unit_off = (lean - excess[..., None] * r0) / safe[..., None]  # û - u_ref, with no large term subtracted
    apart = off - unit_off[..., None, :]
    s2 = np.minimum(0.25 * np.einsum("...nd,...nd->...n", apart, apart), 1.0)
    with np.errstate(divide="ignore"):
        near = np.logaddexp(-a, np.log(2 * s2) + log_sinh(a))  # log(cosh a - sinh a cos θ)
        far = np.logaddexp(-a, np.log(2 * (1 - s2)) + log_sinh(a))
    rho = 0.5 * (_logsumexp(lc + far) - _logsumexp(lc + near))
    # near the origin the quotient |v_s|/v₀ = tanh ρ keeps the relative accuracy
    with np.errstate(divide="ignore"):
        ratio = np.exp(np.log(safe * total) + np.where(at_origin, 0.0, top[..., 0]) - _logsumexp(lc + log_cosh(a)))
    rho = np.where(ratio < 0.5, np.arctanh(np.minimum(ratio, 0.5)), rho)
    deepest = np.max(np.where(np.isfinite(lc), a, 0.0), axis=-1)
    rho = np.where(none, 0.0, np.clip(rho, 0.0, deepest))  # balls are convex: never beyond the deepest member
    unit = (r0 + lean) / safe[..., None]
    first_at = np.argmax(np.isfinite(lc), axis=-1)[..., None, None]
    first = np.take_along_axis(u, first_at, axis=-2)[..., 0, :]
    direction_from = np.where(none, FIRST, OWN).astype(np.int8)
    return Midpoint(rho / k, np.where(none[..., None], first, unit), direction_from)


def _log_coefficients(a: Float, lw: Float, k: float, p: float, radius: Radius) -> Float:
    """log(w·rᵖ·λ), with r = x₀ or r = ρ and λ = x₀."""
    if not (np.isfinite(p) and p >= 0):
        raise HyperbolicError(f"the power p must be finite and ≥ 0, not {p}")
    log_time = log_cosh(a) - np.log(k)
    if p == 0:
        return np.asarray(lw + log_time)
    if radius == "x0":
        return np.asarray(lw + (p + 1) * log_time)
    with np.errstate(divide="ignore"):
        lc = lw + log_time + p * np.log(a / k)
    none = ~np.any(np.isfinite(lc), axis=-1, keepdims=True)  # r = ρ = 0 for every member: all are the origin
    return np.where(none, lw, lc)


def einstein(rho: ArrayLike, u: ArrayLike, weights: ArrayLike | None = None, K: float = -1.0) -> Midpoint:
    """Einstein midpoint Π_K(Σ w Φ).

    Raises
    ------
    HyperbolicError
        An empty set, a non-finite number, a negative weight, or all weights zero (also for the other midpoints).
    """
    a, u, lw, k = _prepare(rho, u, weights, K)
    return _weighted(a, u, lw, k)


def lambda_weighted(rho: ArrayLike, u: ArrayLike, weights: ArrayLike | None = None, K: float = -1.0) -> Midpoint:
    """Π_K(Σ w λ Φ), λ = x₀: what AreoRAG Eq. 13 gives at p = 0 (and is not the Einstein midpoint)."""
    a, u, lw, k = _prepare(rho, u, weights, K)
    return _weighted(a, u, _log_coefficients(a, lw, k, 0.0, "x0"), k)


def oem(
    rho: ArrayLike, u: ArrayLike, weights: ArrayLike | None = None, K: float = -1.0, p: float = 2.0,
    radius: Radius = "x0",
) -> Midpoint:  # fmt: skip
    """Spatial OEM as printed, Π_K(Σ w rᵖ λ Φ) (AreoRAG Eq. 13); r = x₀ (paper) or ρ (ablation).

    With r = x₀ and p = 2 one HiRISE product (0.3 m) outweighs a MOLA product (463 m) 3.7e9 : 1 (r²λ).
    """
    a, u, lw, k = _prepare(rho, u, weights, K)
    return _weighted(a, u, _log_coefficients(a, lw, k, p, radius), k)


def outward_midpoint(
    rho: ArrayLike, u: ArrayLike, weights: ArrayLike | None = None, K: float = -1.0, p: float = 2.0,
    radius: Radius = "x0",
) -> Midpoint:  # fmt: skip
    """OEM's direction at the largest depth of einstein, lambda_weighted and oem (METHODS §1).

    Theorem (outward bias). ρ(outward) ≥ ρ(einstein), ρ(lambda_weighted), ρ(oem), and ρ(outward) ≤ max ρᵢ.
    Proof. The first is the definition. Each of the three is a positive combination of members projected to the
    hyperboloid, hence in their geodesic convex hull; the ball of radius max ρᵢ about the origin is convex and holds
    the members, so it holds the hull. ∎

    Where OEM has no direction because its members cancel, Einstein's is taken; where that has none either, the first
    member's: `direction_from` says which.
    """
    a, u, lw, k = _prepare(rho, u, weights, K)
    by_einstein = _weighted(a, u, lw, k)
    by_lambda = _weighted(a, u, _log_coefficients(a, lw, k, 0.0, "x0"), k)
    by_oem = _weighted(a, u, _log_coefficients(a, lw, k, p, radius), k)
    deepest = np.maximum(np.maximum(by_einstein.rho, by_lambda.rho), by_oem.rho)
    lost = by_oem.direction_from == FIRST
    direction = np.where(lost[..., None], by_einstein.u, by_oem.u)
    source = np.where(lost, np.where(by_einstein.direction_from == FIRST, FIRST, EINSTEIN), OWN)
    return Midpoint(deepest, direction, source.astype(np.int8))


def log_mean_time(
    rho: ArrayLike, weights: ArrayLike | None = None, K: float = -1.0, p: float = 2.0, radius: Radius = "x0"
) -> Float:
    """log of Σ w rᵖ λ x₀ / Σ w rᵖ λ: the time component of Eq. 13 *before* Π_K. It grows with p (Chebyshev)."""
    rho = np.asarray(rho, dtype=np.float64)
    u = np.zeros((*rho.shape, 2))
    u[..., 0] = 1.0
    a, _, lw, k = _prepare(rho, u, weights, K)
    lc = _log_coefficients(a, lw, k, p, radius)
    return np.asarray(_logsumexp(lc + log_cosh(a) - np.log(k)) - _logsumexp(lc))
