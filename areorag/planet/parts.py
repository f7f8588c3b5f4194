"""Parts of features by rule: "floor of Jezero", "north rim of Gale", "western Hellas" (AreoRAG §III-C).

For round features the parts are those of impact-crater morphology, as shares of the rim radius R: central peak 0.2 R,
floor 0.8 R, wall 0.75-1 R, rim 0.9-1.1 R, ejecta 1-2.5 R. For others a direction means that half (or quarter) of the
latitude-longitude extent. These are conventions for finding data, not measurements; a part says so in its `status`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .bodies import get_body
from .coordinates import destination, normalise_lon

if TYPE_CHECKING:
    from .gazetteer import Feature

_DIRECTIONS = {
    "north": 0.0, "northeast": 45.0, "east": 90.0, "southeast": 135.0,
    "south": 180.0, "southwest": 225.0, "west": 270.0, "northwest": 315.0,
}  # fmt: skip
_DIRECTION_WORDS = {
    **{d: d for d in _DIRECTIONS},
    **{d + "ern": d for d in _DIRECTIONS},
    "n": "north", "s": "south", "e": "east", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast",
    "sw": "southwest", "norte": "north", "sur": "south", "este": "east", "oeste": "west", "nord": "north",
    "sud": "south", "est": "east", "ouest": "west", "occidental": "west", "oriental": "east",
}  # fmt: skip
_PARTS = {
    "floor": (0.0, 0.8), "interior": (0.0, 1.0), "inside": (0.0, 1.0), "bottom": (0.0, 0.8), "suelo": (0.0, 0.8),
    "fond": (0.0, 0.8), "boden": (0.0, 0.8), "fondo": (0.0, 0.8),
    "wall": (0.75, 1.0), "walls": (0.75, 1.0), "slope": (0.75, 1.0), "slopes": (0.75, 1.0),
    "rim": (0.9, 1.1), "edge": (0.9, 1.1), "margin": (0.9, 1.1), "borde": (0.9, 1.1), "rand": (0.9, 1.1),
    "central peak": (0.0, 0.2), "central mound": (0.0, 0.4), "center": (0.0, 0.3), "centre": (0.0, 0.3),
    "middle": (0.0, 0.3), "summit": (0.0, 0.3), "ejecta": (1.0, 2.5), "ejecta blanket": (1.0, 2.5),
    "surroundings": (1.0, 2.5), "flank": (0.5, 1.0), "flanks": (0.5, 1.0),
    "part": (0.0, 1.0), "portion": (0.0, 1.0), "half": (0.0, 1.0), "side": (0.0, 1.0), "sector": (0.0, 1.0),
    "section": (0.0, 1.0), "region": (0.0, 1.0), "parte": (0.0, 1.0), "partie": (0.0, 1.0), "teil": (0.0, 1.0),
}  # fmt: skip
_D = "|".join(sorted(_DIRECTION_WORDS, key=len, reverse=True))
_D2 = rf"(?:{_D})(?:\s(?:{_D}))?"
_P = "|".join(sorted(_PARTS, key=len, reverse=True))
_OF = r"(?:of|in|at|on|de|del|du|di|von|des|da|do)"
_ART = r"(?:the|el|la|le|il|der|die|das)\s"
_FORMS = tuple(
    re.compile(f"^(?:{_ART})?{form}$")
    for form in (
        rf"(?P<dir>{_D2})\s(?:crater\s)?(?P<part>{_P})\s{_OF}\s(?:{_ART})?(?P<place>.+)",
        rf"(?P<part>{_P})\s{_OF}\s(?:{_ART})?(?P<place>.+)",
        rf"(?P<place>.+?)(?:\scrater)?\s(?P<dir>{_D2})\s(?P<part>{_P})",
        rf"(?P<dir>{_D2})\s{_OF}\s(?P<place>.+)",
        rf"(?P<dir>{_D2})\s(?P<place>.+)\s(?P<part>{_P})",
        rf"(?P<place>.+?)(?:\scrater)?\s(?P<part>{_P})",
        rf"(?P<dir>{_D2})\s(?P<place>.+)",
    )
)


@dataclass(frozen=True, slots=True)
class PartName:
    """A phrase taken apart: the place, a direction or None, a part or None (words as in this module's tables)."""

    place: str
    direction: str | None
    part: str | None


def split_part(folded: str) -> PartName | None:
    """Take a folded phrase apart, or None where it names no part.

    >>> split_part("north west rim of gale crater")
    PartName(place='gale crater', direction='northwest', part='rim')
    """
    for form in _FORMS:
        match = form.match(folded)
        if match is None:
            continue
        groups = match.groupdict()
        direction = _direction(groups.get("dir"))
        if groups.get("dir") and direction is None:
            continue
        return PartName(groups["place"], direction, groups.get("part"))
    return None


def _direction(words: str | None) -> str | None:
    if words is None:
        return None
    found = [_DIRECTION_WORDS[w] for w in words.split()]
    if len(found) == 1:
        return found[0]
    joined = "".join(sorted(found, key=lambda d: d not in {"north", "south"}))
    return joined if joined in _DIRECTIONS else None


def subpart(feature: Feature, name: PartName) -> Feature | None:
    """The part of a feature as a feature of its own (status ``part``, parent the whole); None for a point."""
    from .gazetteer import ROUND_CODES, Feature

    inner, outer = _PARTS[name.part] if name.part else (0.0, 1.0)
    title = " ".join(w for w in (name.direction, name.part or "part") if w) + f" of {feature.name}"
    radius = feature.radius_m
    if radius <= 0:
        return None
    if feature.code in ROUND_CODES or feature.bbox is None or name.part in {"rim", "floor", "ejecta", "wall", "edge"}:
        geojson, lon, lat = _ring_sector(feature, inner, outer, name.direction)
        return Feature(title, "Sub-part", lon, lat, 2.0 * radius * outer if name.direction is None else radius * outer,
                       None, (), feature.body, feature.name, "XS", "part", geojson=geojson)  # fmt: skip
    west, east, south, north = feature.bbox
    box = _box_part(west, east, south, north, name.direction, outer)
    lon, lat = float(normalise_lon((box[0] + box[1]) / 2.0)), (box[2] + box[3]) / 2.0
    return Feature(title, "Sub-part", lon, lat, None, box, (), feature.body, feature.name, "XS", "part")


def _box_part(
    west: float, east: float, south: float, north: float, direction: str | None, share: float
) -> tuple[float, float, float, float]:
    middle_lon, middle_lat = (west + east) / 2.0, (south + north) / 2.0
    if direction is None:
        w, h = (east - west) / 2.0 * min(share, 1.0), (north - south) / 2.0 * min(share, 1.0)
        return middle_lon - w, middle_lon + w, middle_lat - h, middle_lat + h
    if "north" in direction:
        south = middle_lat
    if "south" in direction:
        north = middle_lat
    if "east" in direction:
        west = middle_lon
    if "west" in direction:
        east = middle_lon
    return west, east, south, north


def _ring_sector(
    feature: Feature, inner: float, outer: float, direction: str | None
) -> tuple[dict[str, Any], float, float]:
    """Annulus, disc or sector of 90° (45° either side of the direction) round a feature's centre."""
    arc = feature.radius_m / get_body(feature.body).radius_m
    arc_out, arc_in = min(outer * arc, math.pi * 0.49), min(inner * arc, math.pi * 0.48)

    def circle(angle: float, bearings: Any) -> list[list[float]]:
        lon, lat = destination(feature.lon, feature.lat, bearings, np.full(len(bearings), angle))
        return [[float(a), float(b)] for a, b in zip(lon, lat, strict=True)]

    if direction is None:
        full = np.linspace(0.0, -360.0, 72, endpoint=False)
        rings = [circle(arc_out, full)]
        if inner > 0:
            rings.append(circle(arc_in, -full))
        return {"type": "Polygon", "coordinates": [[*r, r[0]] for r in rings]}, feature.lon, feature.lat
    middle = _DIRECTIONS[direction]
    bearings = np.linspace(middle + 45.0, middle - 45.0, 25)
    ring = circle(arc_out, bearings)
    ring += circle(arc_in, bearings[::-1]) if inner > 0 else [[feature.lon, feature.lat]]
    lon, lat = destination(feature.lon, feature.lat, middle, (arc_in + arc_out) / 2.0)
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}, float(lon), float(lat)
