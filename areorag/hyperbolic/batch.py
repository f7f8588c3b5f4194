r"""Long batches of distances: blocks that stay in the cache, few transcendental functions (METHODS §1, Numerics).

.. math::  \cosh(√{-K}\,d) = \coshΔ + q\,(\coshΣ - \coshΔ),\qquad q = |u-v|²/4,\quad Δ, Σ = √{-K}(ρ_1 ∓ ρ_2)

is the sum of :mod:`chord` written for the hyperbolic cosine: no term is negative, so no depth is too deep for it, and
two transcendental functions a pair are saved. acosh loses what distinguishes its argument from 1, so pairs nearer than
0.69/√-K are computed again in the exact form; beyond, the two agree within 5e-14 for √-K·ρ ≤ 50 (tested).

`Points` holds what can be computed once a point, as a Lorentz vector holds cosh and sinh of its depth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError
from .chord import distance_from_chord2, sqrt_k

Float = NDArray[np.float64]
Rows = slice | NDArray[np.int64]

LONG = 4096
"""Batches longer than this are worth the blocks."""
_BLOCK = 65536
"""Distances worked on at a time. Fewer calls of numpy weigh more than the second-level cache: measured from 4096 to
262144, ADR 40."""
_SPACE = 4 * _BLOCK
"""Numbers of working space of a thread, without q."""
_NEAR = 1.25
"""cosh(√-K·d) below which the exact form is used."""
_FEW = 4
"""Dimensions up to which coordinates are kept and added column by column."""


@dataclass(frozen=True)
class _Work:
    """Working space of one thread: q (m,), the differences' (s,), and two pairs of rows that share their memory."""

    q: Float
    diff: Float
    both: Float
    spare: Float


class Points:
    """n points of H^d, prepared for many distances.

    Parameters
    ----------
    rho : (n,) depths, ≥ 0 and finite
    u : (n, d) unit directions
    K : curvature, < 0

    Raises
    ------
    HyperbolicError
        The numbers of depths and directions differ, or K is not negative.

    >>> p = Points([1.0, 3.0], [[1.0, 0.0], [1.0, 0.0]])
    >>> p.distance(p[0]).round(15).tolist()
    [0.0, 2.0]
    """

    def __init__(self, rho: ArrayLike, u: ArrayLike, K: float = -1.0) -> None:
        self.K, k = K, sqrt_k(K)
        self.rho = np.atleast_1d(np.asarray(rho, dtype=np.float64))
        half = 0.5 * np.atleast_2d(np.asarray(u, dtype=np.float64))
        if self.rho.ndim != 1 or half.shape[:1] != self.rho.shape:
            raise HyperbolicError(f"points need one direction a depth, not {half.shape} for {self.rho.shape}")
        self.dim = half.shape[1]
        self._half = np.ascontiguousarray(half.T) if self.dim <= _FEW else half
        with np.errstate(over="ignore"):  # depths beyond float64's exponent: the exact form takes over
            self._grow = np.exp(k * self.rho)
        self._deep = bool(np.isinf(self._grow).any())

    def __len__(self) -> int:
        return len(self.rho)

    def __getitem__(self, rows: int | slice | NDArray[np.int64]) -> Points:
        """Some of the points; nothing is computed again."""
        rows = slice(rows, rows + 1 or None) if isinstance(rows, int) else rows
        out = Points.__new__(Points)
        out.K, out.dim, out._deep = self.K, self.dim, self._deep
        out.rho, out._grow = self.rho[rows], self._grow[rows]
        out._half = self._half[:, rows] if self.dim <= _FEW else self._half[rows]
        return out

    def distance(self, other: Points, *, threads: int = 1, out: Float | None = None) -> Float:
        """Distances to the points of `other`, one by one; where one side holds a single point, to all of the other.

        Parameters
        ----------
        threads : the result does not depend on it
        out : (n,) float64 array to write into; it may not share memory with the points

        Returns
        -------
        (n,) distances; accuracy as :func:`areorag.hyperbolic.lorentz.distance`

        Raises
        ------
        HyperbolicError
            Other curvature, dimension or number of points.
        """
        if (self.K, self.dim) != (other.K, other.dim) or len({len(self), len(other)} - {1}) > 1:
            raise HyperbolicError("distances need points of one space, as many on both sides or one on one side")
        n = max(len(self), len(other)) if len(self) and len(other) else 0
        x, y = (other, self) if len(self) == 1 else (self, other)  # if one side is single, it is y
        return run(_Prepared(x, y), self.K, np.empty(n) if out is None else out, threads)


class _Prepared:
    """Pairs of two :class:`Points`; `y` may be a single one."""

    def __init__(self, x: Points, y: Points) -> None:
        self._x, self._y, self.dim = x, y, x.dim
        self._k, self._one = sqrt_k(x.K), len(y) == 1
        self._v = _repeated(y._half, len(x)) if self._one and x.dim > _FEW else y._half

    def depths(self, j: Rows) -> tuple[Float, Float]:
        return self._x.rho[j], self._y.rho if self._one else self._y.rho[j]

    def chord(self, j: slice, w: _Work) -> None:
        x, q = self._x, w.q
        if x.dim > _FEW:
            _sum_squares(x._half[j], self._v if self._one else self._v[j], q, w.diff)
            return
        part = w.diff[: x.dim * len(q)].reshape(x.dim, -1)
        np.subtract(x._half[:, j], self._v if self._one else self._v[:, j], out=part)
        part *= part
        np.add(part[0], part[1], out=q) if x.dim > 1 else np.copyto(q, part[0])
        for column in part[2:]:
            q += column

    def cosh(self, j: slice, w: _Work) -> Float:
        if self._x._deep or self._y._deep:
            raise OverflowError
        if self._one:
            depth = self._k * float(self._y.rho[0])
            return _against_one(self._x._grow[j], depth, w)
        both, spare = w.both, w.spare
        np.divide(self._x._grow[j], self._y._grow[j], out=both[0])
        np.multiply(self._x._grow[j], self._y._grow[j], out=both[1])
        both += np.divide(1.0, both, out=spare)
        return _mix(both, w.q, 0.5)


class Pairs:
    """Pairs as they come: depths (n,) or scalar, directions (n, d) or (d,)."""

    def __init__(self, rx: Float, u: Float, ry: Float, v: Float, K: float, n: int) -> None:
        self._k, self.dim = sqrt_k(K), u.shape[-1]
        self._x, self._y = (r if r.shape == (n,) else r.reshape(()) for r in (rx, ry))
        self._u, self._v = (w if w.shape[:-1] == (n,) else _repeated(w, n) for w in (u, v))
        self._n = n

    def depths(self, j: Rows) -> tuple[Float, Float]:
        return self._x[j] if self._x.ndim else self._x, self._y[j] if self._y.ndim else self._y

    def chord(self, j: slice, w: _Work) -> None:
        u, v = (x[j] if len(x) == self._n else x for x in (self._u, self._v))
        _sum_squares(u, v, w.q, w.diff)
        np.multiply(w.q, 0.25, out=w.q)

    def cosh(self, j: slice, w: _Work) -> Float:
        x, y = self.depths(j)
        if x.ndim != y.ndim:
            one, many = (x, y) if y.ndim else (y, x)
            grow = np.multiply(many, self._k, out=w.spare[0])
            return _against_one(np.exp(grow, out=grow), self._k * float(one), w)
        np.subtract(x, y, out=w.both[0])  # Δ from ρ itself: k·ρ is rounded already
        np.add(x, y, out=w.both[1])
        if self._k != 1.0:
            np.multiply(w.both, self._k, out=w.both)
        return _mix(np.cosh(w.both, out=w.both), w.q, 1.0)


def _mix(both: Float, q: Float, factor: float) -> Float:
    """factor·(a + q(b - a)) of the rows a, b of `both`, into b."""
    a: Float = both[0]
    b: Float = both[1]
    b -= a
    b *= q
    b += a
    if factor != 1.0:
        b *= factor
    return b


def _against_one(grow: Float, depth: float, w: _Work) -> Float:
    """coshΔ + 2q·sinh·sinh against one point of √-K·ρ = depth, written in e = e^{√-K·ρ} of the others (`grow`)."""
    a: Float = w.both[0]
    b: Float = w.both[1]
    half = 0.5 * math.exp(depth)
    np.multiply(w.q, math.sinh(depth), out=b)
    np.subtract(half, b, out=a)
    a /= grow
    b += 0.25 / half
    b *= grow
    b += a
    return b


def _repeated(direction: Float, n: int) -> Float:
    """One direction as often as the differences' working space has rows, n at most: broadcasting costs more."""
    d = direction.shape[-1]
    return np.tile(direction.reshape(-1), (min(n, max(1, _SPACE // d)), 1))


def _sum_squares(u: Float, v: Float, out: Float, diff: Float) -> None:
    """|u - v|² of (m, d) directions into `out` (m,), as many rows at a time as the working space `diff` holds.

    Where one direction stands for all rows it comes :func:`_repeated`.
    """
    m, d = out.shape[0], u.shape[-1]
    step = diff.shape[0] // d
    for i in range(0, m, step):
        rows = min(step, m - i)
        flat, to = diff[: rows * d], out[i : i + rows]
        p, q = (w[i : i + rows] if len(w) == m else w[:rows] for w in (u, v))
        if p.flags.c_contiguous and q.flags.c_contiguous:
            np.subtract(p.reshape(-1), q.reshape(-1), out=flat)
        else:
            np.subtract(p, q, out=flat.reshape(rows, d))
        if 1 < d <= _FEW:  # adding few columns one by one beats a reduction over the short axis
            flat *= flat
            np.add(flat[0::d], flat[1::d], out=to)
            for column in range(2, d):
                to += flat[column::d]
        elif d <= 24:
            flat *= flat
            np.dot(flat.reshape(rows, d), np.ones(d), out=to)
        else:
            np.einsum("ij,ij->i", flat.reshape(rows, d), flat.reshape(rows, d), out=to)


def run(pairs: Pairs | _Prepared, K: float, out: Float, threads: int) -> Float:
    """All distances of `pairs` into `out` (n,)."""
    n = out.shape[0]
    if threads <= 1 or n <= LONG:
        _blocks(pairs, K, out, 0, n)
        return out
    from concurrent.futures import ThreadPoolExecutor

    step = -(-n // threads)
    work: Callable[[int], None] = lambda i: _blocks(pairs, K, out, i, min(i + step, n))  # noqa: E731
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(0, n, step)))
    return out


def _blocks(pairs: Pairs | _Prepared, K: float, out: Float, start: int, stop: int) -> None:
    """One thread's part of :func:`run`."""
    k, width = sqrt_k(K), min(_BLOCK, stop - start)
    space, quarter = np.empty(max(4 * width, min(pairs.dim * width, _SPACE), pairs.dim)), np.empty(width)
    near: list[tuple[NDArray[np.int64], Float]] = []  # (rows, |u - v|²/4) to be done in the exact form

    def finish() -> None:
        at, q = (np.concatenate(part) for part in zip(*near, strict=True))
        out[at] = distance_from_chord2(*pairs.depths(at), 4.0 * q, K)
        near.clear()

    # invalid: cosh d < 1 by rounding, such a pair is near; over: depths whose hyperbolic cosine is no float64
    with np.errstate(invalid="ignore", over="raise"):
        for i in range(start, stop, width or 1):
            j = slice(i, min(i + width, stop))
            m = j.stop - i
            w = _Work(quarter[:m], space, space[: 2 * m].reshape(2, m), space[2 * m : 4 * m].reshape(2, m))
            pairs.chord(j, w)
            try:
                z = pairs.cosh(j, w)
            except (FloatingPointError, OverflowError):
                with np.errstate(over="ignore"):
                    out[j] = distance_from_chord2(*pairs.depths(j), 4.0 * w.q, K)
                continue
            np.arccosh(z, out=out[j])
            if k != 1.0:
                out[j] /= k
            at = (z < _NEAR).nonzero()[0]
            if len(at):
                near.append((at + i, w.q[at]))
            if sum(len(part) for part, _ in near) >= _BLOCK:
                finish()
        if near:
            finish()
