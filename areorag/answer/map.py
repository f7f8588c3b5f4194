"""The audit's map: footprints on an azimuthal equidistant projection, as SVG without scripts or outside resources.

The projection is centred on the evidence, so that poles and the antimeridian are ordinary places; distances from the
centre are true. Points farther than 170° from the centre are not drawn (they would be smeared over the rim).
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..planet.bodies import get_body
from ..planet.coordinates import to_unit
from ..planet.units import length as metres
from .model import Answer, Source

SIZE = 760.0
MARGIN = 20.0
_PALETTE = ("#0b6e99", "#b3541e", "#3b7a2a", "#7a3b8f", "#8a6d00", "#a02c4a", "#2f4f8f", "#5b5b5b")
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4", "4 2 1 2", "3 3")
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30)


@dataclass(frozen=True)
class Projection:
    """Azimuthal equidistant about (lon, lat) degrees; `scale` pixels per radian."""

    lon: float
    lat: float
    scale: float

    def __call__(self, lonlat: Any) -> np.ndarray:
        """(n, 2) degrees → (n, 2) pixels, y down; NaN where more than 170° away."""
        xy = np.atleast_2d(np.asarray(lonlat, float))
        p = to_unit(xy[:, 0], xy[:, 1])
        lon, lat = math.radians(self.lon), math.radians(self.lat)
        up = np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])
        east = np.array([-math.sin(lon), math.cos(lon), 0.0])
        north = np.cross(up, east)
        x, y, z = p @ east, p @ north, p @ up
        r = np.hypot(x, y)
        angle = np.arctan2(r, z)
        with np.errstate(invalid="ignore", divide="ignore"):
            k = np.where(r > 1e-12, angle / r, 1.0) * self.scale
        out = np.column_stack((SIZE / 2 + x * k, SIZE / 2 - y * k))
        out[angle > math.radians(170)] = np.nan
        return out


def _rings(geometry: dict[str, Any] | None) -> Iterable[tuple[str, list[list[float]]]]:
    """Every ring, line and point of a GeoJSON geometry as (kind, coordinates)."""
    if not geometry:
        return
    kind, xy = geometry["type"], geometry.get("coordinates", [])
    if kind == "Point":
        yield "point", [xy]
    elif kind == "MultiPoint":
        yield from (("point", [p]) for p in xy)
    elif kind == "LineString":
        yield "line", xy
    elif kind == "MultiLineString":
        yield from (("line", line) for line in xy)
    elif kind == "Polygon":
        yield from (("area", ring) for ring in xy)
    elif kind == "MultiPolygon":
        yield from (("area", ring) for part in xy for ring in part)
    elif kind == "GeometryCollection":
        for part in geometry.get("geometries", []):
            yield from _rings(part)


def _densify(ring: Sequence[Sequence[float]], step: float) -> np.ndarray:
    """Points along the edges of `ring`, at most `step` degrees apart, the short way round in longitude."""
    a = np.asarray([p[:2] for p in ring], float)
    out = [a[:1]]
    for p, q in itertools.pairwise(a):
        d = q - p
        d[0] = (d[0] + 180) % 360 - 180 if abs(d[0]) > 180 and abs(d[0]) < 359.9 else d[0]
        n = max(1, min(720, math.ceil(np.abs(d).max() / step)))
        out.append(p + d * (np.arange(1, n + 1) / n)[:, None])
    return np.concatenate(out)


def _path(xy: np.ndarray, close: bool) -> str:
    parts, pen = [], False
    for x, y in xy:
        if math.isnan(x):
            pen = False
            continue
        parts.append(f"{'L' if pen else 'M'}{x:.1f} {y:.1f}")
        pen = True
    return "".join(parts) + ("Z" if close and parts else "")


def _extent(sources: Sequence[Source]) -> tuple[float, float, float]:
    """Centre and radius (degrees) that hold the regional footprints; global ones are clipped, not fitted."""
    points = [to_unit(s.lon_deg, s.lat_deg) for s in sources if s.lon_deg is not None and s.lat_deg is not None]
    if not points:
        return 0.0, 0.0, 90.0
    centre = np.median(np.array(points), axis=0)
    if np.linalg.norm(centre) < 1e-6:
        centre = points[0]
    centre /= np.linalg.norm(centre)
    lon, lat = math.degrees(math.atan2(centre[1], centre[0])), math.degrees(math.asin(np.clip(centre[2], -1, 1)))
    reach = []
    for s in sources:
        xy = [p[:2] for kind, ring in _rings(s.footprint) for p in ring]
        if s.lon_deg is not None and s.lat_deg is not None:
            xy.append([s.lon_deg, s.lat_deg])
        if xy:
            u = to_unit(np.array(xy, float)[:, 0], np.array(xy, float)[:, 1])
            reach.append(float(np.degrees(np.arccos(np.clip(u @ centre, -1, 1))).max()))
    reach.sort()
    # one mosaic or a whole-planet product must not shrink the place asked about to a dot
    chosen = reach[min(len(reach) - 1, int(0.75 * len(reach)))]
    return lon, lat, float(np.clip(chosen * 1.15, 0.02, 170.0))


def _graticule(project: Projection, lon: float, lat: float, radius: float) -> list[str]:
    step = next((s for s in _STEPS if radius / s <= 5), 30)
    lat_lo, lat_hi = max(-90.0, lat - 1.5 * radius), min(90.0, lat + 1.5 * radius)
    polar = max(abs(lat_lo), abs(lat_hi)) > 85
    half = 180.0 if polar else min(180.0, 1.6 * radius / max(0.05, math.cos(math.radians(lat))))
    lon_step = step if not polar else 30
    out = []
    lats = np.arange(math.ceil(lat_lo / step) * step, lat_hi + 1e-9, step)
    lons = np.arange(math.ceil((lon - half) / lon_step) * lon_step, lon + half + 1e-9, lon_step)
    sweep = np.linspace(lon - half, lon + half, 181)
    for value in lats:
        xy = project(np.column_stack((sweep, np.full_like(sweep, value))))
        out.append(f'<path class="grat" d="{_path(xy, False)}"/>')
        left = xy[(~np.isnan(xy[:, 0])) & (np.abs(xy[:, 0] - MARGIN) < 40)]
        if len(left) and 24 < left[0][1] < SIZE - 8:
            text = f"{abs(value):.4g}°{'N' if value > 0 else 'S' if value < 0 else ''}"
            out.append(f'<text class="tick" x="4" y="{left[0][1] - 3:.0f}">{text}</text>')
    rise = np.linspace(lat_lo, lat_hi, 91)
    for value in lons:
        xy = project(np.column_stack((np.full_like(rise, value), rise)))
        out.append(f'<path class="grat" d="{_path(xy, False)}"/>')
        low = xy[(~np.isnan(xy[:, 1])) & (np.abs(xy[:, 1] - (SIZE - MARGIN)) < 40)]
        if len(low) and 30 < low[0][0] < SIZE - 40:
            east = (value + 180) % 360 - 180
            text = f"{abs(east):.4g}°{'E' if east > 0 else 'W' if east < 0 else ''}"
            out.append(f'<text class="tick" x="{low[0][0] + 3:.0f}" y="{SIZE - 5:.0f}">{text}</text>')
    return out


def _features(project: Projection, lon: float, lat: float, radius: float, body: str) -> list[str]:
    """Names of gazetteer features inside the frame, the largest first, without overlaps."""
    from ..planet.gazetteer import Gazetteer

    reach = math.radians(min(170.0, radius * 1.3)) * get_body(body).equatorial_radius_m
    found = [feature for feature, _ in Gazetteer.load(body).within(lon, lat, reach)]
    found.sort(key=lambda f: -(f.diameter_m or 0.0))
    out: list[str] = []
    used: list[tuple[float, float]] = []
    for feature in found:
        (x, y), = project([[feature.lon, feature.lat]])  # fmt: skip
        if math.isnan(x) or not (30 < x < SIZE - 60 and 20 < y < SIZE - 20):
            continue
        if any(abs(x - u) < 110 and abs(y - v) < 16 for u, v in used) or len(used) >= 14:
            continue
        used.append((x, y))
        out.append(f'<circle class="place" cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
        out.append(f'<text class="name" x="{x + 5:.1f}" y="{y + 4:.1f}">{html.escape(feature.name)}</text>')
    return out


def _scale_bar(project: Projection, body: str) -> str:
    per_pixel = get_body(body).equatorial_radius_m / project.scale
    wanted = 140 * per_pixel
    power = 10 ** math.floor(math.log10(wanted))
    length = max(m for m in (1, 2, 5, 10) if m * power <= wanted or m == 1) * power
    width = length / per_pixel
    x, y = SIZE - 30 - width, SIZE - 26
    return (
        f'<path class="bar" d="M{x:.1f} {y - 5}V{y}H{x + width:.1f}V{y - 5}"/>'
        f'<text class="tick" x="{x:.1f}" y="{y - 8}">{metres(length)}</text>'
    )


def styles(answer: Answer) -> dict[str, tuple[str, str]]:
    """Colour and dash of each instrument, in order of first appearance (readable without colour by the dash)."""
    names = list(dict.fromkeys(s.instrument or s.kind for s in answer.sources))
    return {
        n: (_PALETTE[i % len(_PALETTE)], _DASHES[(i // len(_PALETTE) + i) % len(_DASHES)]) for i, n in enumerate(names)
    }


def svg(answer: Answer, body: str = "Mars") -> str:
    """The map of an answer's sources, or an empty string when none has a place."""
    placed = [s for s in answer.sources if s.footprint or s.lon_deg is not None]
    if not placed:
        return ""
    lon, lat, radius = _extent(placed)
    project = Projection(lon, lat, (SIZE / 2 - MARGIN) / math.radians(radius))
    look = styles(answer)
    conflicted = {n for c in answer.conflicts for n in (c.a, c.b)}
    out = [
        f'<svg viewBox="0 0 {SIZE:.0f} {SIZE:.0f}" role="img" aria-labelledby="map-title" xmlns="http://www.w3.org/2000/svg">',
        f'<title id="map-title">Footprints of the sources around {abs(lon):.2f}°{"E" if lon >= 0 else "W"}, '
        f"{abs(lat):.2f}°{'N' if lat >= 0 else 'S'}, azimuthal equidistant</title>",
        '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line x1="0" y1="0" x2="0" y2="7" stroke="#c00" stroke-width="1.1" stroke-opacity="0.55"/></pattern>'
        f'<clipPath id="frame"><rect width="{SIZE:.0f}" height="{SIZE:.0f}"/></clipPath></defs>',
        '<g clip-path="url(#frame)">',
        f'<rect class="ground" width="{SIZE:.0f}" height="{SIZE:.0f}"/>',
        *_graticule(project, lon, lat, radius),
    ]
    tags: dict[tuple[int, int], list[int]] = {}
    order = sorted(placed, key=lambda s: -(s.resolution_m or 0.0))
    for source in order:
        colour, dash = look[source.instrument or source.kind]
        shape = f'stroke="{colour}"' + (f' stroke-dasharray="{dash}"' if dash else "")
        title = f"<title>[{source.n}] {html.escape(source.id)} {html.escape(source.label())}</title>"
        out.append(f'<g id="foot-{source.n}" class="foot{"" if source.kept else " out"}">{title}')
        for kind, ring in _rings(source.footprint):
            if kind == "point":
                continue
            xy = project(_densify(ring, max(0.01, radius / 40)))
            path = _path(xy, kind == "area")
            if kind == "area" and source.n in conflicted:
                out.append(f'<path fill="url(#hatch)" stroke="none" d="{path}"/>')
            fill = f'fill="{colour}" fill-opacity="0.07"' if kind == "area" else 'fill="none"'
            out.append(f'<path {fill} {shape} stroke-width="1.6" d="{path}"/>')
        if source.lon_deg is not None and source.lat_deg is not None:
            (x, y), = project([[source.lon_deg, source.lat_deg]])  # fmt: skip
            if not math.isnan(x):
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
                tags.setdefault((round(x / 14), round(y / 14)), []).append(source.n)
        out.append("</g>")
    out += _features(project, lon, lat, radius, body)
    for (cx, cy), numbers in tags.items():
        text = "".join(f"[{n}]" for n in sorted(numbers)[:6]) + ("…" if len(numbers) > 6 else "")
        out.append(f'<text class="tag" x="{cx * 14 + 7}" y="{cy * 14 - 6}">{text}</text>')
    out += [_scale_bar(project, body), "</g>", "</svg>"]
    return "\n".join(out)
