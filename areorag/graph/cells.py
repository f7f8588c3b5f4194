"""Cells that cover footprints: what the ``:Cell`` tree of the graph holds (METHODS §2, sparse spatial).

A cover is at most `max_cells` HEALPix cells of mixed order, and a superset: no point of the footprint lies outside it.
That is so by construction: the sphere is divided from the base cells down, and a cell is dropped only where its centre
is farther from the footprint than any point of the cell can be from its centre, or (last step) where the footprint is
farther from the cell's corner polygon than the cell's edges can bulge out of it. Compact footprints stop at about 12
cells, long strips go on to `max_cells`. A cell's id is ``"order/index"`` (nested); it lies WITHIN ``order-1/index÷4``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..planet import healpix
from ..planet.coordinates import position_xyz, to_lonlat, to_unit
from ..planet.geometry import Geography, bounding_cap, vertices

MAX_ORDER = 10
"""Finest cells: 3.4 km on Mars. Finer ones would multiply `:Cell` nodes; point-like footprints have the point index."""
COMPACT_CELLS = 12
_CHUNK = 2000
_MAX_EDGES = 8

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

__all__ = [
    "MAX_ORDER", "ancestors", "cell_id", "cover", "cover_many", "from_moc", "parent", "parse_cell", "position_xyz",
    "query_cells", "to_moc", "within_pairs",
]  # fmt: skip


def cell_id(order: int, index: int) -> str:
    """Id of a cell: ``"order/index"``."""
    return f"{order}/{index}"


def parse_cell(cell: str) -> tuple[int, int]:
    """(order, index) of an id."""
    order, _, index = cell.partition("/")
    return int(order), int(index)


def parent(cell: str) -> str | None:
    """The cell it lies within; None for a base cell."""
    order, index = parse_cell(cell)
    return cell_id(order - 1, index >> 2) if order else None


def ancestors(cells: Iterable[str]) -> list[str]:
    """Every cell above the given ones, without repeats, sorted."""
    out: set[str] = set()
    for cell in cells:
        order, index = parse_cell(cell)
        for o in range(order - 1, -1, -1):
            index >>= 2
            name = cell_id(o, index)
            if name in out:
                break
            out.add(name)
    return sorted(out)


def within_pairs(cells: Iterable[str]) -> list[tuple[str, str]]:
    """(cell, parent) pairs that tie the cells to the base cells: the ``WITHIN`` relationships to write, sorted."""
    own = list(cells)
    out = set()
    for cell in [*own, *ancestors(own)]:
        up = parent(cell)
        if up is not None:
            out.add((cell, up))
    return sorted(out)


def cover(geog: Geography, max_cells: int = 64, *, max_order: int = MAX_ORDER) -> list[str]:
    """Cells of one geography (with its margin), sorted by order and index; never misses a point of it."""
    return cover_many([geog], max_cells, max_order=max_order)[0]


def cover_many(geogs: Sequence[Geography], max_cells: int = 64, *, max_order: int = MAX_ORDER) -> list[list[str]]:
    """`cover` of many geographies at once (about 0.2 ms each)."""
    out: list[list[str]] = []
    for start in range(0, len(geogs), _CHUNK):
        out.extend(_cover_chunk(geogs[start : start + _CHUNK], max_cells, max_order))
    return out


def query_cells(region: Geography, max_cells: int = 64, *, max_order: int = MAX_ORDER) -> tuple[list[str], list[str]]:
    """(cells of a region with its margin, their ancestors): what a query looks for at, below, and above."""
    cells = cover(region, max_cells, max_order=max_order)
    return cells, ancestors(cells)


# ---------------------------------------------------------------- the division


class _Chunk:
    """Geographies of a chunk as arrays: caps, margins, parts by position, edge normals of the convex ones."""

    def __init__(self, geogs: Sequence[Geography]) -> None:
        caps = [bounding_cap(g) for g in geogs]
        self.centre = np.array([c for c, _ in caps]).reshape(len(geogs), 3)
        self.radius = np.array([r for _, r in caps])
        self.margin = np.array([g.margin_rad for g in geogs])
        self.whole = np.array([g.whole for g in geogs], dtype=bool)
        depth = max((len(g.parts) for g in geogs), default=0)
        self.parts = [
            np.array([g.parts[k] if len(g.parts) > k else None for g in geogs], dtype=object) for k in range(depth)
        ]
        self.normals = np.zeros((len(geogs), _MAX_EDGES, 3))
        self.loops = np.zeros((len(geogs), _MAX_EDGES, 3))
        self.convex = np.zeros(len(geogs), dtype=bool)
        rings: dict[int, list[tuple[int, FloatArray]]] = {}
        for i, g in enumerate(geogs):
            ring = _small_ring(g) if self.radius[i] < 0.5 else None
            if ring is not None:
                rings.setdefault(len(ring), []).append((i, ring))
        for found in rings.values():
            at = np.array([i for i, _ in found])
            loops, normals, convex = _convex_loops(np.array([ring for _, ring in found]))
            self.loops[at[convex]], self.normals[at[convex]], self.convex[at[convex]] = loops, normals, True

    def near(self, obs: IntArray, xyz: FloatArray, limit: float) -> npt.NDArray[np.bool_]:
        """Whether each geography may come within `limit` radians of each point; never a wrong no. (n,), (n, 3)."""
        import spherely

        out = np.array(self.whole[obs])
        fast = self.convex[obs]
        bound = np.sin(np.minimum(np.pi / 2, limit + self.margin[obs][fast]))
        side = np.einsum("nkj,nj->nk", self.normals[obs[fast]], xyz[fast])
        out[fast] = (side >= -bound[:, None] - 1e-15).all(axis=1)
        slow = ~fast & ~out
        if slow.any():
            lon, lat = to_lonlat(xyz[slow])
            out[slow] = self.within(obs[slow], spherely.points(lon, lat), limit)
        return out

    def within(self, obs: IntArray, other: Any, limit: float) -> npt.NDArray[np.bool_]:
        """Whether each geography comes within `limit` radians of each of the others (spherely objects), exactly."""
        import spherely

        best = np.where(self.whole[obs], 0.0, np.inf)
        for column in self.parts:
            own = column[obs]
            have = np.array([p is not None for p in own], dtype=bool)
            if have.any():
                found = spherely.distance(own[have], other[have], radius=1.0)
                best[have] = np.minimum(best[have], found)
        return np.asarray(best <= limit + self.margin[obs])

    def apart(self, obs: IntArray, quads: FloatArray, limit: float) -> npt.NDArray[np.bool_]:
        """Whether a side of a convex geography or of a quadrilateral (n, 4, 3) parts them by more than `limit`."""
        reach = -np.sin(np.minimum(np.pi / 2, limit + self.margin[obs]))[:, None]
        beyond = np.einsum("nkj,ncj->nkc", self.normals[obs], quads).max(axis=2)
        real = np.any(self.normals[obs] != 0, axis=2)
        out = (real & (beyond < reach)).any(axis=1)
        sides = np.cross(quads, np.roll(quads, -1, axis=1))
        length = np.linalg.norm(sides, axis=2, keepdims=True)
        sides = np.divide(sides, length, out=np.zeros_like(sides), where=length > 1e-12)
        beyond = np.einsum("nkj,ncj->nkc", sides, self.loops[obs]).max(axis=2)
        return np.asarray(out | (beyond < reach).any(axis=1))


def _small_ring(geog: Geography) -> FloatArray | None:
    """(k, 2) corners, k ≤ `_MAX_EDGES`, of a single polygon without holes; else None."""
    import spherely

    if geog.whole or geog.dimension != 2 or len(geog.parts) != 1:
        return None
    if spherely.get_type_id(geog.parts[0]) != spherely.GeographyType.POLYGON.value:
        return None
    xy = vertices(geog)
    if not 4 <= len(xy) <= _MAX_EDGES + 1 or tuple(xy[0]) != tuple(xy[-1]):
        return None  # a hole repeats points inside the list
    return xy[:-1]


def _convex_loops(rings: FloatArray) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Of rings (n, k, 2): (corners, inward unit normals of the edges) of the convex ones, padded to `_MAX_EDGES`, and
    which are convex."""
    corners = to_unit(rings[..., 0], rings[..., 1])
    normals = np.cross(corners, np.roll(corners, -1, axis=1))
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    convex = ~(length < 1e-12).any(axis=(1, 2))
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length >= 1e-12)
    convex &= ~(np.einsum("nij,nkj->nik", normals, corners) < -1e-12).any(axis=(1, 2))
    k, n = rings.shape[1], int(convex.sum())
    loops, walls = np.zeros((n, _MAX_EDGES, 3)), np.zeros((n, _MAX_EDGES, 3))
    loops[:] = corners[convex][:, :1]
    loops[:, :k], walls[:, :k] = corners[convex], normals[convex]
    return loops, walls, convex


def _cover_chunk(geogs: Sequence[Geography], max_cells: int, max_order: int) -> list[list[str]]:
    n = len(geogs)
    result: list[list[str]] = [[] for _ in range(n)]
    is_point = np.array([not g.whole and g.dimension == 0 and g.margin_rad == 0 for g in geogs], dtype=bool)
    for i in np.flatnonzero(is_point):
        result[i] = _cover_points(geogs[int(i)], max_cells, max_order)
    rest = np.flatnonzero(~is_point)
    if len(rest):
        chunk = _Chunk([geogs[int(i)] for i in rest])
        for i, cells in zip(rest, _divide(chunk, max_cells, max_order), strict=True):
            result[i] = cells
    return result


def _cover_points(geog: Geography, max_cells: int, max_order: int) -> list[str]:
    xy = vertices(geog)
    for order in range(max_order, -1, -1):
        found = np.unique(healpix.cell_of(order, xy[:, 0], xy[:, 1]))
        if len(found) <= max_cells:
            return [cell_id(order, int(i)) for i in found]
    raise AssertionError("12 base cells always fit")  # pragma: no cover


def _divide(chunk: _Chunk, max_cells: int, max_order: int) -> list[list[str]]:
    n = len(chunk.radius)
    obs = np.repeat(np.arange(n), 12)
    cell = np.tile(np.arange(12), n)
    final: list[tuple[int, IntArray, IntArray]] = []
    previous: tuple[IntArray, IntArray] = (obs, cell)
    count = np.full(n, 0)
    for order in range(max_order + 1):
        centre = healpix.position(order, cell)
        bound = healpix.circumradius(order)
        reach = np.minimum(np.pi, chunk.radius[obs] + bound)
        keep = np.einsum("ij,ij->i", centre, chunk.centre[obs]) >= np.cos(reach) - 1e-15
        # footprints much smaller than the cells need no exact test
        exact = keep & (bound < 4.0 * chunk.radius[obs])
        if exact.any():
            keep[exact] = chunk.near(obs[exact], centre[exact], bound)
        obs, cell = obs[keep], cell[keep]
        now = np.bincount(obs, minlength=n)
        if order:
            # `now` is 0 only for those that have stopped already
            go_on = (now <= min(COMPACT_CELLS, max_cells)) | ((now <= max_cells) & (now <= 2.6 * count))
            stop = (now > 0) & ~go_on
            if stop.any():
                mask = stop[previous[0]]
                final.append((order - 1, previous[0][mask], previous[1][mask]))
                keep = ~stop[obs]
                obs, cell = obs[keep], cell[keep]
        count = np.bincount(obs, minlength=n)
        if order == max_order or len(obs) == 0:
            final.append((order, obs, cell))
            break
        previous = (obs, cell)
        obs, cell = np.repeat(obs, 4), healpix.children(cell).ravel()
    return _collect(chunk, final, n)


def _collect(chunk: _Chunk, final: list[tuple[int, IntArray, IntArray]], n: int) -> list[list[str]]:
    """Tighten the last cells against their corner polygons, join complete sets of four, name them."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for order, obs, cell in final:
        kept_obs, kept = _tighten(chunk, order, obs, cell)
        o = order
        while o and len(kept):
            key = kept_obs * (12 << (2 * o)) + kept
            key, first = np.unique(key, return_index=True)
            kept_obs, kept = kept_obs[first], kept[first]
            up = kept_obs * (12 << (2 * (o - 1))) + (kept >> 2)
            _, where, size = np.unique(up, return_inverse=True, return_counts=True)
            full = (size == 4)[where]
            for i, c in zip(kept_obs[~full].tolist(), kept[~full].tolist(), strict=True):
                out[i].append((o, c))
            kept_obs, kept = kept_obs[full], kept[full] >> 2
            o -= 1
        if len(kept):
            for i, c in {(int(i), int(c)) for i, c in zip(kept_obs, kept, strict=True)}:
                out[i].append((0, c))
    return [[cell_id(o, c) for o, c in sorted(set(cells))] for cells in out]


def _tighten(chunk: _Chunk, order: int, obs: IntArray, cell: IntArray) -> tuple[IntArray, IntArray]:
    import spherely

    if order < 3 or len(obs) == 0:
        return obs, cell
    bulge = healpix.edge_bulge(order) + 1e-12
    doubtful = ~chunk.whole[obs]
    keep = np.ones(len(obs), dtype=bool)
    fast = np.flatnonzero(doubtful & chunk.convex[obs])
    if len(fast):
        keep[fast] = ~chunk.apart(obs[fast], healpix.corners(order, cell[fast]), bulge)
    slow = np.flatnonzero(doubtful & ~chunk.convex[obs])
    if len(slow):
        slow = slow[~chunk.near(obs[slow], healpix.position(order, cell[slow]), healpix.inradius(order))]
    if len(slow):
        lon, lat = to_lonlat(healpix.corners(order, cell[slow]))
        pairs = np.stack([lon, np.clip(lat, -90.0, 90.0)], axis=-1).tolist()
        squares = np.array([spherely.create_polygon(loop) for loop in pairs], dtype=object)
        keep[slow] = chunk.within(obs[slow], squares, bulge)
    return obs[keep], cell[keep]


# ---------------------------------------------------------------- exchange


def to_moc(cells: Iterable[str]) -> Any:
    """The cells as a ``mocpy.MOC``, the exchange form of the virtual observatory."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mocpy import MOC
    tree: dict[str, list[int]] = {}
    for cell in cells:
        order, index = parse_cell(cell)
        tree.setdefault(str(order), []).append(index)
    return MOC.from_json(tree)


def from_moc(moc: Any) -> list[str]:
    """Cells of a ``mocpy.MOC``, sorted by order and index."""
    tree = moc.serialize(format="json")
    return [cell_id(int(o), int(i)) for o in sorted(tree, key=int) for i in sorted(tree[o])]
