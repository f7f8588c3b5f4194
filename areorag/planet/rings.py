"""From GeoJSON and WKT numbers to clean pieces on the longitude-latitude plane (METHODS §2, "sparse spatial").

This module decides what a ring *means*; `geometry` then builds it on the sphere. The rules:

* A ring whose every edge lies along a meridian or a parallel is a latitude-longitude figure (box, band, tile): its
  east-west edges follow the parallels, and longitudes are read on the number line, so an edge may be longer than 180°.
* Every other ring has great-circle edges, and an edge takes the short way round: a ring that jumps from 179° to -179°
  crosses the antimeridian. Winding (clockwise or not) carries no meaning.
* A ring that goes once round the planet encloses the pole on whose side its vertices lie; vertices put at a pole to
  close such a ring on a map are recognised and removed.
* Repeated points and spikes are removed; a ring without area becomes a line, a line without length a point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from .coordinates import to_lonlat, to_unit

FloatArray = npt.NDArray[np.float64]

ALIGNED_DEG = 1e-9
"""Two latitudes (or longitudes) closer than this are one."""
MAX_STEP_DEG = 0.5
SAGITTA_RAD = 2.5e-7
"""A chord of a parallel leaves it by at most this angle (0.85 m on Mars)."""
MAX_SPAN_DEG = 120.0
"""Pieces wider than this are split: the sphere's libraries invert a figure larger than a hemisphere."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One simple part: kind ``point`` (n, 2), ``line`` (n, 2), or ``polygon``: rings [shell, holes…], degrees.

    A polygon spans at most `MAX_SPAN_DEG` of longitude, so the smaller of its two sides is its interior.
    """

    kind: str
    rings: tuple[FloatArray, ...]


def parse(value: Any) -> Iterator[tuple[str, Any]]:
    """(GeoJSON type, coordinates) of the simple parts of GeoJSON (dict, JSON text, Feature, collection) or WKT.

    Raises
    ------
    GeometryError
        Not a geometry.
    """
    if isinstance(value, str):
        yield from parse(_parse_text(value))
        return
    if hasattr(value, "__geo_interface__"):
        value = value.__geo_interface__
    if not isinstance(value, Mapping):
        raise GeometryError(f"a {type(value).__name__} is not a geometry. Give GeoJSON or WKT")
    kind = value.get("type")
    if kind == "Feature":
        if value.get("geometry") is not None:
            yield from parse(value["geometry"])
    elif kind == "FeatureCollection":
        for item in value.get("features") or []:
            yield from parse(item)
    elif kind == "GeometryCollection":
        for item in value.get("geometries") or []:
            yield from parse(item)
    elif kind in {"Point", "LineString", "Polygon"}:
        if value.get("coordinates"):
            yield str(kind), value["coordinates"]
    elif kind in {"MultiPoint", "MultiLineString", "MultiPolygon"}:
        for item in value.get("coordinates") or []:
            yield str(kind)[5:], item
    else:
        raise GeometryError(f"geometry type {kind!r} is not known. Use Point, LineString, Polygon or their Multi forms")


def _parse_text(text: str) -> Mapping[str, Any]:
    stripped = text.strip()
    if stripped.startswith("{"):
        import json

        try:
            value = json.loads(stripped)
        except ValueError as exc:
            raise GeometryError(f"the geometry is not JSON: {exc}") from None
        if not isinstance(value, dict):
            raise GeometryError("the geometry is not a JSON object")
        return value
    if stripped[:5].upper() == "SRID=":
        stripped = stripped.partition(";")[2].strip()
    import shapely

    try:
        shape = shapely.from_wkt(stripped)
    except shapely.errors.GEOSException as exc:
        raise GeometryError(f"the geometry is not WKT: {exc}") from None
    mapping: Mapping[str, Any] = shapely.geometry.mapping(shape)
    return mapping


def coordinates(points: Any) -> FloatArray:
    """(n, 2) finite longitudes and latitudes; a third ordinate is dropped, a latitude may exceed ±90 by rounding only.

    Raises
    ------
    GeometryError
        Not numbers, not finite, or out of range.
    """
    try:
        array = np.asarray(points, dtype=float)
        if array.ndim != 2:
            array = np.asarray([p[:2] for p in points], dtype=float)
        array = np.ascontiguousarray(array[:, :2])
    except (TypeError, ValueError, IndexError) as exc:
        raise GeometryError("coordinates are not pairs of numbers (longitude, latitude)") from exc
    if array.shape[0] == 0 or array.shape[1] != 2:
        raise GeometryError("coordinates are not pairs of numbers (longitude, latitude)")
    if not np.isfinite(array).all():
        raise GeometryError("a coordinate is not finite")
    low, high = array.min(axis=0), array.max(axis=0)
    if low[1] < -90.0 - 1e-6 or high[1] > 90.0 + 1e-6:
        raise GeometryError(f"latitude {low[1] if low[1] < -90 else high[1]:g} is outside [-90, 90] degrees")
    if low[0] < -540.0 or high[0] > 720.0:
        raise GeometryError(f"longitude {low[0] if low[0] < -540 else high[0]:g} is not a longitude in degrees")
    if low[1] < -90.0 or high[1] > 90.0:
        array[:, 1] = np.clip(array[:, 1], -90.0, 90.0)
    return array


def drop_repeats(xy: FloatArray, *, ring: bool) -> FloatArray:
    """Without consecutive repeats and, for a ring, without closing point and spikes (A → B → A)."""
    if len(xy) < 2:
        return xy
    keep = np.ones(len(xy), dtype=bool)
    same = (np.abs(xy[1:] - xy[:-1]) < 1e-12).all(axis=1)
    keep[1:] = ~same
    out = xy[keep]
    if not ring:
        return out
    while len(out) > 1 and (np.abs(out[0] - out[-1]) < 1e-12).all():
        out = out[:-1]
    while len(out) > 2:
        before = np.roll(out, 1, axis=0)
        after = np.roll(out, -1, axis=0)
        spikes = np.flatnonzero((np.abs(before - after) < 1e-12).all(axis=1))
        if len(spikes) == 0:
            break
        i = int(spikes[0])
        out = np.delete(out, sorted({i, (i + 1) % len(out)}), axis=0)
    return out


def is_rectilinear(xy: FloatArray) -> bool:
    """Whether every edge of a ring lies along a meridian or a parallel."""
    delta = np.abs(np.roll(xy, -1, axis=0) - xy)
    return bool(np.all((delta[:, 0] < ALIGNED_DEG) | (delta[:, 1] < ALIGNED_DEG)))


def unwrap(xy: FloatArray) -> FloatArray:
    """A great-circle ring with continuous longitudes; one that winds round the planet is closed over its pole."""
    polar = np.abs(xy[:, 1]) >= 90.0 - 1e-9
    if polar.all():
        return xy[:1]
    if polar.any():
        return _unwrap_polar(xy, polar)
    lon = _continuous(xy[:, 0])
    step = xy[0, 0] - xy[-1, 0]
    winding = lon[-1] + (step - 360.0 * np.round(step / 360.0)) - lon[0]
    out = np.column_stack([lon, xy[:, 1]])
    if abs(winding) < 1.0:
        return out
    pole = math.copysign(90.0, float(np.sin(np.radians(xy[:, 1])).sum()))
    closing = [[lon[0] + winding, xy[0, 1]], [lon[0] + winding, pole], [lon[0], pole]]
    return np.vstack([out, closing])


def _continuous(lon: FloatArray) -> FloatArray:
    step = np.diff(lon)
    step -= 360.0 * np.round(step / 360.0)
    return np.concatenate([lon[:1], lon[0] + np.cumsum(step)])


def _unwrap_polar(xy: FloatArray, polar: npt.NDArray[np.bool_]) -> FloatArray:
    """Rotate so that the ring starts after a pole visit; each pole vertex takes its neighbours' longitudes."""
    start = next(i for i in range(len(xy)) if polar[i - 1] and not polar[i])
    ring, at_pole = np.roll(xy, -start, axis=0), np.roll(polar, -start)
    lon = _continuous(ring[~at_pole, 0])
    out: list[list[float]] = []
    k = 0
    for i, (point, pole) in enumerate(zip(ring, at_pole, strict=True)):
        if pole:
            last = out[-1][0]
            if out[-1][1] != point[1]:
                out.append([last, float(point[1])])
            if i + 1 < len(ring) and not at_pole[i + 1]:
                out.append([float(lon[k]), float(point[1])])
        else:
            out.append([float(lon[k]), float(point[1])])
            k += 1
    out.append([float(lon[0]), out[-1][1]])
    return np.array(out)


def parallel_step_deg(lat_deg: float) -> float:
    """Longitude step along a parallel that keeps its chords within `SAGITTA_RAD` of it (never above 0.5°)."""
    bend = abs(math.sin(math.radians(lat_deg)) * math.cos(math.radians(lat_deg)))
    if bend < 1e-12:
        return MAX_STEP_DEG
    return min(MAX_STEP_DEG, math.degrees(math.sqrt(8.0 * SAGITTA_RAD / bend)))


def densify_parallels(xy: FloatArray) -> FloatArray:
    """Points added along the east-west edges of a latitude-longitude ring."""
    nxt = np.roll(xy, -1, axis=0)
    width = np.abs(nxt[:, 0] - xy[:, 0])
    if not (width > parallel_step_deg(45.0)).any():
        return xy
    parts = []
    for a, b, w in zip(xy, nxt, width, strict=True):
        n = max(1, math.ceil(w / parallel_step_deg(float(a[1])) - 1e-9))
        lon = a[0] + (b[0] - a[0]) * (np.arange(n) / n)
        parts.append(np.column_stack([lon, np.full(n, a[1])]) if n > 1 else a[None, :])
    return np.vstack(parts)


def densify_geodesics(xy: FloatArray, step_deg: float = 1.0) -> FloatArray:
    """Points added along great-circle edges of a ring with continuous longitudes, before it is cut on the plane."""
    parts = []
    for a, b in zip(xy, np.roll(xy, -1, axis=0), strict=True):
        parts.append(a[None, :])
        if min(90.0 - abs(a[1]), 90.0 - abs(b[1])) < 1e-9 or abs(b[0] - a[0]) < 1e-12:
            continue
        u, v = to_unit(a[0], a[1]), to_unit(b[0], b[1])
        n = math.ceil(math.degrees(math.atan2(float(np.linalg.norm(np.cross(u, v))), float(u @ v))) / step_deg)
        if n > 1:
            t = np.arange(1, n)[:, None] / n
            lon, lat = to_lonlat(slerp(u, v, t))
            lon = a[0] + ((lon - a[0] + 180.0) % 360.0 - 180.0)
            parts.append(np.column_stack([lon, lat]))
    return np.vstack(parts)


def slerp(u: FloatArray, v: FloatArray, t: FloatArray) -> FloatArray:
    """Points on the great circle from u to v at fractions t (n, 1); (n, 3) unit vectors."""
    omega = 2.0 * math.asin(min(1.0, float(np.linalg.norm(u - v)) / 2.0))
    if omega < 1e-12:
        return np.repeat(u[None, :], len(t), axis=0)
    return np.asarray((np.sin((1.0 - t) * omega) * u + np.sin(t * omega) * v) / math.sin(omega))


def signed_area(xy: FloatArray) -> float:
    """Shoelace area on the plane, square degrees."""
    x, y = xy[:, 0] - xy[0, 0], xy[:, 1] - xy[0, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def has_area(xy: FloatArray) -> bool:
    """Whether a ring encloses anything: its area against what rounding its coordinates could make of a line."""
    if len(xy) < 3:
        return False
    extent = float(np.abs(xy - xy[0]).max())
    return abs(signed_area(xy)) > 1e-15 * max(1.0, float(np.abs(xy).max())) * max(extent, 1e-12)


def _crosses_itself(xy: FloatArray) -> bool:
    """A bow tie has no signed area, but encloses something."""
    if len(xy) < 4:
        return False
    import shapely

    return bool(shapely.make_valid(shapely.Polygon(xy)).area > 1e-15)


def is_plain(ring: Any) -> bool:
    """Whether a ring needs no treatment: the ordinary footprint, told apart without array overhead.

    Closed, at most 64 points of ordinary numbers, no pole or antimeridian near, no repeats or spikes, a clear area, and
    no long edge along a parallel.
    """
    if not isinstance(ring, list | tuple) or not 4 <= len(ring) <= 65 or ring[0] != ring[-1]:
        return False
    area, back_x, back_y = 0.0, ring[-2][0], ring[-2][1]
    x0, y0 = ring[0][0], ring[0][1]
    try:
        low = high = float(x0)
        for i in range(len(ring) - 1):
            x, y = ring[i][0], ring[i][1]
            nx, ny = ring[i + 1][0], ring[i + 1][1]
            if not (-179.999 < x < 179.999 and -89.9 < y < 89.9) or (x == nx and y == ny):
                return False
            if (back_x == nx and back_y == ny) or (abs(y - ny) < ALIGNED_DEG and abs(x - nx) > 0.1):
                return False
            low, high = min(low, x), max(high, x)
            area += (x - x0) * (ny - y0) - (nx - x0) * (y - y0)
            back_x, back_y = x, y
    except (TypeError, IndexError):
        return False
    return high - low < 90.0 and abs(area) > 1e-9


def polygon_shapes(rings: Sequence[Any]) -> list[Shape] | None:
    """Pieces of one polygon (shell and holes); None where it is the whole planet."""
    if len(rings) == 1 and is_plain(rings[0]):
        return [Shape("polygon", (np.array([p[:2] for p in rings[0][:-1]], dtype=float),))]
    shell = drop_repeats(coordinates(rings[0]), ring=True)
    aligned = is_rectilinear(shell)
    plane = shell if aligned else drop_repeats(unwrap(shell), ring=True)
    if not has_area(plane):
        if aligned and len(shell) > 2:  # a ring along one parallel, round the planet
            plane = drop_repeats(unwrap(shell), ring=True)
        if not has_area(plane) and not _crosses_itself(plane):
            return line_shapes(rings[0])
    holes = [h for h in (_hole(ring, plane) for ring in rings[1:]) if h is not None]
    span = float(plane[:, 0].max() - plane[:, 0].min())
    if aligned:
        if span >= 360.0 - 1e-6 and not holes and np.ptp(plane[:, 1]) >= 180.0 - 1e-6 and len(plane) == 4:
            return None
        plane = densify_parallels(plane)
    holes = [densify_parallels(h) if is_rectilinear(h) else h for h in holes]
    if span <= MAX_SPAN_DEG and not np.any(np.abs(plane[:, 1]) >= 90.0 - 1e-9):
        return [Shape("polygon", (plane, *holes))]
    west = float(plane[:, 0].min())
    pieces = max(1, math.ceil((min(span, 360.0) - 1e-9) / MAX_SPAN_DEG))
    cuts = west + min(span, 360.0) * np.arange(pieces + 1) / pieces
    if not aligned:
        plane = cross_meridians(densify_geodesics(plane), cuts)
    holes = [h if is_rectilinear(h) else cross_meridians(densify_geodesics(h), cuts) for h in holes]
    return _cut(plane, holes, cuts)


def _hole(ring: Any, shell: FloatArray) -> FloatArray | None:
    xy = drop_repeats(coordinates(ring), ring=True)
    xy = xy if is_rectilinear(xy) else drop_repeats(unwrap(xy), ring=True)
    if not has_area(xy):
        return None
    middle = (shell[:, 0].max() + shell[:, 0].min()) / 2.0
    shift = 360.0 * round((middle - (xy[:, 0].max() + xy[:, 0].min()) / 2.0) / 360.0)
    return np.asarray(xy + np.array([shift, 0.0]))


def cross_meridians(xy: FloatArray, meridians: FloatArray) -> FloatArray:
    """A vertex wherever a great-circle edge of a ring with continuous longitudes crosses one of the meridians."""
    out: list[FloatArray] = []
    for a, b in zip(xy, np.roll(xy, -1, axis=0), strict=True):
        out.append(a)
        low, high = min(a[0], b[0]), max(a[0], b[0])
        if min(90.0 - abs(a[1]), 90.0 - abs(b[1])) < 1e-9 or high - low > 180.0:
            continue
        inside = meridians[(meridians > low + 1e-12) & (meridians < high - 1e-12)]
        ordered = inside if b[0] > a[0] else inside[::-1]
        out.extend(np.array([m, crossing_latitude(a, b, float(m))]) for m in ordered)
    return np.array(out)


def crossing_latitude(a: FloatArray, b: FloatArray, meridian_deg: float) -> float:
    """Latitude at which the great circle through two points (lon, lat) meets a meridian between them, degrees."""
    n = np.cross(to_unit(a[0], a[1]), to_unit(b[0], b[1]))
    lam = math.radians(meridian_deg)
    # n · (cos φ cos λ, cos φ sin λ, sin φ) = 0
    flat, up = n[0] * math.cos(lam) + n[1] * math.sin(lam), float(n[2])
    return math.degrees(math.atan2(-flat, up) if up > 0 else math.atan2(flat, -up))


def _cut(plane: FloatArray, holes: list[FloatArray], cuts: FloatArray) -> list[Shape]:
    """Cut a wide or polar figure at meridians into pieces of at most 120°."""
    import shapely

    figure = shapely.make_valid(shapely.Polygon(plane, holes))
    out: list[Shape] = []
    for a, b in pairwise(cuts):
        piece = shapely.intersection(figure, shapely.box(a, -90.0, b, 90.0))
        parts = [g for g in getattr(piece, "geoms", [piece]) if g.geom_type == "Polygon" and g.area > 0]
        out.extend(Shape("polygon", tuple(shapely.get_coordinates(r)[:-1] for r in _rings_of(g))) for g in parts)
    return out


def _rings_of(polygon: Any) -> list[Any]:
    return [polygon.exterior, *polygon.interiors]


def line_shapes(points: Any) -> list[Shape]:
    """A polyline with great-circle edges; a point where it has no length."""
    xy = drop_repeats(coordinates(points), ring=False)
    u = to_unit(xy[:, 0], xy[:, 1])
    keep = np.concatenate([[True], np.linalg.norm(np.diff(u, axis=0), axis=1) > 1e-14])
    xy, u = xy[keep], u[keep]
    if len(xy) < 2:
        return [Shape("point", (xy,))]
    if (np.linalg.norm(u[1:] + u[:-1], axis=1) < 1e-9).any():
        raise GeometryError("a line joins antipodal points: which great circle is meant is not defined")
    return [Shape("line", (xy,))]


def shapes(value: Any) -> list[Shape] | None:
    """Every part of a geometry; None where one of them is the whole planet."""
    out: list[Shape] = []
    for kind, coords in parse(value):
        if kind == "Point":
            out.append(Shape("point", (coordinates([coords]),)))
        elif kind == "LineString":
            out.extend(line_shapes(coords))
        else:
            pieces = polygon_shapes(coords)
            if pieces is None:
                return None
            out.extend(pieces)
    if not out:
        raise GeometryError("the geometry is empty")
    return out
