"""Many outlines at once: from WKT to S2 geographies and arrays of vertices, for `spatial_arrays` (METHODS §2)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from ..planet.coordinates import to_unit
from ..planet.geometry import Geography, footprint

log = logging.getLogger(__name__)

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def objects(items: Sequence[Any]) -> Any:
    """An object array of the items, whatever they are."""
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def thin(columns: list[Any], n: int) -> npt.NDArray[np.bool_]:
    """Which footprints have a part that is a point or a line, (n,); S2 indexes of all parts are built on the way."""
    import spherely

    out = np.zeros(n, dtype=bool)
    for column in columns:
        have = np.flatnonzero([p is not None for p in column])
        if len(have):
            spherely.prepare(column[have])
            out[have] |= spherely.get_dimension(column[have]) < 2
    return out


def all_vertices(columns: list[Any], n: int) -> tuple[FloatArray, IntArray]:
    """Vertices of all footprints as unit vectors, (m, 3), and where each footprint's begin, (n + 1,)."""
    import shapely
    import spherely

    owners, coords = [], []
    for column in columns:
        have = np.flatnonzero([p is not None for p in column])
        if len(have) == 0:
            continue
        shapes = shapely.from_wkb(spherely.to_wkb(column[have]), on_invalid="fix")
        xy, at = shapely.get_coordinates(shapes, return_index=True)
        owners.append(have[at])
        coords.append(xy)
    if not coords:
        return np.zeros((0, 3)), np.zeros(n + 1, dtype=np.int64)
    owner, xy = np.concatenate(owners), np.vstack(coords)
    order = np.argsort(owner, kind="stable")
    xy, owner = xy[order], owner[order]
    start = np.searchsorted(owner, np.arange(n + 1))
    return to_unit(xy[:, 0], xy[:, 1]), start.astype(np.int64)


def build_many(wkt: Sequence[str]) -> tuple[Any, dict[int, Geography]]:
    """(first parts, geographies that are not a plain single part) of many WKT outlines.

    The ordinary ones, small polygons, lines and points away from poles and antimeridian, are built at once; they are
    those for which `footprint` would do nothing but build them. One that is no geometry is logged and never found.
    """
    import shapely
    import spherely

    n = len(wkt)
    first = objects([None] * n)
    plain: dict[int, Geography] = {}
    if n == 0:
        return first, plain
    shapes = shapely.from_wkt(np.array(wkt, dtype=object), on_invalid="ignore")
    easy = _easy(shapes)
    at = np.flatnonzero(easy)
    if len(at):
        first[at] = spherely.from_wkb(shapely.to_wkb(shapes[at]))
    for i in np.flatnonzero(~easy):
        try:
            geog = footprint(wkt[int(i)])
        except GeometryError as exc:
            log.warning("an outline cannot be searched: %s", exc)
            continue
        plain[int(i)] = geog
        if geog.parts:
            first[i] = geog.parts[0]
    return first, plain


def _easy(shapes: Any) -> npt.NDArray[np.bool_]:
    """Which outlines need no treatment (the array form of `planet.rings.is_plain`)."""
    import shapely

    kind = shapely.get_type_id(shapes)
    easy = np.isin(kind, (0, 1, 3)) & (shapely.get_num_interior_rings(shapes) == 0) & ~shapely.is_empty(shapes)
    easy &= shapely.is_valid(shapes)
    west, south, east, north = shapely.bounds(shapes).T
    with np.errstate(invalid="ignore"):
        easy &= (west > -179.999) & (east < 179.999) & (south > -89.9) & (north < 89.9) & (east - west < 90.0)
    xy, at = shapely.get_coordinates(shapes, return_index=True)
    same = at[1:] == at[:-1]
    step = np.abs(np.diff(xy, axis=0))
    level = (step[:, 1] < 1e-9) & (step[:, 0] > 0.1)
    repeat = (step < 1e-12).all(axis=1)
    bad = np.unique(at[:-1][same & (level & (kind[at[:-1]] == 3) | repeat)])
    easy[bad] = False
    # closed rings have their closing point: at most 64 distinct ones
    easy &= (kind != 3) | (shapely.get_num_coordinates(shapes) <= 65)
    return np.asarray(easy & ((kind != 3) | (shapely.area(shapes) > 1e-9)))
