"""Random footprints and regions for ``eval spatial``: every kind that archives hold, and every trap (contract).

Built on `spatial_oracle` alone; the GeoJSON is written as archives write it: longitudes in ±180 or 0-360, rings wound
either way, over the antimeridian in one piece or split, polar rings closed along the map's edge, points repeated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import spatial_oracle as o
from .spatial_oracle import FloatArray, Rng, Shape

KINDS = (
    "point",
    "strip",
    "sliver",
    "star",
    "polar",
    "box",
    "wide box",
    "band",
    "cap",
    "line",
    "flat ring",
    "planet",
    "several",
)
_FOOTPRINT_P = np.array([14, 30, 9, 9, 6, 8, 1.5, 0.7, 0.7, 13, 2, 0.3, 5.8])
_REGION_P = np.array([16, 12, 6, 12, 6, 22, 3, 2, 2, 11, 2, 0.5, 5.5])


def figure(rng: Rng, *, region: bool, near: tuple[float, float] | None = None) -> o.Figure:
    """A random footprint, or a random region; `near`: (lon, lat) it should lie close to."""
    p = _REGION_P if region else _FOOTPRINT_P
    label = str(rng.choice(KINDS, p=p / p.sum()))
    if label == "several":
        parts = [_shape(rng, str(rng.choice(("strip", "box", "star", "point", "line"))), near) for _ in range(2)]
    else:
        parts = [_shape(rng, label, near)]
    made = o.Figure(parts, label)
    pieces = [_written(rng, g, part) for part in parts for g in part.geojson]
    flat = [g for piece in pieces for g in piece]
    made.geojson = flat[0] if len(flat) == 1 else _collection(rng, flat)
    return made


def _collection(rng: Rng, pieces: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = {g["type"] for g in pieces}
    if len(kinds) == 1 and rng.uniform() < 0.8:
        return {"type": "Multi" + kinds.pop(), "coordinates": [g["coordinates"] for g in pieces]}
    return {"type": "GeometryCollection", "geometries": pieces}


def _place(rng: Rng, near: tuple[float, float] | None) -> tuple[float, float]:
    """A place: near another, or anywhere with the awkward longitudes and latitudes over-represented."""
    if near is not None and rng.uniform() < 0.7:
        x, y = o.degrees(o.offset(*near, rng.uniform(0, 360), math.radians(rng.exponential(1.5))))
        return float(x), float(y)
    lat = math.degrees(math.asin(rng.uniform(-1, 1)))
    lon: float = float(rng.uniform(-180, 180))
    trap = rng.uniform()
    if trap < 0.15:
        lon = float(rng.choice((180.0, 0.0))) + float(rng.normal(0, 0.5))
    elif trap < 0.25:
        lat = float(rng.choice((-1, 1))) * (90.0 - float(rng.exponential(1.0)))
    return (lon + 180.0) % 360.0 - 180.0, float(np.clip(lat, -89.99, 89.99))


def _size(rng: Rng, low: float, high: float) -> float:
    return float(math.radians(math.exp(rng.uniform(math.log(low), math.log(high)))))


def _shape(rng: Rng, label: str, near: tuple[float, float] | None) -> Shape:
    lon, lat = _place(rng, near)
    turn = float(rng.uniform(0, 360))
    if label == "point":
        return o.point(lon, lat)
    if label in {"strip", "sliver"}:
        length = _size(rng, 0.05, 8.0)
        width = length * float(rng.uniform(0.05, 1.0)) if label == "strip" else _size(rng, 1e-4, 1e-3)
        return o.polygon(_strip(lon, lat, turn, length, width))
    if label == "star":
        return o.polygon(_star(rng, lon, lat, _size(rng, 0.05, 9.0)))
    if label == "polar":
        pole = float(rng.choice((-90.0, 90.0)))
        size = _size(rng, 0.3, 12.0)
        return o.polygon(_star(rng, lon, math.copysign(90.0 - math.degrees(size) * 0.3, pole), size, rough=0.2))
    if label == "box":
        w, h = math.degrees(_size(rng, 0.05, 12.0)), math.degrees(_size(rng, 0.05, 12.0))
        south = float(np.clip(lat - h / 2, -90.0, 89.0))
        return o.box(lon, lon + w, south, min(90.0, south + h))
    if label == "wide box":
        south, north = sorted(float(x) for x in rng.uniform(-85, 85, 2))
        return o.box(lon, lon + float(rng.uniform(60, 350)), south, max(north, south + 1.0))
    if label == "band":
        south, north = sorted(float(x) for x in rng.uniform(-88, 88, 2))
        return o.box(-180.0, 180.0, south, max(north, south + 0.5))
    if label == "cap":
        edge = float(rng.uniform(-60, 88))
        return o.box(-180.0, 180.0, edge, 90.0) if rng.uniform() < 0.5 else o.box(-180.0, 180.0, -90.0, -edge)
    if label == "planet":
        return o.planet()
    points = [o.xyz(lon, lat)]
    for _ in range(int(rng.integers(1, 6))):
        x, y = o.degrees(points[-1])
        points.append(o.offset(float(x), float(y), turn + float(rng.normal(0, 40)), _size(rng, 0.05, 5.0)))
    return o.line(np.array(points), as_ring=label == "flat ring")


def _strip(lon: float, lat: float, bearing: float, length: float, width: float) -> FloatArray:
    out = []
    for along, across in ((-1, 1), (1, 1), (1, -1), (-1, -1)):
        x, y = o.degrees(o.offset(lon, lat, bearing, along * length / 2))
        p, q = o.xyz(float(x), float(y)), None
        middle = o.xyz(lon, lat)
        # keep the across direction square to the axis at its ends
        axis = np.cross(middle, o.offset(lon, lat, bearing, 0.01))
        axis /= np.linalg.norm(axis)
        q = p * math.cos(width / 2) + across * axis * math.sin(width / 2)
        out.append(q / np.linalg.norm(q))
    loop = np.array(out)
    return loop if _left(loop) else loop[::-1]


def _star(rng: Rng, lon: float, lat: float, size: float, rough: float = 0.6) -> FloatArray:
    n = int(rng.integers(3, 11))
    bearings = -(np.arange(n) + rng.uniform(0, 0.8, n)) * 360.0 / n
    return np.array([o.offset(lon, lat, float(b), size * float(rng.uniform(1 - rough, 1))) for b in bearings])


def _left(loop: FloatArray) -> bool:
    middle = loop.mean(axis=0)
    return float(np.cross(loop[0], loop[1]) @ middle) > 0


# ---------------------------------------------------------------- how archives write it


def _written(rng: Rng, made: dict[str, Any], part: Shape) -> list[dict[str, Any]]:
    """A simple geometry as one archive or another writes it."""
    if part.kind == "planet":
        return [made]
    if part.kind == "box":
        return _written_box(rng, part)
    if made["type"] == "Point":
        lon, lat = made["coordinates"]
        return [{"type": "Point", "coordinates": [lon % 360.0 if rng.uniform() < 0.3 else lon, lat]}]
    style = rng.uniform()
    if part.kind == "polygon" and style < 0.4:
        assert part.loop is not None
        split = _split(part.loop)
        if split is not None:
            return [{"type": "Polygon", "coordinates": [_wind(rng, r)]} for r in split]
    whole = made["coordinates"] if made["type"] == "LineString" else made["coordinates"][0]
    coords = [[lon % 360.0 if style > 0.7 else lon, lat] for lon, lat in whole]
    if rng.uniform() < 0.15:  # a repeated point
        at = int(rng.integers(0, len(coords)))
        coords.insert(at, coords[at])
    if made["type"] == "LineString":
        return [{"type": "LineString", "coordinates": coords}]
    return [{"type": "Polygon", "coordinates": [_wind(rng, coords)]}]


def _wind(rng: Rng, ring: list[list[float]]) -> list[list[float]]:
    return ring[::-1] if rng.uniform() < 0.5 else ring


def _written_box(rng: Rng, part: Shape) -> list[dict[str, Any]]:
    assert part.limits is not None
    west, east, south, north = part.limits
    if east <= 180.0 or east - west >= 360.0:
        spans = [(west, east)]
    elif rng.uniform() < 0.5:
        spans = [(west, 180.0), (-180.0, east - 360.0)]
    else:
        spans = [(west, east)] if west >= 0 or rng.uniform() < 0.5 else [(west + 360.0, east + 360.0)]
    out = []
    for w, e in spans:
        ring = [[w, south], [e, south], [e, north], [w, north], [w, south]]
        out.append({"type": "Polygon", "coordinates": [_wind(rng, ring)]})
    return out


def _split(loop: FloatArray) -> list[list[list[float]]] | None:
    """Rings split at the antimeridian, or closed over a pole along the map's edge; None where nothing is to split."""
    lon, lat = (np.asarray(x) for x in o.degrees(loop))
    step = np.diff(np.append(lon, lon[0]))
    jumps = np.flatnonzero(np.abs(step) > 180.0)
    if len(jumps) == 0 or len(jumps) > 2 or bool(np.any(90.0 - np.abs(lat) < 0.01)):
        return None
    cut = []
    for j in jumps:
        n = np.cross(loop[j], loop[(j + 1) % len(loop)])
        v = np.cross(n, np.array([0.0, 1.0, 0.0]))
        v = -v if v[0] > 0 else v
        cut.append(float(np.degrees(np.arctan2(v[2], abs(v[0])))))
    if len(jumps) == 1:  # round a pole
        only = int(jumps[0])
        order = [(only + 1 + k) % len(loop) for k in range(len(loop))]
        first, last = math.copysign(180.0, lon[order[0]]), math.copysign(180.0, lon[order[-1]])
        pole = math.copysign(90.0, float(loop[:, 2].sum()))
        ring = [
            [first, cut[0]],
            *[[float(lon[i]), float(lat[i])] for i in order],
            [last, cut[0]],
            [last, pole],
            [first, pole],
        ]
        return [[*ring, ring[0]]]
    first_jump, second_jump = int(jumps[0]), int(jumps[1])
    ca, cb = cut
    one = [k % len(loop) for k in range(first_jump + 1, second_jump + 1)]
    two = [k % len(loop) for k in range(second_jump + 1, first_jump + 1 + len(loop))]
    out = []
    for members, start, end in ((one, ca, cb), (two, cb, ca)):
        side = math.copysign(180.0, lon[members[0]])
        ring = [[side, start], *[[float(lon[i]), float(lat[i])] for i in members], [side, end]]
        out.append([*ring, ring[0]])
    return out
