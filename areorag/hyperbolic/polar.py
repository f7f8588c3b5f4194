r"""Exponential map, logarithm, parallel transport and frame alignment in polar form (AreoRAG §III-B, Eq. 7).

A point is ``(rho, u)``; a tangent vector at it is ``(a, b)``: its length `a` along the outward radius and its part
`b` ∈ R^d, perpendicular to u, across it, in an orthonormal frame. Everything follows from the hyperbolic triangle with
its third corner at the origin, written so that no two large numbers are subtracted: the maps hold at any depth, where
their vector forms in :mod:`areorag.hyperbolic.lorentz` stop at a depth of about 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .lorentz import distance, distance_from_chord2, sqrt_k

Float = NDArray[np.float64]


def _a(x: ArrayLike) -> Float:
    return np.asarray(x, dtype=np.float64)


def _unit(x: Float, fallback: Float) -> tuple[Float, Float]:
    """(x/|x|, |x|) along the last axis; `fallback` where |x| = 0."""
    length = np.linalg.norm(x, axis=-1)
    safe = np.where(length > 0, length, 1.0)[..., None]
    return np.where(length[..., None] > 0, x / safe, fallback), length


def perpendicular(u: ArrayLike) -> Float:
    """Some unit vector perpendicular to u (..., d), chosen deterministically."""
    u = _a(u)
    axis = np.argmin(np.abs(u), axis=-1)
    e = np.zeros_like(u)
    np.put_along_axis(e, axis[..., None], 1.0, axis=-1)
    out, _ = _unit(e - np.einsum("...i,...i->...", e, u)[..., None] * u, e)
    return out


def _turn(u: Float, v: Float) -> tuple[Float, Float, Float]:
    """(sin²(θ/2), θ, e): the angle from u to v and the unit vector at u, perpendicular to u, towards v."""
    diff = v - u
    chord2 = np.einsum("...i,...i->...", diff, diff)
    across = diff + 0.5 * chord2[..., None] * u  # v - u = (cos θ - 1) u + sin θ e
    across = across - np.einsum("...i,...i->...", across, u)[..., None] * u
    e, _ = _unit(across, perpendicular(u))
    theta = 2.0 * np.arctan2(np.sqrt(chord2), np.linalg.norm(u + v, axis=-1))  # good at both ends
    return np.minimum(0.25 * chord2, 1.0), theta, e


def _angles(rho_x: Float, rho_y: Float, s2: Float, theta: Float, k: float) -> tuple[Float, Float, Float, Float]:
    """(cos α, sin α, cos β, sin β): angles of the geodesic x→y with the outward radius, at x and (continued) at y.

    With the common factor sinh(d) left out: at x, (sinh Δ - 2 cosh ρ₁ sinh ρ₂ s², sinh ρ₂ sin θ); all divided by
    e^{ρ₁+ρ₂} so that nothing overflows. Pairs, not angles: near π an angle would lose what the sine still holds.
    """
    a, b = k * rho_x, k * rho_y
    grow = _scaled_sinh(b, a, k * (rho_y - rho_x))
    cosh_a, sinh_b = 0.5 * (1 + np.exp(-2 * a)), -0.5 * np.expm1(-2 * b)
    cosh_b, sinh_a = 0.5 * (1 + np.exp(-2 * b)), -0.5 * np.expm1(-2 * a)
    cos_a, sin_a = _direction(grow - 2 * cosh_a * sinh_b * s2, sinh_b * np.exp(-a) * np.sin(theta))
    cos_b, sin_b = _direction(grow + 2 * cosh_b * sinh_a * s2, sinh_a * np.exp(-b) * np.sin(theta))
    return cos_a, sin_a, cos_b, sin_b


def _scaled_sinh(p: Float, q: Float, gap: Float) -> Float:
    """sinh(gap)·e^{-(p+q)} for p, q ≥ 0 and gap = p - q: no overflow, no cancellation where p ≈ q."""
    close = np.abs(gap) < 1.0
    near = np.sinh(np.where(close, gap, 0.0)) * np.exp(-(p + q))
    return np.where(close, near, 0.5 * (np.exp(-2 * q) - np.exp(-2 * p)))


def _direction(x: Float, y: Float) -> tuple[Float, Float]:
    """(x, y)/√(x²+y²); (1, 0) for (0, 0)."""
    length = np.hypot(x, y)
    safe = np.where(length > 0, length, 1.0)
    return np.where(length > 0, x / safe, 1.0), np.where(length > 0, y / safe, 0.0)


def log_polar(rho_x: ArrayLike, u: ArrayLike, rho_y: ArrayLike, v: ArrayLike, K: float = -1.0) -> tuple[Float, Float]:
    """Logarithmic map at x = (rho_x, u) of y = (rho_y, v): (a (...), b (..., d)), a² + |b|² = d(x, y)²."""
    k = sqrt_k(K)
    rx, ry, u, v = _a(rho_x), _a(rho_y), _a(u), _a(v)
    s2, theta, e = _turn(u, v)
    cos, sin, _, _ = _angles(rx, ry, s2, theta, k)
    d = distance(rx, u, ry, v, K)
    return np.asarray(d * cos), (d * sin)[..., None] * e


def exp_polar(rho: ArrayLike, u: ArrayLike, a: ArrayLike, b: ArrayLike, K: float = -1.0) -> tuple[Float, Float]:
    """Exponential map at (rho, u) of the tangent vector (a, b): the point (rho', u')."""
    k = sqrt_k(K)
    rho, u, a, b = _a(rho), _a(u), _a(a), _a(b)
    e, across = _unit(b, perpendicular(np.broadcast_to(u, np.broadcast_shapes(u.shape, b.shape))))
    r = np.hypot(a, across)
    c2 = np.sin(0.5 * np.arctan2(across, -a)) ** 2  # cos²(α/2), from π - α: exact for geodesics back to the origin
    new_rho = distance_from_chord2(rho, r, 4.0 * c2, K)
    p, q = k * rho, k * r
    # (sin θ, cos θ)·sinh ρ', scaled by e^{-(p+q)}
    cosh_p, sinh_q = 0.5 * (1 + np.exp(-2 * p)), -0.5 * np.expm1(-2 * q)
    sine = across / np.where(r > 0, r, 1.0)
    theta = np.arctan2(np.exp(-p) * sinh_q * sine, _scaled_sinh(p, q, k * (rho - r)) + 2 * cosh_p * sinh_q * c2)
    moved = np.cos(theta)[..., None] * u + np.sin(theta)[..., None] * e
    out, _ = _unit(moved, u)
    return new_rho, out


def transport_polar(
    rho_x: ArrayLike, u: ArrayLike, rho_y: ArrayLike, v: ArrayLike, a: ArrayLike, b: ArrayLike, K: float = -1.0
) -> tuple[Float, Float]:
    """Parallel transport of (a, b) from x = (rho_x, u) to y = (rho_y, v) along their geodesic: (a', b')."""
    k = sqrt_k(K)
    rx, ry, u, v, a, b = _a(rho_x), _a(rho_y), _a(u), _a(v), _a(a), _a(b)
    s2, theta, e = _turn(u, v)
    cos_a, sin_a, cos_b, sin_b = _angles(rx, ry, s2, theta, k)
    along = np.einsum("...i,...i->...", b, e)
    rest = b - along[..., None] * e  # perpendicular to the plane of the triangle: unchanged
    cos, sin = cos_b * cos_a + sin_b * sin_a, sin_b * cos_a - cos_b * sin_a  # turned by β - α
    new_a, new_along = cos * a - sin * along, sin * a + cos * along
    e_y = np.cos(theta)[..., None] * e - np.sin(theta)[..., None] * u
    return np.asarray(new_a), rest + new_along[..., None] * e_y


def align(
    rho: ArrayLike, u: ArrayLike, local: tuple[ArrayLike, ArrayLike], world: tuple[ArrayLike, ArrayLike],
    K: float = -1.0,
) -> tuple[Float, Float]:  # fmt: skip
    """Frame alignment Φ_aligned = exp_{o_g} Γ_{o_k→o_g} log_{o_k}(Φ_k)  (AreoRAG Eq. 7), in polar form.

    A transvection: an isometry. All pairwise distances hold, and the distance from o_k becomes the distance from
    o_g. The depth measured from one fixed origin does *not* hold (unless o_k = o_g), which the paper's "preserves
    radial depth" leaves out.

    Parameters
    ----------
    rho, u : (n,), (n, d) points in the local frame
    local, world : the origins o_k and o_g, each (rho, (d,) direction)

    Returns
    -------
    (rho', u') of the aligned points
    """
    u = _a(u)
    o_k = (np.broadcast_to(_a(local[0]), u.shape[:-1]), np.broadcast_to(_a(local[1]), u.shape))
    o_g = (np.broadcast_to(_a(world[0]), u.shape[:-1]), np.broadcast_to(_a(world[1]), u.shape))
    a, b = log_polar(o_k[0], o_k[1], rho, u, K)
    a, b = transport_polar(o_k[0], o_k[1], o_g[0], o_g[1], a, b, K)
    return exp_polar(o_g[0], o_g[1], a, b, K)


def bearing(u: ArrayLike, v: ArrayLike) -> tuple[Float, Float]:
    """(cos, sin) of the initial great-circle bearing from u to v, clockwise from north (AreoRAG Eq. 9, ψ_geo).

    u, v are (..., 3) directions on the body (z = north pole). The sine stands beside the cosine because a cosine
    alone cannot tell east from west. Where the bearing is undefined (same or opposite points, u a pole) it is (1, 0).
    """
    u, v = _a(u), _a(v)
    east = np.stack([-u[..., 1], u[..., 0], np.zeros_like(u[..., 0])], axis=-1)
    e = np.einsum("...i,...i->...", east, v)
    # north = z - (z·u) u, up to the factor |east|
    n = v[..., 2] - u[..., 2] * np.einsum("...i,...i->...", u, v)
    e, n = np.broadcast_arrays(e, n)
    length = np.hypot(e, n)
    ok = length > 1e-15
    safe = np.where(ok, length, 1.0)
    return np.where(ok, n / safe, 1.0), np.where(ok, e / safe, 0.0)
