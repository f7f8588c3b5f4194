"""Bounds of sets on the sphere that cost no exact predicate: ranges of latitude and longitude (METHODS §2).

All of them hold the set they bound, rounding included: what a bound leaves out is certainly out.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SLACK = 1e-10
"""Radians added to every bound for rounding."""
_LAT_SLACK = 1e-7
"""The same after an arcsine, which near a pole knows latitude to 1e-8 only."""


def wrap(angle: FloatArray) -> FloatArray:
    """Angles into [-π, π)."""
    return np.asarray((angle + math.pi) % (2.0 * math.pi) - math.pi)


def edge_z(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """(lowest, highest) sine of latitude on the great-circle arcs from a (n, 3) to b (n, 3), shorter than π.

    An arc goes beyond its ends where the point of its great circle nearest to a pole, the pole less its part along the
    plane's normal, lies between them.
    """
    low, high = float(min(a[:, 2].min(), b[:, 2].min())), float(max(a[:, 2].max(), b[:, 2].max()))
    normal = np.cross(a, b)
    size = np.linalg.norm(normal, axis=1)
    long = size > 1e-9
    if long.any():
        n, p, q = normal[long] / size[long][:, None], a[long], b[long]
        top = -n * n[:, 2:]
        top[:, 2] += 1.0
        after, before = np.einsum("ij,ij->i", top, np.cross(n, p)), np.einsum("ij,ij->i", top, np.cross(q, n))
        reach = np.linalg.norm(top, axis=1)
        north, south = (after >= 0) & (before >= 0), (after <= 0) & (before <= 0)
        high = max(high, float(reach[north].max(initial=-1.0)))
        low = min(low, float(-reach[south].max(initial=-1.0)))
    return low - SLACK, high + SLACK


def lon_range(vertices: FloatArray) -> tuple[float, float]:
    """(middle, half width) in radians of the longitudes of a set that holds no pole; half width π where all.

    It is what the largest gap between the outline's arcs leaves: a set that reached into the gap without crossing an
    arc would reach a pole.
    """
    if len(vertices) == 0:
        return 0.0, math.pi
    lon = np.arctan2(vertices[:, 1], vertices[:, 0])
    if len(lon) == 1:
        return float(lon[0]), SLACK
    step = wrap(np.roll(lon, -1) - lon)
    start = np.where(step >= 0, lon, np.roll(lon, -1))
    width = np.abs(step)
    if float(width.max()) > math.pi - 1e-6:
        return 0.0, math.pi
    order = np.argsort(start)
    start = start[order]
    start = np.concatenate([start, start + 2.0 * math.pi])
    end = np.maximum.accumulate(start + np.tile(width[order], 2))
    gap = start[1:] - end[:-1]
    k = (
        len(width) - 1 + int(np.argmax(gap[len(width) - 1 :]))
    )  # second turn: arcs of the first reach over its beginning
    if gap[k] <= 1e-9:
        return 0.0, math.pi
    first, last = start[k + 1], end[k] + 2.0 * math.pi
    return float(wrap(np.array((first + last) / 2.0))), float((last - first) / 2.0 + SLACK)


def lon_ranges(
    centre: FloatArray, radius: FloatArray, vertices: FloatArray, start: IntArray
) -> tuple[FloatArray, FloatArray]:
    """`lon_range` of n sets from their bounding caps, (n, 3) and (n,), and vertices (m, 3) beginning at start (n + 1,).

    A cap that holds no pole is less than π wide, and an arc in it stays between the longitudes of its ends.
    """
    middle = np.arctan2(centre[:, 1], centre[:, 0])
    half = np.full(len(middle), math.pi)
    size = np.diff(start)
    tilt = np.arcsin(np.clip(np.abs(centre[:, 2]), 0.0, 1.0))
    narrow = np.flatnonzero((size > 0) & (tilt + radius < math.pi / 2.0 - 1e-6))
    if len(narrow):
        filled = np.flatnonzero(size > 0)
        owner = np.repeat(np.arange(len(size)), size)
        off = wrap(np.arctan2(vertices[:, 1], vertices[:, 0]) - middle[owner])
        at = start[:-1][filled]
        low = np.minimum.reduceat(off, at)[np.searchsorted(filled, narrow)]
        high = np.maximum.reduceat(off, at)[np.searchsorted(filled, narrow)]
        middle[narrow] = wrap(middle[narrow] + (low + high) / 2.0)
        half[narrow] = (high - low) / 2.0 + SLACK
    return middle, half


def grown_lon(half: float, low_z: float, high_z: float, epsilon_rad: float) -> float:
    """Half width of a range of longitude after growing the set by an angle; z bounds say how near a pole it comes."""
    if epsilon_rad == 0.0:
        return half
    tilt = math.asin(min(1.0, max(abs(low_z), abs(high_z))))
    if tilt + epsilon_rad >= math.pi / 2.0 - 1e-6:
        return math.pi
    return min(math.pi, half + math.asin(min(1.0, math.sin(epsilon_rad) / math.cos(tilt))) + SLACK)


def cap_ranges(centre: FloatArray, reach: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(middle, half width, lowest and highest sine of latitude) of caps, centres (n, 3) and radii (n,) in radians."""
    tilt = np.arcsin(np.clip(centre[:, 2], -1.0, 1.0))
    narrow = np.abs(tilt) + reach < math.pi / 2.0 - 1e-6
    half = np.full(len(tilt), math.pi)
    half[narrow] = np.arcsin(np.sin(reach[narrow]) / np.cos(tilt[narrow])) + SLACK
    low = np.sin(np.maximum(tilt - reach, -math.pi / 2.0)) - SLACK
    high = np.sin(np.minimum(tilt + reach, math.pi / 2.0)) + SLACK
    return np.arctan2(centre[:, 1], centre[:, 0]), half, low, high


def nearest_arc(point: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Angle from a unit vector (3,) to the nearest of the arcs from a (n, 3) to b (n, 3), radians; good to 1e-8."""
    ends = float(np.sqrt(np.maximum(0.0, 2.0 - 2.0 * np.concatenate([a @ point, b @ point]))).min())
    best = 2.0 * math.asin(min(1.0, ends / 2.0))
    normal = np.cross(a, b)
    size = np.linalg.norm(normal, axis=1)
    long = size > 1e-9
    if long.any():
        n = normal[long] / size[long][:, None]
        foot = point - n * (n @ point)[:, None]
        between = np.einsum("ij,ij->i", foot, np.cross(n, a[long])) >= 0
        between &= np.einsum("ij,ij->i", foot, np.cross(b[long], n)) >= 0
        if between.any():
            best = min(best, math.asin(min(1.0, float(np.abs(n[between] @ point).min()))))
    return best


class LonLatTree:
    """Ranges of longitude and latitude of n sets in one packed R-tree (shapely's); what crosses ±180° is in it twice.

    Parameters
    ----------
    middle, half : (n,) `lon_ranges`, radians
    low_z, high_z : (n,) sines of the bounds of latitude
    """

    def __init__(self, middle: FloatArray, half: FloatArray, low_z: FloatArray, high_z: FloatArray) -> None:
        from shapely import STRtree

        boxes, self._of = _lonlat_boxes(middle, half, low_z, high_z)
        self._tree = STRtree(boxes)
        self._single = len(self._of) == len(middle)

    def query(self, middle: float, half: float, low_z: float, high_z: float) -> IntArray:
        """Indices of the sets whose ranges meet a range, in no order, each once."""
        import shapely

        if half < math.pi and -math.pi <= middle - half and middle + half <= math.pi:
            south, north = math.asin(max(-1.0, low_z)) - _LAT_SLACK, math.asin(min(1.0, high_z)) + _LAT_SLACK
            found = self._tree.query(shapely.box(middle - half, south, middle + half, north))
            return np.asarray(found, dtype=np.int64) if self._single else np.unique(self._of[found])
        return self.query_any(*(np.array([x]) for x in (middle, half, low_z, high_z)))

    def query_any(self, middle: FloatArray, half: FloatArray, low_z: FloatArray, high_z: FloatArray) -> IntArray:
        """Indices of the sets whose ranges meet any of some ranges, (m,) each; rising, each once."""
        boxes, _ = _lonlat_boxes(middle, half, low_z, high_z)
        return np.unique(self._of[self._tree.query(boxes)[1]])


def _lonlat_boxes(
    middle: FloatArray, half: FloatArray, low_z: FloatArray, high_z: FloatArray
) -> tuple[npt.NDArray[np.object_], IntArray]:
    """(boxes in radians, of which set each is); those that cross ±π are cut in two."""
    import shapely

    every = half >= math.pi
    west, east = np.where(every, -math.pi, middle - half), np.where(every, math.pi, middle + half)
    south = np.arcsin(np.clip(low_z, -1.0, 1.0)) - _LAT_SLACK
    north = np.arcsin(np.clip(high_z, -1.0, 1.0)) + _LAT_SLACK
    over = np.flatnonzero((west < -math.pi) | (east > math.pi))
    of = np.arange(len(middle))
    if len(over):
        turn = np.where(west[over] < -math.pi, 2.0 * math.pi, -2.0 * math.pi)
        west, east = np.append(west, west[over] + turn), np.append(east, east[over] + turn)
        south, north, of = np.append(south, south[over]), np.append(north, north[over]), np.append(of, over)
    return np.asarray(shapely.box(west, south, east, north)), of
