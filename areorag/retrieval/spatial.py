"""Sparse spatial search over the graph: candidates from the database, exact predicates on the sphere (METHODS §2).

C_s = {g : d(region, g) ≤ ε}, for a region that may be any union of points, polylines and polygons. Two roads lead to
the same answer:

* ``database``: the region's HEALPix cells (grown by ε) are looked up at, below and above (`:Cell` tree); only the
  candidates' outlines travel. (Nearest positions come from the 3-D point index.)
* ``memory``: all outlines of a body are kept as S2 geographies (`FootprintArrays`) until `Database.version` changes;
  used from the second search on, or after `warm`.

Relations and their default ε are in `RELATIONS`. An empty answer says what is nearest and what to relax.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..planet.bodies import Body, get_body
from ..planet.coordinates import bearing_deg, chord_m, position_xyz, to_lonlat
from ..planet.geometry import Geography, bounding_cap, buffer, centroid, length_m, polyline, union
from .spatial_arrays import FootprintArrays

if TYPE_CHECKING:
    from ..graph.connection import Database

FloatArray = npt.NDArray[np.float64]

RELATIONS: dict[str, str] = {
    "intersects": "meets the region grown by ε (default 0)",
    "near": "within ε of the region (default: half the region's radius, at least 50 km)",
    "within": "lies wholly in the region grown by ε (default 0)",
    "contains": "holds the whole region (ε is not used)",
    "along": "within ε of the polyline through the places (default: 5 % of its length, from 500 m to 50 km)",
    "between": "within ε of the great circle between two places (default: a quarter of its length)",
    "north_of": "centre within 45° of that bearing from the region's centre, not meeting it, within ε (default: ten "
    "times its radius, at least 300 km)",
    "south_of": "as north_of",
    "east_of": "as north_of",
    "west_of": "as north_of",
}
_BEARING = {"north_of": 0.0, "east_of": 90.0, "south_of": 180.0, "west_of": 270.0}
_SECTOR_DEG = 45.0


@dataclass(frozen=True)
class SpatialResult:
    """What a search found, nearest first (ties by id).

    Attributes
    ----------
    ids : observation ids
    distance_m : (n,) distance of each footprint to the region, metres; 0 where they meet
    relation, epsilon_m : what was asked, defaults filled in
    examined : candidates that were tested exactly
    path : ``database`` or ``memory``
    seconds : time taken
    nearest : where nothing was found: (id, metres) of what lies nearest
    advice : where nothing was found: what to relax, in plain words
    """

    ids: list[str]
    distance_m: FloatArray
    relation: str
    epsilon_m: float
    examined: int
    path: str
    seconds: float
    nearest: list[tuple[str, float]] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def f_sparse(self, d0_m: float | None = None) -> FloatArray:
        """Score of each: 1 where they meet, else 1 / (1 + d / d₀) (`f_sparse`); d₀ defaults to the query's own ε."""
        return f_sparse(self.distance_m, d0_m or self.epsilon_m or 1000.0)


def f_sparse(distance_m: npt.ArrayLike, d0_m: float) -> FloatArray:
    """Sparse spatial relevance (Spatial-RAG): 1 at distance 0, else 1 / (1 + d / d₀); d₀ in metres, > 0.

    Raises
    ------
    UsageError
        d₀ is not positive.
    """
    if not (math.isfinite(d0_m) and d0_m > 0):
        raise UsageError(f"the distance scale d0 must be positive, not {d0_m}")
    d = np.asarray(distance_m, dtype=float)
    return np.asarray(1.0 / (1.0 + np.maximum(d, 0.0) / d0_m))


def default_epsilon_m(relation: str, regions: Sequence[Geography], body: Body) -> float:
    """ε where the question gives none, metres (see `RELATIONS`)."""
    if relation in {"intersects", "within", "contains"}:
        return 0.0
    if relation == "along":
        return min(50_000.0, max(500.0, 0.05 * sum(length_m(g, body) for g in regions)))
    if relation == "between":
        return max(500.0, 0.25 * length_m(regions[0], body))
    radius = max(bounding_cap(g)[1] for g in regions) * body.radius_m
    return max(300_000.0, 10.0 * radius) if relation in _BEARING else max(50_000.0, 0.5 * radius)


def shape_region(regions: Sequence[Geography], relation: str) -> list[Geography]:
    """The geometry a relation is measured to: a polyline through the places for ``along`` and ``between``.

    Raises
    ------
    UsageError
        ``between`` without two places, or no region at all.
    """
    if not regions:
        raise UsageError("a spatial search needs a region")
    if relation == "between" or (relation == "along" and all(g.dimension != 1 for g in regions) and len(regions) > 1):
        if relation == "between" and len(regions) != 2:
            raise UsageError(f"'between' needs two places, not {len(regions)}")
        return [polyline([centroid(g) for g in regions])]
    return list(regions)


class SpatialIndex:
    """Spatial search over the observations of one body.

    Parameters
    ----------
    db : the graph; None with `arrays` for a search in memory alone
    body : the body's name or `Body`
    check_every_s : how long a warm index trusts its version stamp before asking the database again

    Examples
    --------
    >>> index = SpatialIndex(db)                                        # doctest: +SKIP
    >>> index.candidates(cap(77.45, 18.44, 20_000, MARS)).ids[:2]       # doctest: +SKIP
    """

    def __init__(
        self,
        db: Database | None,
        body: str | Body = "Mars",
        *,
        arrays: FootprintArrays | None = None,
        check_every_s: float = 0.0,
    ) -> None:
        if db is None and arrays is None:
            raise UsageError("a spatial index needs a database or footprints")
        self.db = db
        self.body = get_body(body)
        self.check_every_s = check_every_s
        self._arrays = arrays
        self._version: str | None = None
        self._checked = -math.inf
        self._searches = 0

    # ------------------------------------------------------------ the cache

    def warm(self) -> FootprintArrays:
        """Read every outline into memory, unless what is there is still what the graph holds."""
        if self.db is None:
            assert self._arrays is not None
            return self._arrays
        if self._arrays is not None and time.monotonic() - self._checked < self.check_every_s:
            return self._arrays
        version = self.db.version()
        if self._arrays is None or version != self._version:
            rows = self.db.read("spatial_all", body=self.body.name)
            self._arrays = FootprintArrays.from_rows(rows, self.body)
            self._version = version
        self._checked = time.monotonic()
        return self._arrays

    def _in_memory(self) -> FootprintArrays | None:
        if self.db is None or self._arrays is not None or self._searches > 0:
            return self.warm()
        return None

    # ------------------------------------------------------------ search

    def candidates(
        self,
        region: Geography | Sequence[Geography],
        epsilon_m: float | None = None,
        relation: str = "intersects",
        *,
        explain: bool = True,
    ) -> SpatialResult:
        """Observations that stand in a relation to a region.

        Parameters
        ----------
        region : one geography, or several (their union; the places in order for ``along`` and ``between``)
        epsilon_m : distance, metres; None for the relation's default
        relation : a key of `RELATIONS`
        explain : look for what is nearest where nothing is found

        Raises
        ------
        UsageError
            Unknown relation, negative ε, no region.
        """
        started = time.perf_counter()
        if relation not in RELATIONS:
            raise UsageError(f"unknown spatial relation {relation!r}: use {', '.join(RELATIONS)}")
        given = [region] if isinstance(region, Geography) else list(region)
        regions = merge(shape_region(given, relation))
        epsilon = default_epsilon_m(relation, regions, self.body) if epsilon_m is None else float(epsilon_m)
        if not (math.isfinite(epsilon) and epsilon >= 0):
            raise UsageError(f"a distance must be a non-negative number of metres, not {epsilon_m}")
        arrays = self._in_memory()
        path = "memory"
        if arrays is None:
            arrays, path = self._fetch(regions, epsilon, relation), "database"
        self._searches += 1
        index, distance, examined = _search(arrays, regions, epsilon, relation)
        order = np.lexsort((arrays.id_rank[index], distance))
        ids = [arrays.ids[i] for i in index[order].tolist()]
        found = np.asarray(distance, dtype=np.float64)[order]
        nearest: list[tuple[str, float]] = []
        advice: list[str] = []
        if not ids and explain:
            nearest = self.nearest(regions)
            advice = self._advice(arrays, regions, epsilon, relation, nearest)
        seconds = time.perf_counter() - started
        return SpatialResult(ids, found, relation, epsilon, examined, path, seconds, nearest, advice)

    def nearest(self, region: Geography | Sequence[Geography], k: int = 5) -> list[tuple[str, float]]:
        """(id, metres) of the k observations nearest to a region, exact."""
        regions = merge([region] if isinstance(region, Geography) else list(region))
        arrays = self.warm()
        best: dict[str, float] = {}
        for g in regions:
            for i, d in arrays.nearest(g, k):
                best[arrays.ids[i]] = min(d, best.get(arrays.ids[i], math.inf))
        return sorted(best.items(), key=lambda item: (item[1], item[0]))[:k]

    def nearest_positions(
        self, lon: float, lat: float, k: int = 5, *, within_m: float | None = None
    ) -> list[tuple[str, float]]:
        """(id, metres) of the k observations whose positions are nearest to a point, by the database's point index.

        Positions, not outlines: exact for point-like footprints, and the quick answer to "what is round here". The
        index is asked with growing chords; `within_m` bounds the search.
        """
        if self.db is None:
            raise UsageError("nearest_positions asks the database; this index has none")
        x, y, z = (float(v) for v in position_xyz(lon, lat, self.body))
        last = math.pi * self.body.radius_m if within_m is None else within_m
        reach = min(20_000.0, last)
        while True:
            rows = self.db.read(
                "spatial_by_position",
                x=x,
                y=y,
                z=z,
                chord=chord_m(reach, self.body) + 1e-6,
                limit=k,
                body=self.body.name,
            )
            if len(rows) >= k or reach >= last:
                half = 2.0 * self.body.radius_m
                return [(r["id"], half * math.asin(min(1.0, r["chord"] / half))) for r in rows]
            reach = min(last, reach * 4.0)

    def _fetch(self, regions: Sequence[Geography], epsilon: float, relation: str) -> FootprintArrays:
        """The candidates' outlines from the database: a superset of the answer."""
        from ..graph.cells import query_cells

        assert self.db is not None
        rows: dict[str, dict[str, Any]] = {}
        for region in regions:
            grown = buffer(region, epsilon, self.body)
            if grown.whole:
                return FootprintArrays.from_rows(self.db.read("spatial_all", body=self.body.name), self.body)
            cells, above = query_cells(grown)
            for row in self.db.read("spatial_by_cells", cells=cells, ancestors=above, body=self.body.name):
                rows[row["id"]] = row
        return FootprintArrays.from_rows(list(rows.values()), self.body)

    def _advice(
        self,
        arrays: FootprintArrays,
        regions: Sequence[Geography],
        epsilon: float,
        relation: str,
        nearest: Sequence[tuple[str, float]],
    ) -> list[str]:
        """What to relax when nothing was found, in plain words."""
        if not nearest:
            return [f"the archive has no placed observation of {self.body.name}"]
        name, metres = nearest[0]
        out = [f"the nearest observation, {name}, is {kilometres(metres)} away"]
        if relation in {"within", "contains"}:
            met = sum(len(arrays.search(g, epsilon).at) for g in regions)
            if met:
                word = "not wholly inside it" if relation == "within" else "do not hold it wholly"
                return [f"{met} observations meet the region but {word}: ask for those that intersect it"]
        if relation in _BEARING:
            out.append("ask for what is near instead of a direction")
        if metres > epsilon:
            out.append(f"widen the distance to {kilometres(metres * 1.1)}")
        return out


def kilometres(metres: float) -> str:
    """``820 m``, ``3.4 km``, ``1,250 km``."""
    if metres < 1000.0:
        return f"{metres:.0f} m"
    return f"{metres / 1000.0:,.1f} km" if metres < 100_000.0 else f"{metres / 1000.0:,.0f} km"


def merge(regions: Sequence[Geography]) -> list[Geography]:
    """Regions of equal margin as one geography; the others apart."""
    groups: dict[float, list[Geography]] = {}
    for g in regions:
        if g.whole:
            return [g]
        groups.setdefault(g.margin_rad, []).append(g)
    return [items[0] if len(items) == 1 else union(items) for items in groups.values()]


def _search(
    arrays: FootprintArrays, regions: Sequence[Geography], epsilon: float, relation: str
) -> tuple[npt.NDArray[np.int64], FloatArray, int]:
    """(indices, distances, examined) of the footprints that stand in the relation to any of the regions."""
    best: dict[int, float] = {}
    total = 0
    for region in regions:
        index, distance, examined = arrays.search(region, epsilon if relation != "contains" else 0.0)
        total += examined
        keep: npt.NDArray[np.bool_] | None = None
        if relation == "within":
            keep = arrays.covered_by(index, buffer(region, epsilon, arrays.body))
        elif relation == "contains":
            keep = arrays.covering(index, region)
        elif relation in _BEARING:
            keep = (distance > 0) & _in_direction(arrays, index, region, _BEARING[relation])
        if keep is not None:
            index, distance = index[keep], distance[keep]
        if len(regions) == 1:
            return index, distance, total
        for i, d in zip(index, distance, strict=True):
            best[int(i)] = min(float(d), best.get(int(i), math.inf))
    return np.array(sorted(best), dtype=np.int64), np.array([best[i] for i in sorted(best)]), total


def _in_direction(
    arrays: FootprintArrays, index: npt.NDArray[np.int64], region: Geography, bearing: float
) -> npt.NDArray[np.bool_]:
    """Whether footprints' centres lie within 45° of a bearing from a region's centre; from a pole every way is away."""
    lon, lat = centroid(region)
    if abs(lat) > 89.9:
        return np.full(len(index), (lat < 0 and bearing == 0.0) or (lat > 0 and bearing == 180.0))
    x, y = to_lonlat(arrays.centre[index])
    off = np.abs((np.asarray(bearing_deg(lon, lat, x, y)) - bearing + 180.0) % 360.0 - 180.0)
    return np.asarray(off <= _SECTOR_DEG + 1e-9)
