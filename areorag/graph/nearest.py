"""Nearest hyperedges by geodesic distance, exact, through a candidate index (AreoRAG Definition 3, METHODS §1).

`NearestIndex` keeps (ρ, u) in memory: bands of depth, a k-d tree of directions in each. A band can hold a point within
`d` only if both its depth and its directions allow it, and the two lower bounds follow from the polar distance, so the
search stops when no band can improve on the k-th distance found: the result is exact, not approximate. Candidates are
rescored with the exact formula from the stored ρ and u.

`NearestCache` fills one from the graph and keeps it until `Database.version` changes. `nearest_in_database` needs no
copy: the server's 3-D point index gives candidates within a chord, band by band, and only those travel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError, UnknownNameError
from ..hyperbolic.lorentz import check_polar, distance, distance_from_chord2, sqrt_k

if TYPE_CHECKING:
    from ..settings import Settings
    from .connection import Database

Float = NDArray[np.float64]
BAND = 1.0
"""Width of a band in √-K·ρ."""
LABELS = ("Observation", "Colocation")


@dataclass(frozen=True)
class Neighbour:
    """A hyperedge at a geodesic distance; `depth_gap` = ρ(neighbour) - ρ(query): positive is finer."""

    id: str
    distance: float
    depth_gap: float


class NearestIndex:
    """Exact nearest neighbours among n points of H^d.

    Parameters
    ----------
    ids, rho, u : n names, (n,) depths, (n, d) unit directions
    K : curvature

    Raises
    ------
    HyperbolicError
        A row is not a point of H^d.
    """

    def __init__(self, ids: list[str], rho: ArrayLike, u: ArrayLike, K: float = -1.0) -> None:
        from scipy.spatial import cKDTree

        self.K, self._k = K, sqrt_k(K)
        self.ids = ids
        self.rho = np.asarray(rho, dtype=np.float64).reshape(len(ids))
        u = np.asarray(u, dtype=np.float64)
        self.u = u.reshape(len(ids), -1) if ids else u.reshape(0, u.shape[-1] if u.ndim == 2 else 3)
        ok, reason = check_polar(self.rho, self.u, 1e-6) if ids else (True, "")
        if not ok:
            raise HyperbolicError(f"nearest-neighbour index: {reason}")
        self._row = {name: i for i, name in enumerate(ids)}
        self._rank = np.empty(len(ids), dtype=np.int64)
        self._rank[np.argsort(np.array(ids, dtype=object), kind="stable")] = np.arange(len(ids))
        band = np.floor(self._k * self.rho / BAND).astype(np.int64)
        self._bands: list[tuple[float, float, NDArray[np.int64], Any]] = []
        for b in np.unique(band):
            rows = np.flatnonzero(band == b)
            depth = self.rho[rows]
            self._bands.append((float(depth.min()), float(depth.max()), rows, cKDTree(self.u[rows])))

    def __len__(self) -> int:
        return len(self.ids)

    def row(self, name: str) -> int:
        """Row of an id.

        Raises
        ------
        UnknownNameError
        """
        try:
            return self._row[name]
        except KeyError:
            raise UnknownNameError(f"{name} has no place in hyperbolic space (or is not in the graph)") from None

    def of(self, name: str, k: int = 10) -> list[Neighbour]:
        """The k nearest of a point of the index, itself left out."""
        i = self.row(name)
        return [n for n in self.query(float(self.rho[i]), self.u[i], k + 1) if n.id != name][:k]

    def query(self, rho: float, u: ArrayLike, k: int = 10) -> list[Neighbour]:
        """The k nearest points, nearest first; ties by id.

        Raises
        ------
        HyperbolicError
            The query is not a point, or k < 1.
        """
        direction = np.asarray(u, dtype=np.float64)
        ok, reason = check_polar(rho, direction, 1e-6)
        if not ok or direction.shape != self.u.shape[1:]:
            raise HyperbolicError(f"nearest-neighbour query: {reason or 'another dimension than the index'}")
        if k < 1:
            raise HyperbolicError("nearest-neighbour query: k must be at least 1")
        rows, found = np.zeros(0, dtype=np.int64), np.zeros(0)
        for low, high, members, tree in sorted(self._bands, key=lambda b: max(b[0] - rho, rho - b[1], 0.0)):
            worst = _kth(found, k)
            gap = max(low - rho, rho - high, 0.0)
            if gap > worst:
                break
            rows_here, d = self._band(rho, direction, k, worst, (low, high), members, tree)
            rows, found = np.concatenate([rows, rows_here]), np.concatenate([found, d])
            if len(found) > 4 * k:
                keep = np.lexsort((self._rank[rows], found))[:k]
                rows, found = rows[keep], found[keep]
        order = np.lexsort((self._rank[rows], found))[:k]
        return [Neighbour(self.ids[rows[i]], float(found[i]), float(self.rho[rows[i]] - rho)) for i in order]

    def _band(
        self, rho: float, u: Float, k: int, worst: float, depth: tuple[float, float],
        members: NDArray[np.int64], tree: Any,
    ) -> tuple[NDArray[np.int64], Float]:  # fmt: skip
        """Candidates of one band: by growing chord until the band's lower bound passes the k-th distance."""
        take = min(len(members), max(2 * k, 16))
        while True:
            chord, at = tree.query(u, k=take)
            chord, at = np.atleast_1d(chord), np.atleast_1d(at)
            rows = members[at]
            d = distance(rho, u, self.rho[rows], self.u[rows], self.K)
            if take == len(members):
                return rows, d
            best = min(worst, _kth(d, k))
            if band_bound(rho, depth, float(chord[-1]), self.K) > best:
                return rows, d
            take = min(len(members), take * 4)


def _kth(d: Float, k: int) -> float:
    return float(np.partition(d, k - 1)[k - 1]) if len(d) >= k else math.inf


def band_bound(rho: float, depth: tuple[float, float], chord: float, K: float) -> float:
    """Least geodesic distance from (ρ, ·) to any point with depth in [low, high] and |u - v| ≥ chord.

    For a fixed angle the distance to the ray is convex in the depth, least at
    tanh ρ* = tanh ρ · cos θ (0 for θ ≥ 90°), so the bound is the distance at ρ* clipped to the band.
    """
    k = sqrt_k(K)
    chord = min(chord, 2.0)
    less = 0.5 * chord * chord  # 1 - cos θ
    low, high = depth
    foot = 0.0
    if less < 1.0:
        e = math.exp(-2.0 * k * rho)
        rest = 2.0 * e / (1.0 + e)  # 1 - tanh(√-K ρ), with all its digits
        q = rest + less - rest * less  # 1 - tanh ρ*
        foot = math.inf if q == 0.0 else 0.5 * math.log((2.0 - q) / q) / k
    at = min(max(foot, low), high)
    return float(distance_from_chord2(rho, at, chord * chord, K)) * (1 - 1e-9)


# --- the graph ----------------------------------------------------------------------------------------------------


class NearestCache:
    """A :class:`NearestIndex` of a label's nodes on one body, read from the graph and kept while nothing is written.

    Bodies are kept apart, and so are versions of the embedding: a distance across them means nothing.
    """

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db, self._K = db, settings.curvature
        self._kept: dict[tuple[str, str, str], tuple[str, NearestIndex]] = {}

    def index(self, body: str, version: str, label: str = "Observation") -> NearestIndex:
        """The index of `label` (Observation, Colocation) on `body`, read anew if the graph was written to.

        `version` is the embedding's (`embedding_version` on the nodes).
        """
        if label not in LABELS:
            raise UnknownNameError(f"no nearest-neighbour search over {label}: use {', '.join(LABELS)}")
        stamp = self._db.version()
        kept = self._kept.get((body, version, label))
        if kept is not None and kept[0] == stamp:
            return kept[1]
        rows = self._db.read(f"hysh_coordinates_{label.lower()}", body=body, version=version)
        index = NearestIndex([r["id"] for r in rows], [r["rho"] for r in rows], [r["direction"] for r in rows], self._K)
        self._kept[(body, version, label)] = (stamp, index)
        return index

    def nearest(self, name: str, k: int = 10) -> list[Neighbour]:
        """The k observations nearest to an observation or co-location `name`, on its body.

        Raises
        ------
        UnknownNameError
            No such hyperedge, or it has no place.
        """
        place = _place(self._db, name)
        index = self.index(place["body"], place["version"])
        found = index.query(place["rho"], place["direction"], k + 1)
        return [n for n in found if n.id != name][:k]


def nearest_in_database(
    db: Database, name: str, settings: Settings, k: int = 10, *, share: float = 2.0
) -> list[Neighbour]:
    """The k observations nearest to `name`, by the server's point index and exact rescoring; nothing is kept.

    The bound grows from `share` geodesic units by doubling until k lie within it: for each band of depth that the bound
    allows, the chord on the ground it allows, so no nearer observation can be missed. Needs s = 1 and d = 3 (directions
    that are positions); for text or learned directions use :class:`NearestCache`.

    Raises
    ------
    UnknownNameError, HyperbolicError
        No such hyperedge; directions that are not positions; k < 1.
    """
    from ..planet.bodies import get_body

    if settings.spatial_share < 1.0:
        raise HyperbolicError(
            "with a spatial share below 1 use the cached index: position alone does not bound distance"
        )
    if k < 1:
        raise HyperbolicError("nearest-neighbour query: k must be at least 1")
    place = _place(db, name)
    radius = get_body(place["body"]).radius_m
    rho, u = float(place["rho"]), np.asarray(place["direction"], dtype=np.float64)
    ground = u[:3] / np.linalg.norm(u[:3])
    bound = share
    while True:
        bands = reach(rho, bound, settings.curvature)
        rows = db.read(
            "hysh_nearest_candidates",
            name=name,
            body=place["body"],
            version=place["version"],
            position=(ground * radius).tolist(),
            bands=[{"low": low, "high": high, "chord_m": chord * radius + 1.0} for low, high, chord in bands],
        )
        if rows:
            depth, v = np.array([r["rho"] for r in rows]), np.array([r["direction"] for r in rows])
            d = distance(rho, u, depth, v, settings.curvature)
            order = sorted(range(len(rows)), key=lambda i: (d[i], rows[i]["id"]))
            inside = [i for i in order if d[i] <= bound]
            everything = bands[0][0] <= 0.0 and all(chord >= 2.0 for _, _, chord in bands) and bound > 4 * rho + 40
            if len(inside) >= k or everything:
                return [Neighbour(rows[i]["id"], float(d[i]), float(depth[i] - rho)) for i in order[:k]]
        elif bound > 4 * rho + 100:
            return []
        bound *= 1.6


def reach(rho: float, bound: float, K: float) -> list[tuple[float, float, float]]:
    """(low, high, chord) of depth bands: a point within `bound` of (ρ, ·) has |u - v| ≤ chord in its band.

    From sinh²(d/2) ≥ sinh²(Δρ/2) + sinh ρ sinh ρ' chord²/4: in a band the chord is largest where ρ' is least and Δρ
    smallest.
    """
    k = sqrt_k(K)
    out = []
    start, stop = max(0.0, rho - bound), rho + bound
    width = BAND / k
    low = start
    while low < stop:
        high = min(low + width, stop)
        gap = max(low - rho, rho - high, 0.0)
        room = math.sinh(0.5 * k * bound) ** 2 - math.sinh(0.5 * k * gap) ** 2 if k * bound < 700 else math.inf
        grow = math.sinh(k * rho) * math.sinh(k * low) if k * (rho + low) < 700 else math.inf
        chord = 2.0 if grow <= 0.0 or not room < grow else 2.0 * math.sqrt(max(room, 0.0) / grow)
        out.append((low, high, chord))
        low = high
    return out


def _place(db: Database, name: str) -> dict[str, Any]:
    rows = db.read("hysh_place", id=name)
    if not rows or rows[0]["rho"] is None:
        raise UnknownNameError(f"{name} has no place in hyperbolic space (or is not in the graph)")
    return rows[0]
