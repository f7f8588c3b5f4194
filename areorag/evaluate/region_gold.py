"""Gold of the region and season questions by brute force: imports neither ``retrieval`` nor ``planet``.

Footprints are walked along great circles in steps of at most `STEP_DEG`; distances are exact trigonometry between those
points and the region. What comes out within `TOLERANCE_DEG` of the border is `doubtful` and is counted neither for nor
against anybody. Constraints on numbers are plain comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

STEP_DEG = 0.02
TOLERANCE_DEG = 0.03
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Outline:
    """A footprint as points on the sphere: boundary (n, 3), rings as (k, 3) closed, and its bounding cap (radians)."""

    points: FloatArray
    rings: tuple[FloatArray, ...]
    centre: FloatArray
    radius: float
    whole: bool


def unit(lon: npt.ArrayLike, lat: npt.ArrayLike) -> FloatArray:
    """(…, 3) unit vectors of degrees."""
    x, y = np.radians(np.asarray(lon, dtype=float)), np.radians(np.asarray(lat, dtype=float))
    return np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], axis=-1)


def outline(wkt: str | None, lon: float | None, lat: float | None) -> Outline | None:
    """Points of a footprint (WKT) or of a bare position; None where there is neither."""
    if wkt is None:
        if lon is None or lat is None:
            return None
        p = unit([lon], [lat])
        return Outline(p, (), p[0], 0.0, False)
    from shapely import from_wkt

    shape = from_wkt(wkt)
    points: list[FloatArray] = []
    rings: list[FloatArray] = []
    whole = False
    for part in getattr(shape, "geoms", [shape]):
        if part.geom_type == "Polygon":
            xy = np.array(part.exterior.coords)[:, :2]
            west, south, east, north = part.bounds
            if east - west >= 359.9:
                whole |= south <= -89.9 and north >= 89.9
                points.append(_band(south, north))
                continue
            box = len(xy) == 5 and len(np.unique(xy[:, 0])) == 2 and len(np.unique(xy[:, 1])) == 2
            edge = _box_edge(west, east, south, north) if box else _walk(unit(xy[:, 0], xy[:, 1]))
            points.append(edge)
            rings.append(edge)
        elif part.geom_type == "LineString":
            xy = np.array(part.coords)[:, :2]
            points.append(_walk(unit(xy[:, 0], xy[:, 1])))
        elif part.geom_type == "Point":
            points.append(unit([part.x], [part.y]))
    if not points:
        return None
    every = np.vstack(points)
    middle = every.sum(axis=0)
    norm = float(np.linalg.norm(middle))
    if whole or norm < 1e-9:
        return Outline(every, tuple(rings), np.array([0.0, 0.0, 1.0]), math.pi, whole)
    centre = middle / norm
    radius = float(np.arccos(np.clip(every @ centre, -1, 1)).max())
    return Outline(every, tuple(rings), centre, radius, whole)


def _walk(vertices: FloatArray) -> FloatArray:
    """Great circles between vertices in steps of at most `STEP_DEG` (long edges: at most 4000 points each)."""
    out = []
    for a, b in pairwise(vertices):
        angle = math.acos(max(-1.0, min(1.0, float(a @ b))))
        n = max(1, min(4000, math.ceil(math.degrees(angle) / STEP_DEG)))
        t = np.arange(n) / n
        if angle < 1e-12:
            out.append(a[None, :])
            continue
        out.append((np.sin((1 - t) * angle)[:, None] * a + np.sin(t * angle)[:, None] * b) / math.sin(angle))
    out.append(vertices[-1:])
    return np.vstack(out)


def _box_edge(west: float, east: float, south: float, north: float) -> FloatArray:
    """A latitude–longitude box follows its parallels."""
    nx = max(2, min(4000, math.ceil((east - west) / STEP_DEG)))
    ny = max(2, min(4000, math.ceil((north - south) / STEP_DEG)))
    x, y = np.linspace(west, east, nx), np.linspace(south, north, ny)
    lon = np.concatenate([x, np.full(ny, east), x[::-1], np.full(ny, west)])
    lat = np.concatenate([np.full(nx, south), y, np.full(nx, north), y[::-1]])
    return unit(lon, lat)


def _band(south: float, north: float) -> FloatArray:
    lon, lat = np.meshgrid(np.arange(-180, 180, 1.0), np.linspace(south, north, 91))
    return unit(lon.ravel(), lat.ravel())


def holds(ring: FloatArray, points: FloatArray, centre: FloatArray) -> npt.NDArray[np.bool_]:
    """Which points lie in a ring smaller than a hemisphere: even–odd in the gnomonic plane at its centre."""
    east = np.cross([0.0, 0.0, 1.0], centre)
    east = east / np.linalg.norm(east) if np.linalg.norm(east) > 1e-9 else np.array([1.0, 0.0, 0.0])
    north = np.cross(centre, east)

    def plane(p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        d = p @ centre
        safe = np.where(d > 1e-6, d, np.nan)
        return p @ east / safe, p @ north / safe, d

    x, y, depth = plane(ring)
    if np.any(depth <= 1e-6):
        return np.zeros(len(points), dtype=bool)
    px, py, pd = plane(points)
    inside = np.zeros(len(points), dtype=bool)
    for i in np.flatnonzero(pd > 1e-6):
        cross = (y[:-1] > py[i]) != (y[1:] > py[i])
        if not cross.any():
            continue
        a, b = x[:-1][cross], x[1:][cross]
        ya, yb = y[:-1][cross], y[1:][cross]
        inside[i] = bool(np.sum(px[i] < a + (b - a) * (py[i] - ya) / (yb - ya)) % 2)
    return inside


def gap_deg(shape: Outline, region: Mapping[str, Any], *, far: bool = False) -> float:
    """Degrees from a footprint to a region; 0 or less where they meet (less: by how deep some point lies inside).

    Regions: ``{"cap": [lon, lat, radius_deg]}`` or ``{"box": [west, east, south, north]}``. What is clearly apart
    counts as 90 unless `far` asks for the true gap (caps only).
    """
    if shape.whole:
        return -90.0
    if "cap" in region:
        lon, lat, radius = region["cap"]
        c = unit(lon, lat)
        apart = math.degrees(math.acos(max(-1.0, min(1.0, float(c @ shape.centre)))) - shape.radius)
        if not far and apart > radius + 1.0:
            return 90.0
        d = math.degrees(float(np.arccos(np.clip(shape.points @ c, -1, 1)).min())) - radius
        if d > -TOLERANCE_DEG and any(holds(r, c[None, :], shape.centre)[0] for r in shape.rings):
            return float(-radius - TOLERANCE_DEG * 2)
        return float(d)
    west, east, south, north = region["box"]
    middle = unit((west + east) / 2.0, (south + north) / 2.0)
    reach = math.degrees(
        float(np.arccos(np.clip(unit([west, west, east, east], [south, north, south, north]) @ middle, -1, 1)).max())
    )
    if math.degrees(math.acos(max(-1.0, min(1.0, float(middle @ shape.centre)))) - shape.radius) > reach + 2.0:
        return 90.0
    lon = np.degrees(np.arctan2(shape.points[:, 1], shape.points[:, 0]))
    lat = np.degrees(np.arcsin(np.clip(shape.points[:, 2], -1, 1)))
    x = np.mod(lon - (west + east) / 2.0 + 180.0, 360.0) - 180.0
    dx = (np.abs(x) - (east - west) / 2.0) * np.cos(np.radians(lat))
    dy = np.maximum(south - lat, lat - north)
    d = np.where((dx <= 0) & (dy <= 0), np.maximum(dx, dy), np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)))
    best = float(d.min())
    if best > -TOLERANCE_DEG and any(holds(r, middle[None, :], shape.centre)[0] for r in shape.rings):
        return -1.0
    return best


@dataclass(frozen=True)
class Gold:
    """Ids that answer a question, and ids too near a border to judge."""

    ids: frozenset[str]
    doubtful: frozenset[str]


class Archive:
    """Rows of ``region_gold_rows`` with their outlines; `gold` answers a question's specification."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = list(rows)
        self.shapes = [outline(r["footprint"], r["lon"], r["lat"]) for r in self.rows]

    def gold(self, spec: Mapping[str, Any]) -> Gold:
        """Rows that meet every part of the specification.

        Keys: ``region`` (and ``epsilon_deg``), ``instruments``, ``not_instruments``, ``kinds``, ``finer_m``, ``ls``
        (windows), ``mars_years``, ``start`` and ``stop`` (unix seconds), ``sols`` and ``platforms``; ``claims`` (a
        claim on one of these properties or values) and ``words`` (the text has one of these phrases). ``best``:
        ``{"by": resolution_m | gap | start, "n": n, "most": bool}`` keeps the n least (or most), ties included;
        with ``gap`` the region bounds nothing, it is what distances are taken to.
        """
        best = spec.get("best")
        near = best is not None and best["by"] == "gap"
        ids: dict[str, float] = {}
        doubtful: dict[str, float] = {}
        for row, shape in zip(self.rows, self.shapes, strict=True):
            if not _scalars(row, spec) or not _says(row, spec):
                continue
            gap = 0.0
            if "region" in spec:
                if shape is None:
                    continue
                gap = gap_deg(shape, spec["region"], far=near) - float(spec.get("epsilon_deg", 0.0))
                if gap > TOLERANCE_DEG and not near:
                    continue
            value = 0.0 if best is None else max(gap, 0.0) if near else row[best["by"]]
            if value is None:
                continue
            unsure = not near and "region" in spec and gap > -TOLERANCE_DEG
            (doubtful if unsure else ids)[row["id"]] = -float(value) if best and best.get("most") else float(value)
        if best is None:
            return Gold(frozenset(ids), frozenset(doubtful))
        return _best(ids, doubtful, int(best["n"]), TOLERANCE_DEG if near else 0.0)


def _best(ids: Mapping[str, float], doubtful: Mapping[str, float], n: int, slack: float) -> Gold:
    """The n least values, ties included; what a record too near a border, or a difference within `slack`, may push
    out or let in is doubtful. None where fewer than n + 1 differ: then there is nothing to rank."""
    values = sorted(ids.values())
    if len(values) <= n or values[-1] <= values[n - 1] + slack:
        return Gold(frozenset(), frozenset())
    every = sorted([*ids.values(), *doubtful.values()])
    limit = min(values[n - 1], every[n - 1])
    beyond = next((v for v in every if v > limit), math.inf)
    inside = {i for i, v in ids.items() if v <= limit and (slack == 0 or v < beyond - slack)}
    unsure = {i for i, v in ids.items() if i not in inside and v <= values[n - 1] + slack}
    unsure |= {i for i, v in doubtful.items() if v <= values[n - 1]}
    return Gold(frozenset(inside), frozenset(unsure))


def _says(row: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Claims and words: plain comparison of strings."""
    if "claims" in spec:
        named = {str(v).casefold() for c in row["claims"] for v in (c["property"], c["value"]) if v}
        if not named & {str(c).casefold() for c in spec["claims"]}:
            return False
    return "words" not in spec or any(w.casefold() in str(row["text"]).casefold() for w in spec["words"])


def _scalars(row: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Every constraint but the place; unknown values do not meet one."""
    for key, column in (
        ("instruments", "instrument"),
        ("kinds", "kind"),
        ("platforms", "platform"),
        ("mars_years", "mars_year"),
    ):
        if key in spec and row[column] not in spec[key]:
            return False
    if row["instrument"] in spec.get("not_instruments", ()):
        return False
    if "finer_m" in spec and (row["resolution_m"] is None or row["resolution_m"] > spec["finer_m"]):
        return False
    if "ls" in spec and (row["ls_deg"] is None or not any(_in_window(row["ls_deg"], w) for w in spec["ls"])):
        return False
    if "sols" in spec and (row["sol"] is None or not spec["sols"][0] <= row["sol"] <= spec["sols"][1]):
        return False
    if "start" in spec:
        if row["start"] is None:
            return False
        stop = row["stop"] if row["stop"] is not None else row["start"]
        if stop < spec["start"] or row["start"] >= spec["stop"]:
            return False
    return True


def _in_window(ls: float, window: Sequence[float]) -> bool:
    low, high = window
    return low <= ls <= high if low <= high else (ls >= low or ls <= high)
