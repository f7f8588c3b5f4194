r"""The Lorentz (hyperboloid) model of hyperbolic space with any curvature K < 0 (AreoRAG Definition 3).

.. math::  H^d_K = \{ x \in R^{d+1} : <x, x>_L = 1/K,\ x_0 > 0 \},\qquad <x, y>_L = -x_0 y_0 + \sum_i x_i y_i

Two ways to hold a point
------------------------
*Polar* ``(rho, u)``: the geodesic distance from the origin and a unit vector. It is what the graph stores and what
computation starts from; :func:`distance` is accurate to about 1e-15 at any depth.

*Vector* ``x = (cosh(a), sinh(a) u) / √-K`` with ``a = √-K·rho``. At a = 25 the constraint ``<x, x> = 1/K`` is a
difference of two numbers of 1e21, of which float64 keeps sixteen digits, so every formula that forms it loses
``e^{2a}·1e-16``. The vector functions are for points that come as vectors; :data:`VECTOR_DOMAIN` says how far each
holds. The polar counterparts of exp, log and transport are in :mod:`areorag.hyperbolic.polar`.

All functions are batched over leading axes with numpy's broadcasting, take and return float64, and check nothing but
the curvature: use the ``check_*`` functions, which return ``(ok, reason)``, where input comes from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError
from .batch import Points
from .chord import LINEAR_LIMIT, distance_from_chord2, log_cosh, log_sinh, sqrt_k
from .distance import distance, pairwise_distance

Float = NDArray[np.float64]

VECTOR_DOMAIN: dict[str, float] = {
    "distance_half_chord": 7.0,
    "log": 5.0,
    "exp": 4.0,
    "transport": 5.0,
}
"""Largest a = √-K·rho of all points involved up to which the vector form keeps a relative error ≤ 1e-9, for points at
least 0.1/√-K apart; the tests measure it. acosh(K<x, y>) is not offered: it fails first."""

__all__ = [
    "LINEAR_LIMIT",
    "VECTOR_DOMAIN",
    "Lorentz",
    "Points",
    "check_point",
    "check_polar",
    "check_tangent",
    "distance",
    "distance_from_chord2",
    "distance_half_chord",
    "exp",
    "exp_origin",
    "from_polar",
    "inner",
    "log",
    "log_cosh",
    "log_origin",
    "log_sinh",
    "norm",
    "origin",
    "pairwise_distance",
    "project",
    "project_tangent",
    "rescale",
    "sqrt_k",
    "to_polar",
    "transport",
    "transvection",
]


def _a(x: ArrayLike) -> Float:
    return np.asarray(x, dtype=np.float64)


# --- polar and vector -----------------------------------------------------------------------------------------------


def to_polar(x: ArrayLike, K: float = -1.0) -> tuple[Float, Float]:
    """(rho, u) of vectors (..., d+1), from their space components alone: rho = asinh(√-K |x_s|)/√-K.

    Good at any depth that float64 holds. At the origin, which has no direction, u is the first axis.
    """
    k = sqrt_k(K)
    space = _a(x)[..., 1:]
    norm = np.linalg.norm(space, axis=-1)
    first = np.zeros(space.shape[-1])
    first[0] = 1.0
    safe = np.where(norm > 0, norm, 1.0)[..., None]
    return np.arcsinh(k * norm) / k, np.where(norm[..., None] > 0, space / safe, first)


def from_polar(rho: ArrayLike, u: ArrayLike, K: float = -1.0) -> Float:
    """Vectors (..., d+1) from (rho, u): x = (cosh(√-K·rho), sinh(√-K·rho)·u)/√-K (AreoRAG Eq. 5).

    Raises
    ------
    HyperbolicError
        √-K·rho > 709: cosh overflows float64.
    """
    k = sqrt_k(K)
    a, u = k * _a(rho), _a(u)
    if a.size and float(np.max(a)) > 709.0:
        raise HyperbolicError("depth too large for a float64 vector; keep the polar form")
    a, u = np.broadcast_arrays(a[..., None], u)
    return np.concatenate([np.cosh(a[..., :1]), np.sinh(a) * u], axis=-1) / k


# --- vector form --------------------------------------------------------------------------------------------------


def inner(x: ArrayLike, y: ArrayLike) -> Float:
    """Lorentzian inner product -x₀y₀ + Σ xᵢyᵢ of (..., d+1) vectors → (...)  (AreoRAG Definition 3)."""
    x, y = _a(x), _a(y)
    return np.asarray(np.einsum("...i,...i->...", x[..., 1:], y[..., 1:]) - x[..., 0] * y[..., 0])


def distance_half_chord(x: ArrayLike, y: ArrayLike, K: float = -1.0) -> Float:
    """Distance of points given as vectors: (2/√-K) asinh(√(-K <x-y, x-y>)/2).

    For near points at small depth it is as good as the polar form; on float64 vectors at depth 10 it is off by about
    1e-5, at 15 by ten per cent (METHODS §1). Use :func:`distance` wherever (rho, u) is known.
    """
    k = sqrt_k(K)
    diff = _a(x) - _a(y)
    return np.asarray(np.arcsinh(0.5 * k * np.sqrt(np.maximum(inner(diff, diff), 0.0))) * (2.0 / k))


def origin(d: int, K: float = -1.0) -> Float:
    """The origin o = (1/√-K, 0, …, 0) of H^d, (d+1,)."""
    o = np.zeros(d + 1)
    o[0] = 1.0 / sqrt_k(K)
    return o


def project(x: ArrayLike, K: float = -1.0) -> Float:
    """The point with the space components of x: x₀ = √(1/(-K) + |x_s|²). (..., d+1) → same."""
    k = sqrt_k(K)
    space = _a(x)[..., 1:]
    time = np.hypot(1.0 / k, np.linalg.norm(space, axis=-1))
    return np.concatenate([time[..., None], space], axis=-1)


def rescale(v: ArrayLike, K: float = -1.0) -> Float:
    """Π_K(v) = v/√(K<v,v>) for time-like v with v₀ > 0 (AreoRAG Eq. 13). (..., d+1) → same.

    Raises
    ------
    HyperbolicError
        Some v is not time-like and future-pointing.
    """
    sqrt_k(K)
    v = _a(v)
    norm2 = inner(v, v)
    if not bool(np.all((norm2 < 0) & (v[..., 0] > 0))):
        raise HyperbolicError("Π_K needs <v, v> < 0 and v₀ > 0")
    return np.asarray(v / np.sqrt(K * norm2)[..., None])


def project_tangent(x: ArrayLike, v: ArrayLike, K: float = -1.0) -> Float:
    """Orthogonal projection of v on the tangent space at x: v - K<x, v>x. (..., d+1) → same."""
    sqrt_k(K)
    x, v = _a(x), _a(v)
    return np.asarray(v - K * inner(x, v)[..., None] * x)


def norm(v: ArrayLike) -> Float:
    """Length √<v, v> of tangent vectors (..., d+1) → (...); rounding below zero gives 0."""
    return np.asarray(np.sqrt(np.maximum(inner(v, v), 0.0)))


def exp(x: ArrayLike, v: ArrayLike, K: float = -1.0) -> Float:
    """Exponential map exp_x(v) = cosh(√-K|v|) x + sinh(√-K|v|) v/(√-K|v|). (..., d+1) → same."""
    k = sqrt_k(K)
    x, v = _a(x), _a(v)
    length = k * norm(v)
    return np.asarray(np.cosh(length)[..., None] * x + _sinhc(length)[..., None] * v)


def log(x: ArrayLike, y: ArrayLike, K: float = -1.0) -> Float:
    """Logarithmic map log_x(y): the tangent vector at x of length d(x, y) towards y. (..., d+1) → same."""
    x, y = _a(x), _a(y)
    direction = project_tangent(x, y - x, K)
    length = norm(direction)
    d = distance_half_chord(x, y, K)
    scale = np.where(length > 0, d / np.where(length > 0, length, 1.0), 1.0)
    return np.asarray(scale[..., None] * direction)


def transport(x: ArrayLike, y: ArrayLike, v: ArrayLike, K: float = -1.0) -> Float:
    """Parallel transport of v ∈ T_x along the geodesic to y: v - K<y, v>/(1 + K<x, y>) (x + y). (..., d+1)."""
    sqrt_k(K)
    x, y, v = _a(x), _a(y), _a(v)
    factor = K * inner(y, v) / (1.0 + K * inner(x, y))
    return np.asarray(v - factor[..., None] * (x + y))


def exp_origin(v: ArrayLike, K: float = -1.0) -> Float:
    """exp at the origin of space-like v given by its d space components: (..., d) → (..., d+1)."""
    k = sqrt_k(K)
    v = _a(v)
    length = k * np.linalg.norm(v, axis=-1)
    return np.concatenate([(np.cosh(length) / k)[..., None], _sinhc(length)[..., None] * v], axis=-1)


def log_origin(x: ArrayLike, K: float = -1.0) -> Float:
    """log at the origin: (..., d+1) → the d space components rho·u (the time component is 0)."""
    rho, u = to_polar(x, K)
    return np.asarray(rho[..., None] * u)


def transvection(x: ArrayLike, y: ArrayLike, K: float = -1.0) -> Float:
    """Matrix (d+1, d+1) of the transvection that carries x to y along their geodesic (AreoRAG Eq. 7).

    It is the Lorentz boost T p = p + s<s, p>/(1 - <x, y>) - 2y<x, p> with s = x + y (x, y scaled to K = -1), for which
    exp_y Γ_{x→y} log_x(p) = T p for every p: an isometry. x, y are (d+1,).
    """
    k = sqrt_k(K)
    x, y = k * _a(x), k * _a(y)
    metric = np.ones_like(x)
    metric[0] = -1.0
    s = x + y
    denominator = 1.0 - float(inner(x, y))
    return np.asarray(np.eye(x.shape[0]) + np.outer(s, s * metric) / denominator - 2.0 * np.outer(y, x * metric))


def _sinhc(x: Float) -> Float:
    """sinh(x)/x, 1 at 0."""
    safe = np.where(np.abs(x) > 1e-8, x, 1.0)
    return np.where(np.abs(x) > 1e-8, np.sinh(safe) / safe, 1.0 + x * x / 6.0)


# --- checks -------------------------------------------------------------------------------------------------------


def check_point(x: ArrayLike, K: float = -1.0, rtol: float = 1e-9) -> tuple[bool, str]:
    """Whether (..., d+1) vectors lie on the hyperboloid: (ok, reason). The slack grows with x₀² as rounding does."""
    k = sqrt_k(K)
    x = _a(x)
    if x.ndim == 0 or x.shape[-1] < 2:
        return False, "a point needs a time and at least one space component"
    if not np.all(np.isfinite(x)):
        return False, "a coordinate is not finite"
    if np.any(x[..., 0] <= 0):
        return False, "x₀ ≤ 0: the lower sheet"
    expected = np.hypot(1.0 / k, np.linalg.norm(x[..., 1:], axis=-1))
    worst = float(np.max(np.abs(x[..., 0] / expected - 1.0), initial=0.0))
    if worst > rtol:
        return False, f"x₀ is off √(1/-K + |x_s|²) by {worst:.2e} (relative)"
    return True, ""


def check_tangent(x: ArrayLike, v: ArrayLike, K: float = -1.0, rtol: float = 1e-9) -> tuple[bool, str]:
    """Whether v is tangent at x, <x, v> = 0 within rounding: (ok, reason)."""
    sqrt_k(K)
    x, v = _a(x), _a(v)
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(v))):
        return False, "a coordinate is not finite"
    scale = np.linalg.norm(x, axis=-1) * np.linalg.norm(v, axis=-1)
    worst = float(np.max(np.abs(inner(x, v)) / np.where(scale > 0, scale, 1.0), initial=0.0))
    return (True, "") if worst <= rtol else (False, f"<x, v> is {worst:.2e} of |x||v|, not 0")


def check_polar(rho: ArrayLike, u: ArrayLike, tol: float = 1e-9) -> tuple[bool, str]:
    """Whether rho ≥ 0 is finite and u has unit length within tol: (ok, reason)."""
    rho, u = _a(rho), _a(u)
    if not (np.all(np.isfinite(rho)) and np.all(np.isfinite(u))):
        return False, "a number is not finite"
    if np.any(rho < 0):
        return False, "rho < 0: a depth is a distance"
    worst = float(np.max(np.abs(np.linalg.norm(u, axis=-1) - 1.0), initial=0.0))
    return (True, "") if worst <= tol else (False, f"|u| is off 1 by {worst:.2e}")


@dataclass(frozen=True)
class Lorentz:
    """Hyperbolic space of curvature `K`: the functions of this module with K bound.

    >>> float(Lorentz(-4.0).distance(1.0, [1.0, 0.0], 3.0, [1.0, 0.0]))
    2.0
    """

    K: float = -1.0

    def __post_init__(self) -> None:
        sqrt_k(self.K)

    def distance(self, rho_x: ArrayLike, u: ArrayLike, rho_y: ArrayLike, v: ArrayLike) -> Float:
        """See :func:`distance`."""
        return distance(rho_x, u, rho_y, v, self.K)

    def pairwise_distance(self, rho_x: ArrayLike, u: ArrayLike, rho_y: ArrayLike, v: ArrayLike) -> Float:
        """See :func:`pairwise_distance`."""
        return pairwise_distance(rho_x, u, rho_y, v, self.K)

    def distance_half_chord(self, x: ArrayLike, y: ArrayLike) -> Float:
        """See :func:`distance_half_chord`."""
        return distance_half_chord(x, y, self.K)

    def from_polar(self, rho: ArrayLike, u: ArrayLike) -> Float:
        """See :func:`from_polar`."""
        return from_polar(rho, u, self.K)

    def to_polar(self, x: ArrayLike) -> tuple[Float, Float]:
        """See :func:`to_polar`."""
        return to_polar(x, self.K)

    def origin(self, d: int) -> Float:
        """See :func:`origin`."""
        return origin(d, self.K)

    def project(self, x: ArrayLike) -> Float:
        """See :func:`project`."""
        return project(x, self.K)

    def rescale(self, v: ArrayLike) -> Float:
        """See :func:`rescale`."""
        return rescale(v, self.K)

    def project_tangent(self, x: ArrayLike, v: ArrayLike) -> Float:
        """See :func:`project_tangent`."""
        return project_tangent(x, v, self.K)

    def exp(self, x: ArrayLike, v: ArrayLike) -> Float:
        """See :func:`exp`."""
        return exp(x, v, self.K)

    def log(self, x: ArrayLike, y: ArrayLike) -> Float:
        """See :func:`log`."""
        return log(x, y, self.K)

    def transport(self, x: ArrayLike, y: ArrayLike, v: ArrayLike) -> Float:
        """See :func:`transport`."""
        return transport(x, y, v, self.K)

    def exp_origin(self, v: ArrayLike) -> Float:
        """See :func:`exp_origin`."""
        return exp_origin(v, self.K)

    def log_origin(self, x: ArrayLike) -> Float:
        """See :func:`log_origin`."""
        return log_origin(x, self.K)

    def transvection(self, x: ArrayLike, y: ArrayLike) -> Float:
        """See :func:`transvection`."""
        return transvection(x, y, self.K)

    def check_point(self, x: ArrayLike, rtol: float = 1e-9) -> tuple[bool, str]:
        """See :func:`check_point`."""
        return check_point(x, self.K, rtol)
