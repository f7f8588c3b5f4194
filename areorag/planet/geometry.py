"""Geometry on the sphere: the one place where a geometry is built, and what each builder means (METHODS §2).

A `Geography` is a set of points on the unit sphere: spherely (S2) parts, a flag for the whole planet, and a margin
(an angle by which everything is grown: that is how caps, buffers and "within 20 km of" are exact). It knows no body;
every function that returns or takes metres is given one. Edges are great circles, except where a builder says that
they follow parallels (latitude-longitude boxes and bands). Predicates are ``intersects`` and ``covers`` with closed
sets: a boundary belongs to both sides, touching counts. See `rings` for what GeoJSON rings mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from .bodies import Body
from .coordinates import angle_between, normalise_lon, to_lonlat, to_unit
from .rings import SAGITTA_RAD, Shape, coordinates, line_shapes, polygon_shapes, shapes

FloatArray = npt.NDArray[np.float64]

TOUCH_RAD = 1e-11
"""Sets nearer than this touch (0.03 mm on Mars): rounding must not part two tiles that share an edge."""
COVER_RAD = 2 * SAGITTA_RAD
"""`covers` forgives this much (1.7 m on Mars): two boxes need not follow one parallel by the same chords."""


@dataclass(frozen=True, slots=True)
class Geography:
    """A closed set of points on the unit sphere.

    Attributes
    ----------
    parts : spherely geographies, each of one dimension; the set is their union. Empty when `whole`.
    whole : the whole planet
    margin_rad : the set is everything within this angle of the parts
    dimension : 0 points, 1 lines, 2 areas (largest of the parts; a margin makes it 2)
    """

    parts: tuple[Any, ...]
    whole: bool = False
    margin_rad: float = 0.0
    dimension: int = 2
    _memo: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Its vertices and bounding cap, once asked for: covers, placing and co-location all ask."""

    def __repr__(self) -> str:
        if self.whole:
            return "Geography(whole planet)"
        margin = f" + {math.degrees(self.margin_rad):.6g}°" if self.margin_rad else ""
        return f"Geography({'; '.join(str(p)[:60] for p in self.parts)}{margin})"


WHOLE = Geography((), whole=True)


def _sp() -> Any:
    import spherely

    return spherely


# ---------------------------------------------------------------- builders


def whole_planet() -> Geography:
    """Every point of the body."""
    return WHOLE


def footprint(value: Any) -> Geography:
    """Build from GeoJSON (dict or text, also Feature and collections), WKT, or anything with ``__geo_interface__``.

    Longitudes may be in any range. What rings mean is said in `rings`: boxes follow parallels, everything else has
    great-circle edges and goes the short way round.

    Raises
    ------
    GeometryError
        Not a geometry, coordinates out of range, or nothing in it.

    Examples
    --------
    >>> round(area_fraction(footprint("POLYGON((-180 -90, 180 -90, 180 0, -180 0, -180 -90))")), 6)
    0.5
    """
    if isinstance(value, Geography):
        return value
    found = shapes(value)
    return WHOLE if found is None else _assemble(found)


def point(lon_deg: float, lat_deg: float) -> Geography:
    """One point."""
    return _assemble([Shape("point", (coordinates([[lon_deg, lat_deg]]),))])


def points(lonlat: Any) -> Geography:
    """Several points, (n, 2) degrees."""
    return _assemble([Shape("point", (coordinates(lonlat),))])


def polyline(lonlat: Any) -> Geography:
    """Great-circle arcs through the points, (n, 2) degrees."""
    return _assemble(line_shapes(lonlat))


def polygon(lonlat: Any, holes: Sequence[Any] = ()) -> Geography:
    """Area inside a ring of (lon, lat), less holes; rings as in `rings`."""
    found = polygon_shapes([lonlat, *holes])
    return WHOLE if found is None else _assemble(found)


def bbox(west: float, east: float, south: float, north: float) -> Geography:
    """Latitude-longitude box from `west` eastwards to `east`; its northern and southern edges are parallels.

    ``west > east`` wraps over the antimeridian; a width of 360° or more is a band; a band from pole to pole is the
    whole planet; a width of 0 is a line, a height of 0 a piece of a parallel.

    Raises
    ------
    GeometryError
        Not finite, a latitude outside ±90, or south > north.
    """
    if not all(math.isfinite(v) for v in (west, east, south, north)):
        raise GeometryError("a side of the box is not finite")
    if south > north:
        raise GeometryError(f"the box's southern edge {south:g} lies north of its northern edge {north:g}")
    width = 360.0 if abs(east - west) >= 360.0 else (east - west) % 360.0
    w = float(normalise_lon(west))
    return polygon([[w, south], [w + width, south], [w + width, north], [w, north]])


def band(south: float, north: float) -> Geography:
    """Every point with latitude in [south, north]: shell and hole; a cap where it reaches a pole."""
    return bbox(-180.0, 180.0, south, north)


def cap(lon_deg: float, lat_deg: float, radius_m: float, body: Body) -> Geography:
    """Every point within `radius_m` (arc length) of a centre; exact, not a polygon."""
    return buffer(point(lon_deg, lat_deg), radius_m, body)


def buffer(geog: Geography, distance_m: float, body: Body) -> Geography:
    """Everything within `distance_m` of a geography; exact."""
    if not (math.isfinite(distance_m) and distance_m >= 0):
        raise GeometryError(f"distance {distance_m} m is not a non-negative number")
    if geog.whole:
        return geog
    margin = geog.margin_rad + distance_m / body.radius_m
    return WHOLE if margin >= math.pi else replace(geog, margin_rad=margin, dimension=2 if margin else geog.dimension)


def union(geogs: Iterable[Geography]) -> Geography:
    """The points that lie in any of them (they must share one margin)."""
    items = list(geogs)
    if not items:
        raise GeometryError("the union of no geometries is empty")
    if any(g.whole for g in items):
        return WHOLE
    margins = {g.margin_rad for g in items}
    if len(margins) > 1:
        raise GeometryError("geometries with different margins have no common union; query them one by one")
    return Geography(tuple(p for g in items for p in g.parts), False, margins.pop(), max(g.dimension for g in items))


def _assemble(found: list[Shape]) -> Geography:
    from .sphere import build

    parts, dimension = build(found)
    return Geography(parts, dimension=dimension)


# ---------------------------------------------------------------- measures and predicates


def distance_rad(a: Geography, b: Geography) -> float:
    """Smallest angle between two sets, radians; 0 where they meet."""
    if a.whole or b.whole:
        return 0.0
    sp = _sp()
    best = min(float(sp.distance(p, q, radius=1.0)) for p in a.parts for q in b.parts)
    return max(0.0, best - a.margin_rad - b.margin_rad)


def distance_m(a: Geography, b: Geography, body: Body) -> float:
    """Smallest distance between two sets along the body's sphere, metres; 0 where they meet."""
    return distance_rad(a, b) * body.radius_m


def intersects(a: Geography, b: Geography) -> bool:
    """Whether they share a point (touching counts)."""
    return distance_rad(a, b) <= TOUCH_RAD


def covers(a: Geography, b: Geography) -> bool:
    """Whether every point of b lies in a (boundaries included).

    With a margin on a, b's outline is tested at its vertices and at points at most 0.25° (or an eighth of the margin)
    apart: exact for a cap, to that sampling for other buffers.
    """
    if a.whole or b.whole:
        return a.whole
    if not intersects(a, b):
        return False
    if a.margin_rad > 0 and a.margin_rad >= b.margin_rad:
        return _margin_covers(a, b)
    if not all(_parts_cover(a, q) for q in b.parts):
        return False
    if b.margin_rad == 0:
        return True
    sp = _sp()
    edges = [sp.boundary(p) for p in a.parts if sp.get_dimension(p) == 2]
    return bool(edges) and all(
        float(sp.distance(e, q, radius=1.0)) >= b.margin_rad - TOUCH_RAD for e in edges for q in b.parts
    )


def _parts_cover(a: Geography, q: Any) -> bool:
    sp = _sp()
    if any(bool(sp.covers(p, q)) for p in a.parts):
        return True
    dimension = int(sp.get_dimension(q))
    if dimension == 0:
        return all(
            any(float(sp.distance(p, sp.create_point(*v), radius=1.0)) <= TOUCH_RAD for p in a.parts)
            for v in _lonlat_of(q)
        )
    rest = q
    for p in a.parts:
        if int(sp.get_dimension(p)) >= dimension:
            rest = sp.difference(rest, p)
    if sp.is_empty(rest):
        return True
    if dimension == 2 and float(sp.area(rest, radius=1.0)) > 2.1 * COVER_RAD * float(sp.perimeter(q, radius=1.0)):
        return False
    lonlat = sample_part(rest, 1.0)
    pts = sp.points(lonlat[:, 0], lonlat[:, 1])
    return bool(np.all(np.min([sp.distance(p, pts, radius=1.0) for p in a.parts], axis=0) <= COVER_RAD))


def _margin_covers(a: Geography, b: Geography) -> bool:
    limit = a.margin_rad - b.margin_rad + TOUCH_RAD
    sp = _sp()
    step = 0.25 if limit > math.radians(2.0) else max(math.degrees(limit) / 8.0, 1e-6)
    lonlat = np.vstack([sample_part(q, step) for q in b.parts])
    pts = sp.points(lonlat[:, 0], lonlat[:, 1])
    nearest = np.min([sp.distance(p, pts, radius=1.0) for p in a.parts], axis=0)
    if not bool(np.all(nearest <= limit)):
        return False
    # an outline inside a small set has its interior there too, unless the interior is the larger side
    return limit >= math.pi / 2 or all(float(sp.area(q, radius=1.0)) < 2 * math.pi for q in b.parts)


def area_fraction(geog: Geography) -> float:
    """Share of the sphere, 0..1 (parts without their margin)."""
    if geog.whole:
        return 1.0
    sp = _sp()
    total = float(sum(float(sp.area(p, radius=1.0)) for p in geog.parts))
    return min(1.0, total / (4.0 * math.pi))


def area_m2(geog: Geography, body: Body) -> float:
    """Area on the body's sphere, m². A cap is exact; another margin is not counted."""
    if geog.margin_rad > 0 and geog.dimension == 2 and len(geog.parts) == 1 and _sp().get_dimension(geog.parts[0]) == 0:
        return 2.0 * math.pi * (1.0 - math.cos(geog.margin_rad)) * body.radius_m**2
    return area_fraction(geog) * 4.0 * math.pi * body.radius_m**2


def length_m(geog: Geography, body: Body) -> float:
    """Length of the lines in it, metres."""
    sp = _sp()
    return float(sum(float(sp.length(p, radius=1.0)) for p in geog.parts)) * body.radius_m


def contains_pole(geog: Geography) -> tuple[bool, bool]:
    """(north pole in it, south pole in it)."""
    return covers_point(geog, 0.0, 90.0), covers_point(geog, 0.0, -90.0)


def covers_point(geog: Geography, lon_deg: float, lat_deg: float) -> bool:
    """Whether a point lies in it."""
    return intersects(geog, point(lon_deg, lat_deg))


def centroid(geog: Geography) -> tuple[float, float]:
    """(lon, lat) of the centroid of the parts of highest dimension, degrees; (0, 0) for the whole planet.

    A set whose mass balances out (a band round the equator) has no centroid of its own; the middle of its first
    vertex is given, so that every footprint has a position.
    """
    if geog.whole:
        return 0.0, 0.0
    sp = _sp()
    top = max(int(sp.get_dimension(p)) for p in geog.parts)
    total = np.zeros(3)
    for p in geog.parts:
        if int(sp.get_dimension(p)) != top:
            continue
        c = sp.centroid(p)
        weight = float(sp.area(p, radius=1.0)) if top == 2 else float(sp.length(p, radius=1.0)) if top == 1 else 1.0
        total += to_unit(sp.get_x(c), sp.get_y(c)) * max(weight, 1e-300)
    if float(np.linalg.norm(total)) < 1e-305:
        total = to_unit(*_lonlat_of(geog.parts[0])[0])
    lon, lat = to_lonlat(total)
    return float(lon), float(lat)


def vertices(geog: Geography) -> FloatArray:
    """All vertices, (n, 2) degrees; empty for the whole planet."""
    if geog.whole:
        return np.zeros((0, 2))
    known: FloatArray | None = geog._memo.get("vertices")
    if known is None:
        import shapely

        sp = _sp()
        found = [shapely.get_coordinates(shapely.from_wkb(sp.to_wkb(p), on_invalid="fix")) for p in geog.parts]
        known = found[0] if len(found) == 1 else np.vstack(found)
        known.setflags(write=False)
        geog._memo["vertices"] = known
    return known


def bounding_cap(geog: Geography) -> tuple[FloatArray, float]:
    """(unit vector (3,), angle in radians) of a cap that holds the set; π where it is larger than a hemisphere.

    Outlines that fit a cap leave its outside wholly in the set or wholly out of it: the point opposite the centre
    tells which.
    """
    known: tuple[FloatArray, float] | None = geog._memo.get("cap")
    if known is None:
        known = geog._memo["cap"] = _bounding_cap(geog)
    return known


def _bounding_cap(geog: Geography) -> tuple[FloatArray, float]:
    if geog.whole:
        return np.array([0.0, 0.0, 1.0]), math.pi
    xy = vertices(geog)
    u = to_unit(xy[:, 0], xy[:, 1])
    centre = u.sum(axis=0)
    norm = math.sqrt(float(centre @ centre))
    if norm < 1e-9 * len(u):
        return u[0], math.pi
    centre = centre / norm
    chord = u - centre
    radius = 2.0 * math.asin(min(1.0, math.sqrt(float(np.einsum("ij,ij->i", chord, chord).max())) / 2.0))
    if radius >= math.radians(89.0):
        return centre, math.pi
    if geog.dimension == 2:
        sp = _sp()
        lon, lat = to_lonlat(-centre)
        opposite = sp.create_point(lon, lat)
        if any(bool(sp.intersects(p, opposite)) for p in geog.parts):
            return centre, math.pi
    return centre, min(math.pi, radius + geog.margin_rad + 1e-12)


def _lonlat_of(part: Any) -> list[tuple[float, float]]:
    import shapely

    return [
        (float(x), float(y)) for x, y in shapely.get_coordinates(shapely.from_wkb(_sp().to_wkb(part), on_invalid="fix"))
    ]


def sample_part(part: Any, step_deg: float) -> FloatArray:
    """Vertices of a spherely geography and points along its edges at most `step_deg` apart, (n, 2) degrees."""
    import shapely

    from .rings import slerp

    shape = shapely.from_wkb(_sp().to_wkb(part), on_invalid="fix")
    out: list[FloatArray] = []
    for piece in getattr(shape, "geoms", [shape]):
        for chain in (piece.exterior, *piece.interiors) if piece.geom_type == "Polygon" else (piece,):
            xy = shapely.get_coordinates(chain)
            out.append(xy)
            u = to_unit(xy[:, 0], xy[:, 1])
            arc = np.degrees(angle_between(u[1:], u[:-1])) if len(u) > 1 else np.zeros(0)
            for i in np.flatnonzero(arc > step_deg):
                n = math.ceil(float(arc[i]) / step_deg)
                lon, lat = to_lonlat(slerp(u[i], u[i + 1], np.arange(1, n)[:, None] / n))
                out.append(np.column_stack([lon, lat]))
    return np.vstack(out)


def to_geojson(geog: Geography) -> dict[str, Any]:
    """GeoJSON in ±180, split at the antimeridian; see `planet.geojson`."""
    from .geojson import to_geojson as convert

    return convert(geog)
