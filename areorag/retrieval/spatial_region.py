"""A region made ready for search: what `spatial_arrays` needs of it, computed once a question (METHODS §2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..planet.coordinates import to_lonlat, to_unit
from ..planet.geometry import Geography, bounding_cap, vertices
from .spatial_bounds import edge_z, grown_lon, lon_range, nearest_arc

FloatArray = npt.NDArray[np.float64]

NEAR_RAD = 1e-7
"""Vertices farther than this from every edge of an outline (0.3 m on Mars) cannot touch it."""
_NORTH = np.array([0.0, 0.0, 1.0])
_INNER_FROM_RAD = math.radians(1.0)
"""Regions smaller than this are asked footprint by footprint: finding the cap inside them would cost more."""


@dataclass(frozen=True)
class Region:
    """A region made ready for search: vertices as unit vectors, bounding cap, range of latitude (as sines).

    Its longitudes lie within `lon_half` of `lon_mid`, radians. The cap of `inner` radians round the centre lies wholly in
    the region (0: none known).
    """

    geography: Geography
    vertices: FloatArray
    centre: FloatArray
    angle: float
    low_z: float = -1.0
    high_z: float = 1.0
    lon_mid: float = 0.0
    lon_half: float = math.pi
    inner: float = 0.0

    @cached_property
    def edges(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Middles (n, 3), chords to the farthest point with `NEAR_RAD` added (n,) and unit normals (n, 3) of the outline.

        Edges run between consecutive vertices, so that some between rings are among them. The normal of what spans no
        plane is 0.
        """
        a = self.vertices
        b = np.roll(a, -1, axis=0)
        middle = a + b
        length = np.linalg.norm(middle, axis=1)
        middle /= np.maximum(length, 1e-12)[:, None]
        reach = np.where(length > 1e-6, np.linalg.norm(a - middle, axis=1), 2.0) + NEAR_RAD
        normal = np.cross(a, b)
        sine = np.linalg.norm(normal, axis=1)
        normal *= np.where((sine > 1e-6) & (length > 1e-6), 1.0 / np.maximum(sine, 1e-300), 0.0)[:, None]
        return middle, reach, normal

    @classmethod
    def of(cls, geography: Geography) -> Region:
        """Prepare a geography."""
        centre, angle = bounding_cap(geography)
        xy = vertices(geography)
        u = to_unit(xy[:, 0], xy[:, 1])
        if len(u) == 0 or geography.margin_rad > 1.0:
            return cls(geography, u, centre, angle)
        area = geography.dimension == 2
        north, south = (area and _holds(geography, pole) for pole in (_NORTH, -_NORTH))
        low, high = edge_z(u, np.roll(u, -1, axis=0))
        low, high = -1.0 if south else low, 1.0 if north else high
        lon_mid, lon_half = (0.0, math.pi) if north or south else lon_range(u)
        margin = geography.margin_rad
        lon_half = grown_lon(lon_half, low, high, margin)
        inner = _inner(geography, u, centre, angle)
        return cls(geography, u, centre, angle, low - margin, high + margin, lon_mid, lon_half, inner)


def _holds(geography: Geography, unit: FloatArray) -> bool:
    """Whether a part of an area, its margin left out, holds a unit vector."""
    import spherely

    at = spherely.create_point(*(float(x) for x in to_lonlat(unit)))
    return any(bool(spherely.intersects(p, at)) for p in geography.parts)


def _inner(geography: Geography, vertices: FloatArray, centre: FloatArray, angle: float) -> float:
    """Radius of a cap round `centre` that no arc of an area's outline enters, radians; 0 where it would save nothing."""
    if geography.dimension != 2 or geography.margin_rad or angle < _INNER_FROM_RAD or not _holds(geography, centre):
        return 0.0
    return max(0.0, nearest_arc(centre, vertices, np.roll(vertices, -1, axis=0)) - 1e-7)
