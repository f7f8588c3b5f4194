"""Geographies back to GeoJSON: longitudes in ±180, split at the antimeridian, as the contract fixes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .coordinates import normalise_lon
from .geometry import Geography, centroid
from .rings import crossing_latitude, densify_geodesics, drop_repeats, has_area, is_rectilinear, parse, unwrap

FloatArray = npt.NDArray[np.float64]

_LONG_EDGE_DEG = 10.0
"""A great circle longer than this is drawn with points along it: straight on the map is another line."""

WORLD = [[[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0], [-180.0, -90.0]]]


def to_geojson(geog: Geography) -> dict[str, Any]:
    """GeoJSON geometry: polygons are cut at the antimeridian, one that holds a pole is closed along it on the map.

    A margin is drawn: a cap as a ring of 72 points, another buffer as its parts alone (see `has_margin` in the result's
    sender). Points added along parallels are left out again.
    """
    if geog.whole:
        return {"type": "Polygon", "coordinates": WORLD}
    if geog.margin_rad > 0 and geog.dimension == 2:
        ring = cap_ring(geog)
        if ring is not None:
            return _pack([("Polygon", c) for c in _coordinates(_on_map(_from_sphere(ring)))])
    import shapely
    import spherely

    out: list[tuple[str, Any]] = []
    for part in geog.parts:
        shape = shapely.from_wkb(spherely.to_wkb(part), on_invalid="fix")
        for piece in getattr(shape, "geoms", [shape]):
            if piece.geom_type == "Polygon":
                rings = [shapely.get_coordinates(r) for r in (piece.exterior, *piece.interiors)]
                out.extend(("Polygon", c) for c in _sphere_polygon(rings, part))
            elif piece.geom_type == "LineString":
                out.extend(("LineString", c) for c in _planar_line(shapely.get_coordinates(piece)))
            else:
                x, y = shapely.get_coordinates(piece)[0]
                out.append(("Point", [float(normalise_lon(x)), float(y)]))
    return _pack(out)


def cap_ring(geog: Geography, n: int = 72) -> FloatArray | None:
    """Ring of n points round a cap (a single point with a margin); None for another geography."""
    from .coordinates import destination

    if len(geog.parts) != 1:
        return None
    import spherely

    if spherely.get_type_id(geog.parts[0]) != spherely.GeographyType.POINT.value:
        return None
    lon, lat = centroid(geog)
    bearings = np.arange(n) * (-360.0 / n)
    return np.column_stack(destination(lon, lat, bearings, np.full(n, geog.margin_rad)))


def split_at_antimeridian(geometry: Mapping[str, Any]) -> dict[str, Any]:
    """A GeoJSON geometry with longitudes in any range, brought to ±180 and cut at the antimeridian; nothing is added
    along parallels. Rings keep the meaning `planet.rings` gives them.
    """
    out: list[tuple[str, Any]] = []
    for kind, coords in parse(geometry):
        if kind == "Point":
            out.append(("Point", [float(normalise_lon(coords[0])), float(coords[1])]))
        elif kind == "LineString":
            out.extend(("LineString", c) for c in _planar_line(np.array([p[:2] for p in coords], dtype=float)))
        else:
            rings = [np.array([p[:2] for p in r], dtype=float) for r in coords]
            out.extend(("Polygon", c) for c in _planar_polygon(rings))
    return _pack(out)


def _pack(found: list[tuple[str, Any]]) -> dict[str, Any]:
    kinds = {kind for kind, _ in found}
    if len(found) == 1:
        return {"type": found[0][0], "coordinates": found[0][1]}
    if len(kinds) == 1:
        return {"type": "Multi" + kinds.pop(), "coordinates": [c for _, c in found]}
    return {"type": "GeometryCollection", "geometries": [{"type": k, "coordinates": c} for k, c in found]}


def _number_line(ring: FloatArray) -> FloatArray:
    """Ring with continuous longitudes, poles closed; a ring aligned with the grid keeps its own longitudes."""
    xy = drop_repeats(np.asarray(ring, dtype=float), ring=True)
    return xy if is_rectilinear(xy) and has_area(xy) else _with_crossings(unwrap(xy))


def _from_sphere(ring: FloatArray) -> FloatArray:
    """Ring of the sphere on the map: aligned figures without the points along their parallels; other rings with a
    vertex where an edge crosses the antimeridian, so that a cut on the map is a cut on the sphere.
    """
    lon = np.where(np.abs(ring[:, 1]) >= 90.0, 0.0, normalise_lon(ring[:, 0]))
    xy = unwrap(drop_repeats(np.column_stack([lon, ring[:, 1]]), ring=True))
    thin = _thin(xy)
    if is_rectilinear(thin):
        return thin
    long = np.abs(np.diff(xy, axis=0, append=xy[:1])).max() > _LONG_EDGE_DEG
    return _with_crossings(densify_geodesics(xy) if long else xy)


def _thin(xy: FloatArray) -> FloatArray:
    """Without points in the middle of a straight east-west or north-south run."""
    if len(xy) < 4:
        return xy
    before, after = np.roll(xy, 1, axis=0), np.roll(xy, -1, axis=0)
    level = (np.abs(before[:, 1] - xy[:, 1]) < 1e-9) & (np.abs(after[:, 1] - xy[:, 1]) < 1e-9)
    upright = (np.abs(before[:, 0] - xy[:, 0]) < 1e-9) & (np.abs(after[:, 0] - xy[:, 0]) < 1e-9)
    out = xy[~(level | upright)]
    return np.round(out, 12) if len(out) >= 3 else xy


def _with_crossings(xy: FloatArray) -> FloatArray:
    out: list[FloatArray] = []
    for a, b in zip(xy, np.roll(xy, -1, axis=0), strict=True):
        out.append(a)
        k = math.floor((min(a[0], b[0]) + 180.0) / 360.0) + 1
        cut = -180.0 + 360.0 * k
        inside = min(a[0], b[0]) < cut - 1e-12 and max(a[0], b[0]) > cut + 1e-12
        if inside and min(90.0 - abs(a[1]), 90.0 - abs(b[1])) > 1e-9:
            out.append(np.array([cut, crossing_latitude(a, b, cut)]))
    return np.array(out)


def _planar_polygon(rings: list[FloatArray]) -> list[list[list[list[float]]]]:
    """Polygons on the map of one polygon of the map (shell, holes)."""
    figures = [_on_map(_number_line(r)) for r in rings]
    figure = figures[0]
    for hole in figures[1:]:
        figure = figure.difference(hole)
    return _coordinates(figure)


def _sphere_polygon(rings: list[FloatArray], part: Any) -> list[list[list[list[float]]]]:
    """Polygons on the map of one polygon of the sphere.

    The loops bound the figure, whichever side of each is meant: their figures on the map are combined by exclusive or,
    and the area tells the figure from its complement (a point, where both are near half of the sphere).
    """
    import shapely
    import spherely

    figure: Any = shapely.Polygon()
    for ring in rings:
        figure = figure.symmetric_difference(_on_map(_from_sphere(ring)))
    want = float(spherely.area(part, radius=1.0)) / (4.0 * math.pi)
    have = _share_of_sphere(figure)
    if abs(have - 0.5) > 0.02:
        inverted = abs(1.0 - have - want) < abs(have - want)
    else:
        probe = figure.representative_point()
        inverted = not bool(spherely.intersects(part, spherely.create_point(probe.x, probe.y)))
    if inverted:
        figure = shapely.box(-180.0, -90.0, 180.0, 90.0).difference(figure)
    return _coordinates(figure)


def _share_of_sphere(figure: Any) -> float:
    """Share of the sphere inside a figure of the map with straight edges: ∮ sin φ dλ, exact."""
    import shapely

    total = 0.0
    for part in getattr(figure, "geoms", [figure]):
        if part.geom_type != "Polygon" or part.is_empty:
            continue
        rings = [abs(_ring_share(shapely.get_coordinates(r))) for r in (part.exterior, *part.interiors)]
        total += rings[0] - sum(rings[1:])
    return total


def _ring_share(xy: FloatArray) -> float:
    phi, lam = np.radians(xy[:, 1]), np.radians(xy[:, 0])
    rise, run = np.diff(phi), np.diff(lam)
    level = np.abs(rise) < 1e-12
    mean = np.where(level, np.sin(phi[:-1]), (np.cos(phi[:-1]) - np.cos(phi[1:])) / np.where(level, 1.0, rise))
    return float(np.sum(mean * run)) / (4.0 * math.pi)


def _on_map(xy: FloatArray) -> Any:
    """Ring with continuous longitudes as a figure within ±180."""
    import shapely

    if len(xy) < 3:
        return shapely.Polygon()
    figure = shapely.Polygon(xy)
    if not figure.is_valid:
        figure = shapely.make_valid(figure)
    west, _, east, _ = figure.bounds
    out: list[Any] = []
    for k in range(math.floor((west + 180.0 + 1e-12) / 360.0), math.ceil((east + 180.0 - 1e-12) / 360.0)):
        lo = -180.0 + 360.0 * k
        inside = west >= lo and east <= lo + 360.0
        piece = figure if inside else figure.intersection(shapely.box(lo, -90.0, lo + 360.0, 90.0))
        out.append(shapely.transform(piece, lambda c, k=k: c - np.array([360.0 * k, 0.0])) if k else piece)
    return out[0] if len(out) == 1 else shapely.union_all(out)


def _coordinates(figure: Any) -> list[list[list[list[float]]]]:
    import shapely

    out = []
    for part in getattr(figure, "geoms", [figure]):
        if part.geom_type == "Polygon" and part.area > 0:
            oriented = shapely.geometry.polygon.orient(part)
            loops = (oriented.exterior, *oriented.interiors)
            out.append([[[round(float(x), 12), float(y)] for x, y in shapely.get_coordinates(r)] for r in loops])
    return out


def _planar_line(xy: FloatArray) -> list[list[list[float]]]:
    """Chain cut where a great-circle edge crosses the antimeridian, at the latitude where it does."""
    lon = np.asarray(normalise_lon(xy[:, 0]))
    chains: list[list[list[float]]] = [[[float(lon[0]), float(xy[0, 1])]]]
    for i in range(1, len(xy)):
        if abs(lon[i] - lon[i - 1]) > 180.0 and min(90 - abs(xy[i, 1]), 90 - abs(xy[i - 1, 1])) > 1e-9:
            side = math.copysign(180.0, lon[i - 1])
            lat = crossing_latitude(xy[i - 1], xy[i], 180.0)
            if abs(lon[i - 1]) < 180.0:
                chains[-1].append([side, lat])
            chains.append([[-side, lat]] if abs(lon[i]) < 180.0 else [])
            if abs(lon[i]) == 180.0:
                chains[-1].append([-side, float(xy[i, 1])])
                continue
        chains[-1].append([float(lon[i]), float(xy[i, 1])])
    return [c for c in chains if len(c) > 1] or [[c for chain in chains for c in chain]]
