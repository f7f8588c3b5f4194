"""Footprints in memory: exact spherical search over all of them (METHODS §2, sparse spatial).

Each footprint has a bounding cap and a range of longitude and latitude that bulging arcs and poles are in; the ranges
stand in a packed R-tree. What a region's own range and cap can reach is tested exactly with S2: nothing that meets the
region is left out, and no flat geometry decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from ..planet.coordinates import to_lonlat
from ..planet.geometry import COVER_RAD, TOUCH_RAD, Geography, bounding_cap, covers
from .order import id_ranks
from .spatial_bounds import SLACK, LonLatTree, cap_ranges, grown_lon, lon_ranges
from .spatial_build import all_vertices, build_many, objects, thin
from .spatial_region import NEAR_RAD, Region

if TYPE_CHECKING:
    from ..planet.bodies import Body

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_DENSE = 20_000
"""Footprints times edges up to which every pair is looked at, instead of asking a tree."""
_WIDE_CAP_RAD = math.radians(12.0)
"""A region whose cap is larger than this is asked for cell by cell of its cover."""


class Found(NamedTuple):
    """Footprints (n,), their distances in metres (n,), in no order; how many were tested exactly."""

    at: IntArray
    distance_m: FloatArray
    examined: int


class FootprintArrays:
    """Footprints of one body, ready for search. Build with `from_rows` or `from_geographies`.

    Attributes
    ----------
    ids : n observation ids
    body : whose sphere the metres are on
    centre : (n, 3) unit vectors and `radius` (n,) radians: bounding caps
    """

    def __init__(self, ids: Sequence[str], columns: list[Any], plain: dict[int, Geography], body: Body) -> None:
        self.ids = list(ids)
        self.body = body
        self._columns = columns
        self._have = [np.array([p is not None for p in column], dtype=bool) for column in columns]
        self._plain = plain
        n = len(self.ids)
        self._thin = thin(columns, n)
        self.whole = np.zeros(n, dtype=bool)
        for i, g in plain.items():
            self.whole[i] = g.whole
        self._vertices, self._start = all_vertices(columns, n)
        self.centre, self.radius = self._caps()
        self._tree = self._bounds()
        self._prepared: dict[int, Region] = {}
        self._thin_vertices: tuple[IntArray, Any] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def from_geographies(cls, ids: Sequence[str], geogs: Sequence[Geography], body: Body) -> FootprintArrays:
        """From geographies without margins.

        Raises
        ------
        GeometryError
            One has a margin.
        """
        if any(g.margin_rad for g in geogs):
            raise GeometryError("a footprint with a margin cannot be indexed; buffer the query instead")
        depth = max((len(g.parts) for g in geogs), default=0)
        columns = [objects([g.parts[k] if len(g.parts) > k else None for g in geogs]) for k in range(max(depth, 1))]
        return cls(ids, columns, dict(enumerate(geogs)), body)

    @classmethod
    def from_rows(cls, rows: Sequence[dict[str, Any]], body: Body) -> FootprintArrays:
        """From database rows ``id, footprint (WKT or None), lon, lat``; a row without outline is a point.

        Ordinary outlines are built in one go, the others by `planet.geometry.footprint`; the result is the same.
        """
        ids: list[str] = []
        wkt: list[str] = []
        for row in rows:
            text = row["footprint"]
            if text is None:
                if row["lon"] is None or row["lat"] is None:
                    continue
                text = f"POINT ({row['lon']!r} {row['lat']!r})"
            ids.append(row["id"])
            wkt.append(text)
        first, plain = build_many(wkt)
        depth = max((len(g.parts) for g in plain.values()), default=1)
        columns = [first]
        for k in range(1, depth):
            columns.append(objects([None] * len(ids)))
            for i, g in plain.items():
                if len(g.parts) > k:
                    columns[k][i] = g.parts[k]
        return cls(ids, columns, plain, body)

    @cached_property
    def id_rank(self) -> IntArray:
        """(n,) place of each footprint's id among all ids in order."""
        return id_ranks(self.ids)

    def geography(self, i: int) -> Geography:
        """Footprint number i."""
        known = self._plain.get(i)
        if known is not None:
            return known
        import spherely

        part = self._columns[0][i]
        return Geography((part,), dimension=int(spherely.get_dimension(part)))

    # ------------------------------------------------------------ candidates

    def _caps(self) -> tuple[FloatArray, FloatArray]:
        n = len(self.ids)
        centre, radius = np.zeros((n, 3)), np.zeros(n)
        centre[:, 2] = 1.0
        if len(self._vertices):
            filled = np.flatnonzero(np.diff(self._start) > 0)
            total = np.add.reduceat(self._vertices, self._start[:-1][filled], axis=0)
            norm = np.linalg.norm(total, axis=1)
            middle = total / np.where(norm > 0, norm, 1.0)[:, None]
            owner = np.repeat(np.arange(len(filled)), np.diff(self._start)[filled])
            chord = np.linalg.norm(self._vertices - middle[owner], axis=1)
            reach = 2.0 * np.arcsin(np.minimum(1.0, np.maximum.reduceat(chord, self._start[:-1][filled]) / 2.0))
            centre[filled], radius[filled] = middle, reach + 1e-12
            radius[filled[norm < 1e-6]] = math.pi
        # a cap of vertices bounds what lies on the nearer side only
        for i in np.flatnonzero((radius > 0.5) & ~self.whole):
            centre[i], radius[i] = bounding_cap(self.geography(int(i)))
        radius[self.whole] = math.pi
        return centre, np.minimum(radius, math.pi)

    def _bounds(self) -> LonLatTree:
        """Ranges of longitude and latitude; an arc bulges from its ends by less than the cap that holds both."""
        n = len(self.ids)
        low, high = np.full(n, -1.0), np.full(n, 1.0)
        filled = np.flatnonzero(np.diff(self._start) > 0)
        small = np.flatnonzero((np.diff(self._start) > 0) & (self.radius < 1.5))
        if len(small):
            bulge = 1.0 - np.cos(self.radius[small]) + SLACK
            at, where = self._start[:-1][filled], np.searchsorted(filled, small)
            low[small] = np.minimum.reduceat(self._vertices[:, 2], at)[where] - bulge
            high[small] = np.maximum.reduceat(self._vertices[:, 2], at)[where] + bulge
        middle, half = lon_ranges(self.centre, self.radius, self._vertices, self._start)
        return LonLatTree(middle, half, low, high)

    def prepare(self, region: Geography) -> Region:
        """`Region.of`, remembered for the regions asked for last."""
        known = self._prepared.get(id(region))
        if known is None or known.geography is not region:
            known = Region.of(region)
            if len(self._prepared) >= 256:
                self._prepared.clear()
            self._prepared[id(region)] = known
        return known

    def forget_regions(self) -> None:
        """Drop what `prepare` remembers."""
        self._prepared.clear()

    def candidates(self, region: Geography, epsilon_rad: float = 0.0) -> IntArray:
        """Indices of footprints that may lie within an angle of a region: none that does is missing."""
        if region.whole:
            return np.arange(len(self.ids))
        ready = self.prepare(region)
        if ready.angle > _WIDE_CAP_RAD and (region.dimension < 2 or len(region.parts) > 1):
            near = self._cover_reach(region, epsilon_rad)  # long and thin, or scattered: its own box says little
        else:
            half = grown_lon(ready.lon_half, ready.low_z, ready.high_z, epsilon_rad)
            near = self._tree.query(ready.lon_mid, half, ready.low_z - epsilon_rad, ready.high_z + epsilon_rad)
        angle = ready.angle + epsilon_rad
        dear = epsilon_rad > 0.0 or region.margin_rad > 0.0  # a distance costs ten predicates
        if len(near) > (4 if dear else 64) and angle < 1.5:
            near = near[
                self.centre[near] @ ready.centre >= np.cos(np.minimum(math.pi, self.radius[near] + angle)) - 1e-15
            ]
        return near

    def _cover_reach(self, region: Geography, epsilon_rad: float) -> IntArray:
        """Footprints that come near a cell of a region's cover."""
        from ..graph.cells import cover, parse_cell
        from ..planet import healpix

        cells = [parse_cell(c) for c in cover(region)]
        at = np.array([healpix.position(order, index)[0] for order, index in cells])
        reach = np.array([healpix.circumradius(order) + epsilon_rad for order, _ in cells])
        return self._tree.query_any(*cap_ranges(at, reach))

    # ------------------------------------------------------------ exact

    def distances_rad(self, index: IntArray, region: Geography) -> FloatArray:
        """Angle from each of the footprints to a region, radians; 0 where they meet."""
        import spherely

        best = np.where(self.whole[index], 0.0, np.inf)
        if region.whole:
            return np.zeros(len(index))
        for column, mask in zip(self._columns, self._have, strict=True):
            have = mask[index].nonzero()[0]
            if not len(have):
                continue
            own = column[index[have]]
            for part in region.parts:
                best[have] = np.minimum(best[have], spherely.distance(own, part, radius=1.0))
        return np.asarray(np.maximum(0.0, best - region.margin_rad))

    def meets(self, index: IntArray, region: Geography) -> npt.NDArray[np.bool_]:
        """Which footprints share a point with an area without margin: exact predicates, then touching.

        A point, or a vertex of a line, on the region's outline (to `TOUCH_RAD`) is in it; areas that touch along an
        edge meet where S2's exact predicate says so.
        """
        import spherely

        out = np.array(self.whole[index])
        ready = self.prepare(region)
        if ready.inner > 0.0 and len(self._vertices):
            # a footprint with a vertex in the cap inside the region meets it: no predicate needed
            first = self._start[index]
            has = self._start[index + 1] > first
            chord2 = 2.0 - 2.0 * (self._vertices[np.minimum(first, len(self._vertices) - 1)] @ ready.centre)
            out |= has & (chord2 < (2.0 * math.sin(min(ready.inner, math.pi) / 2.0)) ** 2 - 1e-12)
        for column, mask in zip(self._columns, self._have, strict=True):
            for part in region.parts:
                todo = (mask[index] & ~out).nonzero()[0]
                if len(todo):
                    out[todo] = spherely.intersects(column[index[todo]], part)
        doubtful = np.flatnonzero(~out & self._thin[index])
        if len(doubtful):
            near = self._near_outline(ready, index[doubtful])
            if len(near):
                place = np.full(len(self.ids), -1, dtype=np.int64)
                place[index[doubtful]] = doubtful
                owner = place[np.searchsorted(self._start, near, side="right") - 1]
                near, owner = near[owner >= 0], owner[owner >= 0]
            if len(near):
                pts = spherely.points(*to_lonlat(self._vertices[near]))
                gap = np.min([spherely.distance(p, pts, radius=1.0) for p in region.parts], axis=0)
                out[owner[gap <= TOUCH_RAD]] = True
        return out

    def _near_outline(self, region: Region, index: IntArray) -> IntArray:
        """Vertices that may touch a region's outline: those of some points and lines within `NEAR_RAD` of an edge.

        The exact distance costs S2 a search each, and almost no vertex is that near to an outline. Too many come back
        (of other footprints too), never too few.
        """
        middle, reach, normal = region.edges
        if len(index) * len(normal) <= _DENSE:
            _, at = self._vertices_at(index)
            u = self._vertices[at]
            near = (np.abs(u @ normal.T) <= NEAR_RAD) & (2.0 - 2.0 * (u @ middle.T) <= reach**2 + 1e-13)
            return np.asarray(at[near.any(axis=1)])
        if self._thin_vertices is None:
            from scipy.spatial import cKDTree

            at = np.flatnonzero(np.repeat(self._thin, np.diff(self._start)))
            self._thin_vertices = at, cKDTree(self._vertices[at])
        at, tree = self._thin_vertices
        hits = tree.query_ball_point(middle, reach, return_sorted=False)
        size = np.fromiter(map(len, hits), dtype=np.int64, count=len(hits))
        if not size.sum():
            return np.zeros(0, dtype=np.int64)
        vertex = np.concatenate([np.asarray(h, dtype=np.int64) for h in hits if h])
        off = np.abs(np.einsum("ij,ij->i", self._vertices[at[vertex]], np.repeat(normal, size, axis=0)))
        return np.unique(at[vertex[off <= NEAR_RAD]])

    def _vertices_at(self, index: IntArray) -> tuple[IntArray, IntArray]:
        """(place in `index`, number of the vertex) of every vertex of some footprints, (m,) and (m,)."""
        size = (self._start[1:] - self._start[:-1])[index]
        first = np.cumsum(size) - size
        at = np.repeat(self._start[index] - first, size) + np.arange(int(size.sum()))
        return np.repeat(np.arange(len(index)), size), at

    def _vertices_of(self, index: IntArray) -> tuple[IntArray, FloatArray]:
        """(place in `index`, unit vector) of every vertex of some footprints, (m,) and (m, 3)."""
        owner, at = self._vertices_at(index)
        return owner, self._vertices[at]

    def search(self, region: Geography, epsilon_m: float = 0.0) -> Found:
        """Every footprint within `epsilon_m` of a region."""
        epsilon = epsilon_m / self.body.radius_m
        index = self.candidates(region, epsilon)
        examined = len(index)
        if examined == 0:
            return Found(index, np.zeros(0), 0)
        if region.margin_rad == 0.0 and region.dimension == 2 and not region.whole:
            # the predicate is many times quicker than the distance, which only what is outside needs
            inside = self.meets(index, region)
            if epsilon == 0.0:
                return Found(index[inside], np.zeros(int(inside.sum())), examined)
            distance = np.zeros(examined)
            distance[~inside] = self.distances_rad(index[~inside], region)
        else:
            distance = self.distances_rad(index, region)
        keep = distance <= epsilon + TOUCH_RAD
        exact = np.where(distance <= TOUCH_RAD, 0.0, distance)
        return Found(index[keep], exact[keep] * self.body.radius_m, examined)

    def covered_by(self, index: IntArray, region: Geography) -> npt.NDArray[np.bool_]:
        """Which footprints lie wholly in a region."""
        out = np.zeros(len(index), dtype=bool)
        if region.whole:
            return ~out
        import spherely

        solid = ~self.whole[index]
        single = len(region.parts) == 1 and region.margin_rad == 0
        if single and solid.any():
            first = self._columns[0][index[solid]]
            alone = np.array([self._alone(int(i)) for i in index[solid]], dtype=bool)
            out[np.flatnonzero(solid)[alone]] = spherely.covers(region.parts[0], first[alone])
        doubtful = solid & ~out
        if doubtful.any():
            doubtful[doubtful] = self._vertices_in(index[doubtful], region)
        for k in np.flatnonzero(doubtful):
            out[k] = covers(region, self.geography(int(index[k])))
        return out

    def _alone(self, i: int) -> bool:
        return i not in self._plain or len(self._plain[i].parts) == 1

    def _vertices_in(self, index: IntArray, region: Geography) -> npt.NDArray[np.bool_]:
        """Which footprints have all vertices in a region (necessary for being covered)."""
        import spherely

        owner, xyz = self._vertices_of(index)
        pts = spherely.points(*to_lonlat(xyz))
        d = np.min([spherely.distance(p, pts, radius=1.0) for p in region.parts], axis=0) - region.margin_rad
        worst = np.maximum.reduceat(d, np.searchsorted(owner, np.arange(len(index))))
        return np.asarray(worst <= COVER_RAD)

    def covering(self, index: IntArray, region: Geography) -> npt.NDArray[np.bool_]:
        """Which footprints hold a region wholly."""
        if region.dimension == 0 and region.margin_rad == 0 and len(region.parts) == 1 and _is_point(region):
            return self.distances_rad(index, region) <= TOUCH_RAD
        return np.array([covers(self.geography(int(i)), region) for i in index], dtype=bool)

    def nearest(self, region: Geography, k: int = 5) -> list[tuple[int, float]]:
        """The k footprints nearest to a region with their distances, metres; exact, nearest first."""
        angle = 1e-4
        while True:
            index = self.candidates(region, angle)
            if len(index) >= k or angle >= math.pi:
                distance = self.distances_rad(index, region)
                inside = distance <= angle
                if inside.sum() >= k or angle >= math.pi:
                    known = np.flatnonzero(np.isfinite(distance))
                    order = sorted(known.tolist(), key=lambda j: (distance[j], self.ids[index[j]]))[:k]
                    return [(int(index[j]), float(distance[j]) * self.body.radius_m) for j in order]
            angle = min(math.pi, angle * 3.0)


def _is_point(region: Geography) -> bool:
    import spherely

    return bool(spherely.get_type_id(region.parts[0]) == spherely.GeographyType.POINT.value)
