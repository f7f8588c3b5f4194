r"""Scale-aware Lorentz embedding in closed form (AreoRAG Eq. 5, METHODS §1 Radius and Direction).

Depth from resolution, ρ = ln(ℓ_max/ℓ); direction from position and, if asked for, text,
u = normalise(√s·n̂ ⊕ √(1-s)·t). With s = 1 and ℓ_max = R the geodesic distance is a scale-space metric: for two fine
products (K = -1) sinh²(d/2) ≈ ¼(√(ℓ₁/ℓ₂) - √(ℓ₂/ℓ₁))² + (arc length)²/(16 ℓ₁ℓ₂). No torch, no training.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError
from .lorentz import from_polar, sqrt_k
from .midpoint import outward_midpoint

Float = NDArray[np.float64]

PROJECTION_VERSION = 1
"""Version of the text projection: raise it when :func:`text_projection` gives other numbers for the same seed."""


@dataclass(frozen=True)
class Embedding:
    """n points of H^d: rho (n,) geodesic depths, u (n, d) unit directions, lorentz (n, d+1) vectors for export.

    `clamped` (n,) marks points whose resolution was coarser than ℓ_max and which therefore sit at the origin.
    """

    rho: Float
    u: Float
    lorentz: Float
    clamped: NDArray[np.bool_]


def coarsest(resolution_m: ArrayLike) -> float:
    """The paper's choice of ℓ_max: the coarsest finite resolution present, metres.

    Raises
    ------
    HyperbolicError
        There is no finite positive resolution.
    """
    ell = np.asarray(resolution_m, dtype=np.float64)
    ell = ell[np.isfinite(ell) & (ell > 0)]
    if ell.size == 0:
        raise HyperbolicError("no finite resolution: ℓ_max cannot be the coarsest product")
    return float(np.max(ell))


def depth_of(resolution_m: ArrayLike, ell_max_m: float) -> tuple[Float, NDArray[np.bool_]]:
    """(ρ, clamped): ρ = g(ℓ) = ln(ℓ_max/ℓ), the geodesic distance from the origin (AreoRAG Eq. 5).

    Parameters
    ----------
    resolution_m : (...) metres a sample, > 0. Coarser than ℓ_max gives ρ = 0 and clamped = True.
    ell_max_m : metres, > 0

    Raises
    ------
    HyperbolicError
        A resolution is zero, negative or not finite: it has no depth. Place such a product by its extent instead.

    >>> depth_of([2.0, 10.0], 2.0)
    (array([0., 0.]), array([False,  True]))
    """
    if not (np.isfinite(ell_max_m) and ell_max_m > 0):
        raise HyperbolicError(f"ℓ_max must be finite and positive, not {ell_max_m}")
    ell = np.asarray(resolution_m, dtype=np.float64)
    bad = ~(np.isfinite(ell) & (ell > 0))
    if np.any(bad):
        value = ell[bad].ravel()[0]
        raise HyperbolicError(f"a resolution must be finite and positive (metres), not {value}")
    rho = np.log(ell_max_m) - np.log(ell)
    return np.maximum(rho, 0.0), np.asarray(ell > ell_max_m)


def resolution_of(rho: ArrayLike, ell_max_m: float) -> Float:
    """The inverse of :func:`depth_of`: ℓ = ℓ_max e^{-ρ}, metres."""
    return np.asarray(ell_max_m * np.exp(-np.asarray(rho, dtype=np.float64)))


def text_projection(in_dim: int, out_dim: int, seed: int) -> Float:
    """(in_dim, out_dim) random-sign projection, entries ±1/√out_dim; inner products hold to about 1/√out_dim.

    The signs are the bits of SHA-256 over (version, seed, shape, counter): the same on every platform and numpy.
    """
    count = in_dim * out_dim
    blocks = [
        hashlib.sha256(f"areorag-projection/{PROJECTION_VERSION}/{seed}/{in_dim}x{out_dim}/{i}".encode()).digest()
        for i in range((count + 255) // 256)
    ]
    bits = np.unpackbits(np.frombuffer(b"".join(blocks), dtype=np.uint8))[:count]
    signs = bits.astype(np.float64) * 2.0 - 1.0
    return np.asarray(signs.reshape(in_dim, out_dim) / np.sqrt(max(out_dim, 1)))


def directions(
    unit_vectors: ArrayLike,
    *,
    text: ArrayLike | None = None,
    s: float = 1.0,
    dim: int = 3,
    seed: int = 20260801,
) -> Float:
    """Unit directions u = normalise(√s·n̂ ⊕ √(1-s)·t), (n, 3) and text (n, m) → (n, dim)  (METHODS §1, Direction).

    With s = 1 the d - 3 text coordinates are zero. A row whose text vector is zero is placed by position alone.

    Raises
    ------
    HyperbolicError
        A position is not a finite non-zero 3-vector; s outside [0, 1]; s < 1 without text or with dim < 4.
    """
    n = np.atleast_2d(np.asarray(unit_vectors, dtype=np.float64))
    if n.shape[-1] != 3:
        raise HyperbolicError(f"positions are directions in 3-D, not in {n.shape[-1]}-D")
    length = np.linalg.norm(n, axis=-1, keepdims=True)
    if not np.all(np.isfinite(n)) or np.any(length == 0):
        raise HyperbolicError("a position is zero or not finite")
    if not 0.0 <= s <= 1.0:
        raise HyperbolicError(f"the spatial share s must lie in [0, 1], not {s}")
    if dim < 3:
        raise HyperbolicError(f"d must be at least 3, not {dim}")
    n = n / length
    tail = np.zeros((n.shape[0], dim - 3))
    if s < 1.0:
        if text is None or dim < 4:
            raise HyperbolicError("a spatial share below 1 needs text embeddings and d ≥ 4")
        t = np.atleast_2d(np.asarray(text, dtype=np.float64))
        if t.shape[0] != n.shape[0] or not np.all(np.isfinite(t)):
            raise HyperbolicError("text embeddings must be finite, one a position")
        t = t @ text_projection(t.shape[1], dim - 3, seed)
        size = np.linalg.norm(t, axis=-1, keepdims=True)
        tail = np.where(size > 0, t / np.where(size > 0, size, 1.0), 0.0)
        if s == 0.0 and np.any(size == 0):
            raise HyperbolicError("a text embedding is zero, and with s = 0 there is nothing else to place it by")
    u = np.concatenate([np.sqrt(s) * n, np.sqrt(1.0 - s) * tail], axis=-1)
    return np.asarray(u / np.linalg.norm(u, axis=-1, keepdims=True))


def embed_closed_form(
    unit_vectors: ArrayLike,
    resolution_m: ArrayLike,
    *,
    K: float = -1.0,
    ell_max_m: float,
    text: ArrayLike | None = None,
    s: float = 1.0,
    dim: int | None = None,
    seed: int = 20260801,
) -> Embedding:
    """Closed-form Lorentz embedding Φ of n products (AreoRAG Eq. 5).

    Parameters
    ----------
    unit_vectors : (n, 3) direction of each footprint's centroid on the body (need not be normalised)
    resolution_m : (n,) metres a sample
    ell_max_m : metres; the body's radius by default of the settings, or :func:`coarsest` (the paper)
    text : (n, m) text embeddings, needed for s < 1
    dim : d; default 3 for s = 1, else 64

    Raises
    ------
    HyperbolicError
        See :func:`depth_of` and :func:`directions`; also when the numbers of rows differ.
    """
    sqrt_k(K)
    d = dim if dim is not None else (3 if s == 1.0 else 64)
    rho, clamped = depth_of(np.atleast_1d(np.asarray(resolution_m, dtype=np.float64)), ell_max_m)
    if rho.shape[0] == 0:
        return Embedding(rho, np.zeros((0, d)), np.zeros((0, d + 1)), clamped)
    u = directions(unit_vectors, text=text, s=s, dim=d, seed=seed)
    if u.shape[0] != rho.shape[0]:
        raise HyperbolicError(f"{u.shape[0]} positions for {rho.shape[0]} resolutions")
    return Embedding(rho, u, from_polar(rho, u, K), clamped)


def embedding_version(*, K: float, ell_max_m: float, s: float, dim: int, seed: int) -> str:
    """Name of a closed-form embedding: equal names give equal numbers. Stored beside the coordinates."""
    text = "" if s == 1.0 else f";seed={seed};projection={PROJECTION_VERSION}"
    return f"closed/1;K={K:g};d={dim};lmax={ell_max_m:.17g};s={s:g}{text}"


def place_entity(
    *,
    size_m: float | None = None,
    direction: ArrayLike | None = None,
    members: tuple[ArrayLike, ArrayLike] | None = None,
    weights: ArrayLike | None = None,
    ell_max_m: float,
    K: float = -1.0,
    p: float = 2.0,
) -> tuple[float, Float]:
    """Depth and direction of an entity: from its own size (a crater's diameter), else from its hyperedges.

    Parameters
    ----------
    size_m, direction : diameter in metres and (d,) direction of a feature that has an extent of its own
    members : (rho (n,), u (n, d)) of the hyperedges that bind it; their outward midpoint places it

    Raises
    ------
    HyperbolicError
        Neither is given, or the set is empty.
    """
    if size_m is not None and direction is not None:
        rho, _ = depth_of(size_m, ell_max_m)
        u = np.asarray(direction, dtype=np.float64)
        length = float(np.linalg.norm(u))
        if not np.isfinite(length) or length == 0:
            raise HyperbolicError("an entity's direction is zero or not finite")
        return float(rho), np.asarray(u / length)
    if members is None:
        raise HyperbolicError("an entity needs a size and a direction, or hyperedges to be placed by")
    m = outward_midpoint(members[0], members[1], weights, K, p)
    return float(m.rho), m.u
