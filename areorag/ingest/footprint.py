"""Footprints: from what labels say about place to a geometry east-positive, planetocentric, ±180 (METHODS §1).

Everything is built by `areorag.planet.geometry`; this module decides what to build: the sense of longitude, the kind
of latitude, a box that means the whole planet because the product crosses 0°, corner order, a track, a pole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import GeometryError
from ..planet.bodies import MARS, Body
from ..planet.coordinates import normalise_lon, planetographic_to_planetocentric

FULL_CIRCLE_DEG = 359.5
"""A box at least this wide goes round the planet."""
MAX_SIMPLE_SPAN_DEG = 30.0
MAX_SIMPLE_LAT_DEG = 80.0
DIGITS = 9


@dataclass(slots=True)
class Place:
    """A footprint and its position: GeoJSON geometry, where it came from, centroid, and what was odd."""

    geometry: dict[str, Any] | None
    source: str
    lon: float | None = None
    lat: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """How a source writes coordinates: ``west`` longitudes grow westwards, ``graphic`` latitudes are planetographic."""

    west: bool = False
    graphic: bool = False
    body: Body = MARS

    def lon(self, value: float) -> float:
        """East longitude in [-180, 180)."""
        return float(normalise_lon(-value if self.west else value))

    def lat(self, value: float) -> float:
        """Planetocentric latitude."""
        return float(planetographic_to_planetocentric(value, self.body)) if self.graphic else value

    def points(self, lonlat: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """East, planetocentric points; longitudes stay on the number line they were written on."""
        return [(-lon if self.west else lon, self.lat(lat)) for lon, lat in lonlat]


EAST_CENTRIC = Frame()


def frame_of(direction: str | None, latitude_kind: str | None, body: Body = MARS) -> Frame:
    """Frame from words such as ``WEST`` / ``PositiveWest`` and ``PLANETOGRAPHIC`` / ``areographic``."""
    return Frame("WEST" in (direction or "").upper(), "GRAPHIC" in (latitude_kind or "").upper(), body)


def tidy_geometry(geometry: dict[str, Any]) -> dict[str, Any]:
    """Coordinates rounded to 1e-9 degrees, so that 0.30640000000000006 is 0.3064."""

    def rounded(value: Any) -> Any:
        if isinstance(value, int | float):
            return round(float(value), DIGITS) + 0.0
        return [rounded(v) for v in value]

    if geometry.get("type") == "GeometryCollection":
        return {"type": "GeometryCollection", "geometries": [tidy_geometry(g) for g in geometry["geometries"]]}
    return {"type": geometry["type"], "coordinates": rounded(geometry["coordinates"])}


def from_geography(geog: Any, source: str, warnings: tuple[str, ...] = ()) -> Place:
    """Place of a `planet.geometry.Geography`."""
    from ..planet.geometry import area_fraction, centroid, to_geojson

    lon, lat = (0.0, 0.0) if area_fraction(geog) > 0.9 else centroid(geog)
    return Place(tidy_geometry(to_geojson(geog)), source, float(normalise_lon(lon)), lat, warnings)


def _wrap(lon: float) -> float:
    return lon if -180.0 <= lon < 180.0 else (lon + 180.0) % 360.0 - 180.0


def _unit(lon: float, lat: float) -> tuple[float, float, float]:
    lam, phi = math.radians(lon), math.radians(lat)
    return math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)


def _simple_ring(points: Sequence[tuple[float, float]]) -> Place | None:
    """A small convex quadrilateral away from poles and the antimeridian, without the machinery of the sphere.

    Its ring is what `planet.geometry` would give; its centroid is that of the flat triangles between unit vectors.
    """
    if len(points) != 4:
        return None
    lons = [_wrap(p[0]) for p in points]
    lats = [p[1] for p in points]
    if max(lons) - min(lons) > MAX_SIMPLE_SPAN_DEG or max(abs(v) for v in lats) > MAX_SIMPLE_LAT_DEG:
        return None
    turns = []
    for i in range(4):
        (ax, ay), (bx, by), (cx, cy) = ((lons[(i + k) % 4], lats[(i + k) % 4]) for k in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    extent = max(max(lons) - min(lons), max(lats) - min(lats))
    if not (all(t > 0 for t in turns) or all(t < 0 for t in turns)) or min(abs(t) for t in turns) < 1e-9 * extent**2:
        return None
    if any(abs(lons[i] - lons[i - 1]) > 1e-9 and abs(lats[i] - lats[i - 1]) < 1e-9 for i in range(4)) and extent > 0.5:
        return None  # a box: its edges follow the parallels
    u = [_unit(x, y) for x, y in zip(lons, lats, strict=True)]
    total = [0.0, 0.0, 0.0]
    for i, j, k in ((0, 1, 2), (0, 2, 3)):
        ab = [b - a for a, b in zip(u[i], u[j], strict=True)]
        ac = [c - a for a, c in zip(u[i], u[k], strict=True)]
        area = math.sqrt(
            (ab[1] * ac[2] - ab[2] * ac[1]) ** 2 + (ab[2] * ac[0] - ab[0] * ac[2]) ** 2
            + (ab[0] * ac[1] - ab[1] * ac[0]) ** 2
        )  # fmt: skip
        total = [t + area * (a + b + c) for t, a, b, c in zip(total, u[i], u[j], u[k], strict=True)]
    lon = math.degrees(math.atan2(total[1], total[0]))
    lat = math.degrees(math.atan2(total[2], math.hypot(total[0], total[1])))
    order = range(4) if turns[0] > 0 else (0, 3, 2, 1)
    ring = [[round(lons[i], DIGITS) + 0.0, round(lats[i], DIGITS) + 0.0] for i in order]
    return Place({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}, "", float(lon), float(lat))


def _simple_box(west: float, east: float, south: float, north: float) -> Place | None:
    """A small latitude-longitude box away from poles and the antimeridian; its centroid is the exact one of the box.

    With Δλ the width, the mean vector is (sin(Δλ/2)·[φ + sin φ cos φ], Δλ/2·sin²φ) taken between the latitudes.
    """
    w, width = _wrap(west), (east - west) % 360.0
    if not (0.0 < width <= MAX_SIMPLE_SPAN_DEG and w + width < 180.0 and -MAX_SIMPLE_LAT_DEG <= south < north):
        return None
    if north > MAX_SIMPLE_LAT_DEG:
        return None
    p, q, half = math.radians(south), math.radians(north), math.radians(width) / 2.0
    along = math.sin(half) * ((q - p) + math.sin(q - p) * math.cos(q + p))
    up = half * math.sin(q - p) * math.sin(q + p)
    x, y = round(w, DIGITS) + 0.0, round(w + width, DIGITS) + 0.0
    low, high = round(south, DIGITS) + 0.0, round(north, DIGITS) + 0.0
    box = [[x, high], [x, low], [y, low], [y, high], [x, high]]
    lat = math.degrees(math.atan2(up, along))
    return Place({"type": "Polygon", "coordinates": [box]}, "", w + width / 2.0, lat)


def _aligned_ring(points: Sequence[tuple[float, float]]) -> Place | None:
    """Four corners that are a latitude-longitude box."""
    if len(points) != 4 or any(
        (points[i][0] == points[i - 1][0]) == (points[i][1] == points[i - 1][1]) for i in range(4)
    ):
        return None
    lons, lats = sorted({p[0] for p in points}), sorted({p[1] for p in points})
    if len(lons) != 2 or len(lats) != 2:
        return None
    return _simple_box(lons[0], lons[1], lats[0], lats[1])


def ring(points: Sequence[tuple[float, float]], frame: Frame, source: str) -> Place | None:
    """Polygon through (lon, lat) points in ring order, as the source writes them; None where they make no geometry."""
    from ..planet import geometry

    east = frame.points(points)
    simple = _aligned_ring(east) or _simple_ring(east)
    if simple is not None:
        simple.source = source
        return simple
    try:
        return from_geography(geometry.polygon([list(p) for p in east]), source)
    except (GeometryError, ValueError, RuntimeError):
        return None


def corners(points: Sequence[tuple[float, float]], frame: Frame, source: str) -> Place | None:
    """Polygon of four corners; where their order makes the ring cross itself it is put right, with a warning."""
    distinct = list(dict.fromkeys(points))
    if len(distinct) == 2:
        return track(distinct, frame, source)
    order = _uncrossed(frame.points(points))
    place = ring([points[i] for i in order], frame, source)
    if place is not None and order != list(range(len(points))):
        place.warnings = (*place.warnings, "corner order crossed itself: put in ring order")
    return place


def _uncrossed(points: Sequence[tuple[float, float]]) -> list[int]:
    if len(points) != 4:
        return list(range(len(points)))
    x0 = points[0][0]
    flat = [(x0 + ((x - x0 + 180.0) % 360.0 - 180.0), y) for x, y in points]

    def crosses(a: int, b: int, c: int, d: int) -> bool:
        def side(p: int, q: int, r: int) -> float:
            (ax, ay), (bx, by), (cx, cy) = flat[p], flat[q], flat[r]
            return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

    if crosses(0, 1, 2, 3):
        return [0, 2, 1, 3]
    if crosses(1, 2, 3, 0):
        return [0, 1, 3, 2]
    return [0, 1, 2, 3]


def track(points: Sequence[tuple[float, float]], frame: Frame, source: str) -> Place | None:
    """Line along a ground track, great-circle between the points given."""
    from ..planet import geometry

    try:
        return from_geography(geometry.polyline([list(p) for p in frame.points(points)]), source)
    except (GeometryError, ValueError, RuntimeError):
        return None


def spot(lon: float, lat: float, frame: Frame, source: str) -> Place:
    """A point."""
    x, y = frame.lon(lon), frame.lat(lat)
    return Place({"type": "Point", "coordinates": [round(x, DIGITS), round(y, DIGITS)]}, source, x, y)


def given(value: Any, source: str) -> Place | None:
    """Any geometry already written as GeoJSON or WKT (east, planetocentric); None where it is empty or broken."""
    from ..planet import geometry

    try:
        return from_geography(geometry.footprint(value), source)
    except (GeometryError, ValueError, RuntimeError, TypeError, KeyError, IndexError):
        return None


@dataclass(slots=True)
class Box:
    """A map box as written: edges in the frame's own sense, and what the label says about the image in it."""

    west: float
    east: float
    south: float
    north: float
    frame: Frame = EAST_CENTRIC
    projection: str = ""
    center_lon: float | None = None
    center_lat: float | None = None
    width_m: float | None = None
    height_m: float | None = None
    recovered: tuple[float, float] | None = None


def _full_circle_fits(box: Box, south: float, north: float) -> bool:
    """Whether an image of the box's size can go round the planet.

    Round one pole, it must reach from the pole to the box's other edge; else it must span the circle where that is
    shortest. A label that does not tell the image's size is believed.
    """
    if box.width_m is None:
        return True
    degree = box.frame.body.metres_per_degree
    if (north >= 89.5) != (south <= -89.5):
        diagonal = math.hypot(box.width_m, box.height_m or box.width_m)
        return diagonal >= 0.8 * (north - south) * degree
    nearest = min(abs(south), abs(north)) if south * north > 0 else 0.0
    farthest = max(abs(south), abs(north))
    reference = abs(box.center_lat) if box.center_lat is not None and _is_cylinder(box.projection) else farthest
    if not _is_cylinder(box.projection):
        reference = nearest if "SINUSOIDAL" in box.projection.upper() else farthest
    return box.width_m >= 300.0 * degree * math.cos(math.radians(min(reference, 89.0)))


def _is_cylinder(projection: str) -> bool:
    return any(k in projection.upper() for k in ("EQUIRECTANGULAR", "CYLINDRICAL", "EQUIDISTANT", "MERCATOR"))


def map_box(box: Box, source: str) -> Place | None:
    """Latitude-longitude box of a map product.

    A full circle of longitude is believed for a global map, a band or a polar cap. Where the image is far too small
    for it, the box only says that the product crosses 0°: the true edges (``box.recovered``) are used where the
    projection gives them, else there is no footprint; a warning says so.
    """
    from ..planet import geometry

    if box.south > box.north:
        box.south, box.north = box.north, box.south
    south, north = sorted((box.frame.lat(box.south), box.frame.lat(box.north)))
    west, east = (-box.west, -box.east) if box.frame.west else (box.west, box.east)
    span = abs(east - west)
    warnings: tuple[str, ...] = ()
    if span >= FULL_CIRCLE_DEG and not _full_circle_fits(box, south, north):
        text = f"the box {box.west:g}…{box.east:g} means every longitude, the image is far smaller: it crosses 0°"
        if box.recovered is None:
            return Place(None, source, None, None, (f"{text}, and the box is not used",))
        west, east = box.recovered
        span = abs(east - west)
        warnings = (f"{text}; edges taken from the projection",)
    simple = _simple_box(west, east, south, north)
    if simple is not None:
        simple.source, simple.warnings = source, warnings
        return simple
    try:
        geog = geometry.bbox(-180.0, 180.0, south, north) if span >= FULL_CIRCLE_DEG else None
        place = from_geography(geog or geometry.bbox(west, east, south, north), source, warnings)
    except (GeometryError, ValueError, RuntimeError):
        return None
    _polar_position(place, box, span)
    return place


def _polar_position(place: Place, box: Box, span: float) -> None:
    """A band's centroid is not on it: the map's centre is the position of a full-circle box, the pole of a cap."""
    if span < FULL_CIRCLE_DEG or place.geometry is None:
        return
    if box.north >= 89.5 and box.south > 0:
        place.lon, place.lat = 0.0, 90.0
    elif box.south <= -89.5 and box.north < 0:
        place.lon, place.lat = 0.0, -90.0
