"""HEALPix cells in nested order: hierarchical equal-area cells that cover footprints (METHODS §2, planetary-VO MOC).

Pure numpy, vectorised over cells. A cell is (order, index): order o divides each of the 12 base cells into 4**o.

References
----------
.. [1] Górski, K. M. et al. (2005), Astrophys. J. 622, 759-771.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MAX_ORDER = 24

_JR = np.array([2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4], dtype=float)
_JP = np.array([1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7], dtype=float)


def _spread(v: IntArray) -> IntArray:
    """Bits of v at even places."""
    v = v & 0xFFFFFFFF
    v = (v | (v << 16)) & 0x0000FFFF0000FFFF
    v = (v | (v << 8)) & 0x00FF00FF00FF00FF
    v = (v | (v << 4)) & 0x0F0F0F0F0F0F0F0F
    v = (v | (v << 2)) & 0x3333333333333333
    return (v | (v << 1)) & 0x5555555555555555


def _gather(v: IntArray) -> IntArray:
    """Even bits of v, packed."""
    v = v & 0x5555555555555555
    v = (v | (v >> 1)) & 0x3333333333333333
    v = (v | (v >> 2)) & 0x0F0F0F0F0F0F0F0F
    v = (v | (v >> 4)) & 0x00FF00FF00FF00FF
    v = (v | (v >> 8)) & 0x0000FFFF0000FFFF
    return (v | (v >> 16)) & 0x00000000FFFFFFFF


def cell_of(order: int, lon_deg: Any, lat_deg: Any) -> IntArray:
    """Index of the cell that holds each point, (n,)."""
    nside = 1 << order
    lon, lat = np.atleast_1d(np.asarray(lon_deg, dtype=float)), np.atleast_1d(np.asarray(lat_deg, dtype=float))
    z = np.sin(np.radians(lat))
    one_minus_za = np.cos(np.radians(lat)) ** 2 / (1.0 + np.abs(z))
    tt = np.mod(np.radians(lon), 2 * np.pi) * (2.0 / np.pi)
    tt = np.where(tt >= 4.0, 0.0, tt)
    # equatorial belt
    t1, t2 = nside * (0.5 + tt), nside * z * 0.75
    jp, jm = np.floor(t1 - t2).astype(np.int64), np.floor(t1 + t2).astype(np.int64)
    fp, fm = jp // nside, jm // nside
    face = np.where(fp == fm, (fp & 3) | 4, np.where(fp < fm, fp & 3, (fm & 3) + 8))
    ix, iy = jm & (nside - 1), nside - (jp & (nside - 1)) - 1
    # polar caps
    polar = np.abs(z) > 2.0 / 3.0
    if polar.any():
        ntt = np.minimum(3, tt.astype(np.int64))
        tp, tmp = tt - ntt, nside * np.sqrt(3.0 * one_minus_za)
        jp = np.minimum((tp * tmp).astype(np.int64), nside - 1)
        jm = np.minimum(((1.0 - tp) * tmp).astype(np.int64), nside - 1)
        north = z >= 0
        face = np.where(polar, np.where(north, ntt, ntt + 8), face)
        ix = np.where(polar, np.where(north, nside - jm - 1, jp), ix)
        iy = np.where(polar, np.where(north, nside - jp - 1, jm), iy)
    return np.asarray(face * nside * nside + (_spread(ix) | (_spread(iy) << 1)), dtype=np.int64)


def position(order: int, index: Any, dx: float = 0.5, dy: float = 0.5) -> FloatArray:
    """Unit vectors (n, 3) of the point (dx, dy) in [0, 1]² of each cell; (0.5, 0.5) is its centre."""
    nside = 1 << order
    idx = np.atleast_1d(np.asarray(index, dtype=np.int64))
    face, rest = idx // (nside * nside), idx % (nside * nside)
    x = (_gather(rest) + dx) / nside
    y = (_gather(rest >> 1) + dy) / nside
    jr = _JR[face] - x - y
    north, south = jr < 1.0, jr > 3.0
    nr = np.where(north, jr, np.where(south, 4.0 - jr, 1.0))
    tmp = nr * nr / 3.0
    z = np.where(north, 1.0 - tmp, np.where(south, tmp - 1.0, (2.0 - jr) * 2.0 / 3.0))
    sin_theta = np.where(north | south, np.sqrt(tmp * (2.0 - tmp)), np.sqrt(np.maximum(0.0, 1.0 - z * z)))
    turn = _JP[face] * nr + x - y
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = np.where(nr < 1e-15, 0.0, (0.25 * np.pi) * turn / nr)
    return np.stack([sin_theta * np.cos(phi), sin_theta * np.sin(phi), z], axis=-1)


def corners(order: int, index: Any) -> FloatArray:
    """Unit vectors (n, 4, 3) of each cell's corners: north, west, south, east."""
    return np.stack([position(order, index, *d) for d in ((1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0))], axis=1)


def circumradius(order: int) -> float:
    """No point of a cell of this order is farther from its centre, radians ([1]_; with 0.1 % to spare)."""
    nside = 1 << order
    z1, phi = 2.0 / 3.0, math.pi / (4.0 * nside)
    z2 = 1.0 - (1.0 - 1.0 / nside) ** 2 / 3.0
    s1, s2 = math.sqrt(1.0 - z1 * z1), math.sqrt(1.0 - z2 * z2)
    a, b = np.array([s1 * math.cos(phi), s1 * math.sin(phi), z1]), np.array([s2, 0.0, z2])
    return 1.001 * 2.0 * math.asin(min(1.0, float(np.linalg.norm(a - b)) / 2.0))


def inradius(order: int) -> float:
    """Every point nearer than this to a cell's centre lies in the cell, radians (a lower bound over all cells)."""
    return 0.5 * math.sqrt(math.pi / 3.0) / (1 << order) * 0.66


def edge_bulge(order: int) -> float:
    """A cell's edge leaves the great circle between its corners by at most this, radians (worst beside the poles)."""
    return (0.08, 0.06)[order] if order < 2 else 0.07 / (1 << order)


def children(index: Any) -> IntArray:
    """Indices (n, 4) one order finer."""
    return np.asarray(np.asarray(index, dtype=np.int64)[..., None] * 4 + np.arange(4), dtype=np.int64)
