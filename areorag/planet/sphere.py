"""Shapes of `rings` as spherely (S2) geographies on the unit sphere (METHODS §2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from .coordinates import normalise_lon, to_unit
from .rings import Shape, drop_repeats

FloatArray = npt.NDArray[np.float64]


def build(found: list[Shape]) -> tuple[tuple[Any, ...], int]:
    """(geographies: points, lines, areas that share no edge; largest dimension)."""
    import spherely as sp

    if len(found) == 1 and found[0].kind == "polygon":
        return tuple(_polygons(found[0])), 2
    pts = [s.rings[0] for s in found if s.kind == "point"]
    lines = [s.rings[0] for s in found if s.kind == "line"]
    areas = [g for s in found if s.kind == "polygon" for g in _polygons(s)]
    parts: list[Any] = []
    if pts:
        lonlat = [p for xy in pts for p in _wrapped(xy)]
        parts.append(sp.create_point(*lonlat[0]) if len(lonlat) == 1 else sp.create_multipoint(lonlat))
    if lines:
        chains = [[tuple(p) for p in _wrapped(line)] for line in lines]
        parts.append(sp.create_linestring(chains[0]) if len(chains) == 1 else sp.create_multilinestring(chains))
    if areas:
        parts.extend(_merged(areas))
    if not parts or any(sp.is_empty(g) for g in parts):
        raise GeometryError("the geometry is empty on the sphere")
    return tuple(parts), 2 if areas else 1 if lines else 0


def _wrapped(xy: FloatArray) -> list[list[float]]:
    """Longitudes in [-180, 180): both names of the antimeridian become one point of the sphere; poles get one name."""
    lon = np.where(np.abs(xy[:, 1]) >= 90.0, 0.0, normalise_lon(xy[:, 0]))
    out: list[list[float]] = np.column_stack([lon, xy[:, 1]]).tolist()
    return out


def _polygons(shape: Shape) -> list[Any]:
    """One polygon on the sphere; a self-crossing ring is repaired on the plane, what cannot be is its outline."""
    import spherely as sp

    rings = [_wrapped(r) for r in shape.rings]
    if any(abs(p[1]) >= 90.0 for r in rings for p in r):
        rings = [drop_repeats(np.array(r), ring=True).tolist() for r in rings]
    for again in (False, True):
        attempt = [r for r in map(_distinct, rings) if len(r) >= 3] if again else rings
        try:
            if attempt:
                return [sp.create_polygon(attempt[0], attempt[1:] or None)]
        except (ValueError, RuntimeError):
            continue
    import shapely

    fixed = shapely.make_valid(shapely.Polygon(shape.rings[0], shape.rings[1:]))
    out: list[Any] = []
    for part in getattr(fixed, "geoms", [fixed]):
        if part.geom_type != "Polygon" or part.area <= 0:
            continue
        loops = [_distinct(_wrapped(shapely.get_coordinates(r)[:-1])) for r in (part.exterior, *part.interiors)]
        try:
            out.append(sp.create_polygon(loops[0], loops[1:] or None))
        except (ValueError, RuntimeError):
            out.append(sp.create_linestring([*map(tuple, loops[0]), tuple(loops[0][0])]))
    if not out:
        ring = _wrapped(shape.rings[0])
        out.append(sp.create_linestring([*map(tuple, ring), tuple(ring[0])]))
    return out


def _distinct(ring: list[list[float]]) -> list[list[float]]:
    """Without points that are one with their predecessor once they are on the sphere (cuts leave such)."""
    xy = np.array(ring)
    u = to_unit(xy[:, 0], xy[:, 1])
    apart = np.linalg.norm(u - np.roll(u, 1, axis=0), axis=1) > 1e-13
    out: list[list[float]] = xy[apart].tolist()
    return out


def _merged(areas: list[Any]) -> list[Any]:
    """Pieces that share edges become one polygon, so that "covers" sees no seam between them."""
    if len(areas) == 1:
        return areas
    import spherely as sp

    total = areas[0]
    try:
        for piece in areas[1:]:
            total = sp.union(total, piece)
    except (ValueError, RuntimeError):
        return areas
    want = sum(float(sp.area(a, radius=1.0)) for a in areas)
    got = float(sp.area(total, radius=1.0))
    return [total] if not sp.is_empty(total) and abs(got - want) <= 1e-9 * want + 1e-15 else areas
