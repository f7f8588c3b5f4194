"""Brute-force oracle for spatial search: shapes, their GeoJSON, and whether two of them meet (contract: eval spatial).

It shares no geometry code with the product: great circles and parallels are handled by trigonometry written out here,
with nothing but numpy. A shape is made from parameters, so its points are known without reading its own GeoJSON back.
Answers are ``True``, ``False`` or ``None``: too near an edge to call (within `TOLERANCE_RAD`), left out and counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Rng = np.random.Generator

TOLERANCE_RAD = 1e-6
"""Cases closer to the decision than this (3.4 m on Mars) are left out."""
SAMPLE_DEG = 0.5


def xyz(lon: Any, lat: Any) -> FloatArray:
    """Unit vectors of degrees, (…, 3)."""
    lo, la = np.radians(np.asarray(lon, dtype=float)), np.radians(np.asarray(lat, dtype=float))
    return np.stack([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la) + 0 * lo], axis=-1)


def degrees(v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Longitude in (-180, 180] and latitude of vectors, degrees."""
    return np.degrees(np.arctan2(v[..., 1], v[..., 0])), np.degrees(
        np.arctan2(v[..., 2], np.hypot(v[..., 0], v[..., 1]))
    )


def offset(lon: float, lat: float, bearing: float, arc: float) -> FloatArray:
    """Unit vector reached from a point along a bearing (degrees) after an arc (radians)."""
    p, b = xyz(lon, lat), math.radians(bearing)
    east = np.array([-math.sin(math.radians(lon)), math.cos(math.radians(lon)), 0.0])
    north = np.cross(p, east)
    return np.asarray(p * math.cos(arc) + (north * math.cos(b) + east * math.sin(b)) * math.sin(arc))


def angle(u: FloatArray, v: FloatArray) -> FloatArray:
    """Angle between unit vectors, radians."""
    return np.asarray(2 * np.arctan2(np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1)))


@dataclass(slots=True)
class Shape:
    """A part: `kind` point, line, polygon (great-circle edges), box (edges along parallels) or planet.

    `arcs` (m, 2, 3) are its great-circle edges, `parallels` its other edges (latitude, west, east in degrees,
    east ≥ west); `limits` a box's west, east, south, north; `probes` points of it, `ends` where edges end or turn.
    """

    kind: str
    arcs: FloatArray
    probes: FloatArray
    centre: FloatArray
    radius: float
    geojson: list[dict[str, Any]]
    limits: tuple[float, float, float, float] | None = None
    loop: FloatArray | None = None
    normals: FloatArray | None = None
    convex: bool = False
    parallels: tuple[tuple[float, float, float], ...] = ()
    ends: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(slots=True)
class Figure:
    """Several shapes as one footprint or region."""

    parts: list[Shape]
    label: str = ""
    geojson: dict[str, Any] = field(default_factory=dict)


def _cap_of(points: FloatArray) -> tuple[FloatArray, float]:
    total = points.sum(axis=0)
    norm = float(np.linalg.norm(total))
    if norm < 1e-9:
        return points[0], math.pi
    centre = total / norm
    radius = float(angle(points, centre).max())
    return centre, (math.pi if radius > 1.5 else radius)


def planet() -> Shape:
    """The whole planet."""
    ring = [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]
    none = np.zeros((0, 2, 3))
    return Shape(
        "planet", none, xyz([0.0], [0.0]), xyz(0.0, 0.0), math.pi, [{"type": "Polygon", "coordinates": [ring]}]
    )


def point(lon: float, lat: float) -> Shape:
    """A point."""
    p = xyz(lon, lat)
    none = np.zeros((0, 2, 3))
    return Shape("point", none, p[None], p, 0.0, [{"type": "Point", "coordinates": [lon, lat]}], ends=p[None])


def line(points: FloatArray, *, as_ring: bool = False) -> Shape:
    """Great-circle polyline through unit vectors (k, 3); `as_ring`: written as a polygon that has no area."""
    arcs = np.stack([points[:-1], points[1:]], axis=1)
    centre, radius = _cap_of(points)
    lon, lat = degrees(points)
    coords = [[float(a), float(b)] for a, b in zip(lon, lat, strict=True)]
    made = {"type": "LineString", "coordinates": coords}
    if as_ring:
        made = {"type": "Polygon", "coordinates": [[*coords, *coords[-2::-1]]]}
    return Shape("line", arcs, _along(arcs), centre, radius, [made], ends=_turns(arcs))


def box(west: float, east: float, south: float, north: float) -> Shape:
    """Latitude-longitude box; `east` - `west` in (0, 360]."""
    full = east - west >= 360.0
    arcs = np.zeros((0, 2, 3)) if full else np.stack([np.stack([xyz(x, south), xyz(x, north)]) for x in (west, east)])
    parallels = tuple((lat, west, east) for lat in (south, north) if abs(lat) < 90.0 - 1e-12)
    steps = np.linspace(west, east, max(7, math.ceil((east - west) / 2.0)))
    grid = xyz(*(g.ravel() for g in np.meshgrid(steps, np.linspace(south, north, 7))))
    ends = xyz(np.array([west, east, east, west]), np.array([south, south, north, north]))
    if full:  # a pole inside is no end
        ends = ends[np.abs(np.array([south, south, north, north])) < 90.0 - 1e-12]
    centre, radius = _cap_of(np.vstack([grid, xyz((west + east) / 2, (south + north) / 2)[None]]))
    radius = math.pi if east - west > 60.0 or north - south > 60.0 else radius * 1.05 + 1e-3
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    made = [{"type": "Polygon", "coordinates": [ring]}]
    limits = (west, east, south, north)
    return Shape("box", arcs, np.vstack([grid, ends]), centre, radius, made, limits, parallels=parallels, ends=ends)


def polygon(loop: FloatArray) -> Shape:
    """Polygon with great-circle edges through unit vectors (k, 3), interior on the left (counter-clockwise)."""
    nxt = np.roll(loop, -1, axis=0)
    arcs = np.stack([loop, nxt], axis=1)
    normals = np.cross(loop, nxt)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    centre, radius = _cap_of(loop)
    probes = _along(arcs)
    # points from the corners towards the middle, where the polygon is star-shaped about it
    inner = loop * 0.7 + centre * 0.3
    inner /= np.linalg.norm(inner, axis=1, keepdims=True)
    convex = bool(np.all(normals @ loop.T >= -1e-12))
    shape = Shape("polygon", arcs, probes, centre, radius, [], None, loop, normals, convex, (), _turns(arcs))
    inside = contains(shape, np.vstack([inner, centre[None]]), 0.0)
    shape.probes = np.vstack([probes, np.vstack([inner, centre[None]])[inside]])
    shape.geojson = [{"type": "Polygon", "coordinates": [_ring(loop)]}]
    return shape


def _ring(loop: FloatArray) -> list[list[float]]:
    lon, lat = degrees(loop)
    ring = [[float(a), float(b)] for a, b in zip(lon, lat, strict=True)]
    return [*ring, ring[0]]


def _along(arcs: FloatArray) -> FloatArray:
    """End points of arcs and points between them at most `SAMPLE_DEG` apart."""
    out = [arcs[:, 0], arcs[:, 1]]
    size = np.degrees(angle(arcs[:, 0], arcs[:, 1]))
    for i in np.flatnonzero(size > SAMPLE_DEG):
        t = np.linspace(0.0, 1.0, math.ceil(size[i] / SAMPLE_DEG) + 1)[1:-1, None]
        w = math.radians(float(size[i]))
        out.append((np.sin((1 - t) * w) * arcs[i, 0] + np.sin(t * w) * arcs[i, 1]) / math.sin(w))
    return np.vstack(out)


def _turns(arcs: FloatArray) -> FloatArray:
    """End points of arcs, and their northernmost and southernmost points where those lie between the ends."""
    n = np.cross(arcs[:, 0], arcs[:, 1])
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    top = np.array([0.0, 0.0, 1.0]) - n[:, 2:3] * n
    top /= np.maximum(np.linalg.norm(top, axis=1, keepdims=True), 1e-300)
    out = [arcs[:, 0], arcs[:, 1]]
    for v in (top, -top):
        between = (np.einsum("ij,ij->i", np.cross(n, arcs[:, 0]), v) > 0) & (
            np.einsum("ij,ij->i", np.cross(arcs[:, 1], n), v) > 0
        )
        out.append(v[between])
    return np.vstack(out)


# ---------------------------------------------------------------- predicates


def contains(shape: Shape, p: FloatArray, depth: float) -> npt.NDArray[np.bool_]:
    """Which points (n, 3) lie in an area at least `depth` radians from its outline (negative: at most that far out)."""
    if shape.kind == "planet":
        return np.ones(len(p), dtype=bool)
    if shape.limits is not None:
        return _in_box(shape.limits, p, depth)
    if shape.kind != "polygon" or shape.loop is None or shape.normals is None:
        return np.zeros(len(p), dtype=bool)
    side = p @ shape.normals.T if shape.convex else p
    if shape.convex:
        inside = np.all(side >= 0.0, axis=1)
    else:
        inside = angle(p, shape.centre) <= min(shape.radius + 1e-9, math.pi / 2)
        inside[inside] = _winding(shape.loop, p[inside])
    if depth == 0.0:
        return np.asarray(inside)
    gap = to_outline(p, shape)
    return np.asarray(inside & (gap >= depth)) if depth > 0 else np.asarray(inside | (gap <= -depth))


def _winding(loop: FloatArray, p: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether a loop winds round each point: the turns of the azimuth to its vertices add up to a full turn."""
    flat = loop[None] - (p @ loop.T)[:, :, None] * p[:, None]
    nxt = np.roll(flat, -1, axis=1)
    # x · (f × g), written out: np.cross is slow on many small arrays
    f0, f1, f2 = flat[..., 0], flat[..., 1], flat[..., 2]
    g0, g1, g2 = nxt[..., 0], nxt[..., 1], nxt[..., 2]
    x0, x1, x2 = p[:, None, 0], p[:, None, 1], p[:, None, 2]
    rising = x0 * (f1 * g2 - f2 * g1) + x1 * (f2 * g0 - f0 * g2) + x2 * (f0 * g1 - f1 * g0)
    turn = np.arctan2(rising, f0 * g0 + f1 * g1 + f2 * g2)
    return np.asarray(np.abs(turn.sum(axis=1)) > math.pi)


def _in_box(limits: tuple[float, float, float, float], p: FloatArray, depth: float) -> npt.NDArray[np.bool_]:
    west, east, south, north = limits
    lon, lat = degrees(p)
    d = math.degrees(depth)
    ok = np.ones(len(p), dtype=bool)
    if south > -90.0:
        ok &= lat >= south + d
    if north < 90.0:
        ok &= lat <= north - d
    if east - west < 360.0:
        into = np.mod(lon - west, 360.0)
        out_west = np.where(into > 180.0, into - 360.0, into)  # negative: west of the box
        scale = np.maximum(np.cos(np.radians(lat)), 1e-12)
        inside = (into <= east - west) & (into * scale >= d) & ((east - west - into) * scale >= d)
        beside = np.minimum(np.abs(out_west), np.abs(np.mod(lon - east + 180.0, 360.0) - 180.0)) * scale <= -d
        ok &= inside if depth >= 0 else (into <= east - west) | beside
    return np.asarray(ok)


def to_arcs(p: FloatArray, arcs: FloatArray) -> FloatArray:
    """Smallest angle from each point (n, 3) to great-circle arcs (m, 2, 3), radians, (n,)."""
    if len(arcs) == 0:
        return np.full(len(p), np.inf)
    a, b = arcs[:, 0], arcs[:, 1]
    n = np.cross(a, b)
    size = np.linalg.norm(n, axis=1)
    unit = n / np.where(size > 0, size, 1.0)[:, None]
    ends = np.minimum(angle(p[:, None], a[None]), angle(p[:, None], b[None]))
    over = (np.cross(unit, a) @ p.T).T >= 0
    over &= (np.cross(b, unit) @ p.T).T >= 0
    over &= (size > 1e-14)[None]
    plane = np.abs(np.arcsin(np.clip(p @ unit.T, -1.0, 1.0)))
    return np.asarray(np.where(over, plane, ends).min(axis=1))


def to_outline(p: FloatArray, shape: Shape) -> FloatArray:
    """Smallest angle from each point (n, 3) to a shape's edges, or to the point that it is, radians, (n,)."""
    if shape.kind == "point":
        return angle(p, shape.centre)
    best = to_arcs(p, shape.arcs)
    if shape.parallels:
        lon, lat = degrees(p)
        for level, west, east in shape.parallels:
            ends = np.minimum(angle(p, xyz(west, level)), angle(p, xyz(east, level)))
            over = np.mod(lon - west, 360.0) <= east - west
            best = np.minimum(best, np.where(over, np.radians(np.abs(lat - level)), ends))
    return best


def crossings(a: Shape, b: Shape) -> tuple[bool, bool]:
    """(some pair of edges crosses clear of its ends by the tolerance, some pair may cross at all)."""
    found = [_arc_crossings(a.arcs, b.arcs)]
    found += [_parallel_crossings(a.arcs, p) for p in b.parallels] + [
        _parallel_crossings(b.arcs, p) for p in a.parallels
    ]
    return any(clear for clear, _ in found), any(maybe for _, maybe in found)


def _arc_crossings(a: FloatArray, b: FloatArray) -> tuple[bool, bool]:
    if len(a) == 0 or len(b) == 0:
        return False, False
    na, nb = np.cross(a[:, 0], a[:, 1]), np.cross(b[:, 0], b[:, 1])
    na = na / np.maximum(np.linalg.norm(na, axis=1), 1e-300)[:, None]
    nb = nb / np.maximum(np.linalg.norm(nb, axis=1), 1e-300)[:, None]
    b0, b1 = na @ b[:, 0].T, na @ b[:, 1].T
    a0, a1 = (nb @ a[:, 0].T).T, (nb @ a[:, 1].T).T
    t = TOLERANCE_RAD
    # the great circles meet at two opposite points: both arcs must hold the same one
    across = np.cross(na[:, None], nb[None])
    on_a = np.einsum("ijk,ik->ij", across, a[:, 0] + a[:, 1])
    on_b = np.einsum("ijk,jk->ij", across, b[:, 0] + b[:, 1])
    clear = (np.minimum(b0, b1) < -t) & (np.maximum(b0, b1) > t) & (np.minimum(a0, a1) < -t) & (np.maximum(a0, a1) > t)
    maybe = (np.minimum(b0, b1) < t) & (np.maximum(b0, b1) > -t) & (np.minimum(a0, a1) < t) & (np.maximum(a0, a1) > -t)
    return bool((clear & (on_a * on_b > 0)).any()), bool((maybe & (on_a * on_b >= -1e-9)).any())


def _parallel_crossings(arcs: FloatArray, parallel: tuple[float, float, float]) -> tuple[bool, bool]:
    """As `crossings`, for great-circle arcs and one piece of a parallel."""
    level, west, east = parallel
    if len(arcs) == 0:
        return False, False
    z, t = math.sin(math.radians(level)), TOLERANCE_RAD
    n = np.cross(arcs[:, 0], arcs[:, 1])
    size = np.linalg.norm(n, axis=1)
    keep = size > 1e-14
    a, unit, arc = (
        arcs[keep, 0],
        n[keep] / size[keep, None],
        np.arctan2(size[keep], np.einsum("ij,ij->i", *arcs[keep].transpose(1, 0, 2))),
    )
    side = np.cross(unit, a)
    reach, phase = np.hypot(a[:, 2], side[:, 2]), np.arctan2(side[:, 2], a[:, 2])
    clear = maybe = False
    with np.errstate(invalid="ignore", divide="ignore"):
        half = np.arccos(np.clip(z / reach, -1.0, 1.0))
    slack = np.abs(z) <= reach + 1e-12
    for sign in (-1.0, 1.0):
        at = np.mod(phase + sign * half + math.pi, 2 * math.pi) - math.pi
        x = a * np.cos(at)[:, None] + side * np.sin(at)[:, None]
        lon, _ = degrees(x)
        into = np.radians(np.mod(lon - west, 360.0)) * math.cos(math.radians(level))
        width = math.radians(east - west) * math.cos(math.radians(level))
        full = east - west >= 360.0
        steep = half * reach > 10 * t  # not merely grazing
        inside = full | ((into > t) & (into < width - t))
        clear |= bool((slack & steep & inside & (at > t) & (at < arc - t)).any())
        near = full | (into < width + t) | (into > 2 * math.pi * math.cos(math.radians(level)) - t)
        maybe |= bool((slack & near & (at > -10 * t) & (at < arc + 10 * t)).any())
    return clear, maybe


def meet(a: Shape, b: Shape, epsilon: float) -> bool | None:
    """Whether two shapes come within `epsilon` radians of each other; None where it is too close to call."""
    if a.kind == "planet" or b.kind == "planet":
        return True
    t = TOLERANCE_RAD
    if float(angle(a.centre, b.centre)) > a.radius + b.radius + epsilon + t:
        return False
    if contains(b, a.probes, t).any() or contains(a, b.probes, t).any():
        return True
    clear, maybe = crossings(a, b)
    if clear:
        return True
    gap = min(float(to_outline(a.ends, b).min()), float(to_outline(b.ends, a).min()))
    if gap <= epsilon - t:
        return True
    if maybe or contains(b, a.probes, -t).any() or contains(a, b.probes, -t).any():
        return None
    return False if gap > epsilon + t else None


def inside(a: Shape, b: Shape) -> bool | None:
    """Whether shape a lies wholly in shape b; None where it is too close to call."""
    if b.kind == "planet":
        return True
    if a.kind == "planet" or b.kind in {"point", "line"}:
        return None if a.kind in {"point", "line"} else False
    t = TOLERANCE_RAD
    if float(angle(a.centre, b.centre)) > a.radius + b.radius + t:
        return False
    if not contains(b, a.probes, -t).all():
        return False
    clear, maybe = crossings(a, b)
    if clear or (a.kind in {"polygon", "box"} and contains(a, b.ends, t).any()):
        return False
    return True if contains(b, a.probes, t).all() and not maybe else None
