"""Bounds of sets on the sphere that cost no exact predicate: boxes in space and ranges of longitude (METHODS §2).

All of them hold the set they bound, rounding included: what a bound leaves out is certainly out.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SLACK = 1e-10
"""Radians added to every bound for rounding."""
_AXES = np.concatenate([np.eye(3), -np.eye(3)])


def wrap(angle: FloatArray) -> FloatArray:
    """Angles into [-π, π)."""
    return np.asarray((angle + math.pi) % (2.0 * math.pi) - math.pi)


def edge_box(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(lowest (3,), highest (3,)) coordinates on the great-circle arcs from a (n, 3) to b (n, 3), shorter than π.

    An arc goes beyond its ends along an axis e where the point of its great circle nearest to e, e less its part along
    the plane's normal, lies between them.
    """
    low, high = np.minimum(a, b).min(axis=0), np.maximum(a, b).max(axis=0)
    normal = np.cross(a, b)
    size = np.linalg.norm(normal, axis=1)
    long = size > 1e-9
    if long.any():
        n, p, q = normal[long] / size[long][:, None], a[long], b[long]
        to_b, to_a = np.cross(n, p), np.cross(q, n)
        for k, axis in enumerate(_AXES):
            top = axis - n * (n @ axis)[:, None]
            between = (np.einsum("ij,ij->i", top, to_b) >= 0) & (np.einsum("ij,ij->i", top, to_a) >= 0)
            if between.any():
                reach = float(np.linalg.norm(top[between], axis=1).max())
                if k < 3:
                    high[k] = max(high[k], reach)
                else:
                    low[k - 3] = min(low[k - 3], -reach)
    return low - SLACK, high + SLACK


def area_box(vertices: FloatArray, holds: Callable[[FloatArray], bool]) -> tuple[FloatArray, FloatArray]:
    """Box of an area whose outline runs through `vertices` (arcs between its rings do no harm).

    `holds` says whether the area holds a unit vector: inside it a coordinate is extreme only where an axis meets it.
    """
    low, high = edge_box(vertices, np.roll(vertices, -1, axis=0))
    for k in range(3):
        if high[k] < 1.0 and holds(_AXES[k]):
            high[k] = 1.0
        if low[k] > -1.0 and holds(_AXES[3 + k]):
            low[k] = -1.0
    return low, high


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
    k = len(width) - 1 + int(np.argmax(gap[len(width) - 1 :]))  # second turn: arcs of the first reach over its beginning
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
