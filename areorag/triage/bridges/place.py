"""Fault tests on place: longitude flips, sign flips of a coordinate, mis-registration (opaque conflicts, METHODS §5).

A product stored with west longitude read as east lies at −lon (or 360 − lon). The test asks whether the odd side fits
at the flipped place; the question's and claims' own coordinates say which side is odd.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from ...planet.bodies import get_body
from ..source import Source
from .base import Bridge, Pair, metres, ramp

_LAT = re.compile(r"(\d{1,2}(?:\.\d+)?)\s?°?\s?([NS])\b")
_NAMES = re.compile(r"[A-Z][\w'-]+(?: (?:[A-Z][\w'-]+|\d\b|crater|landing site))*")
_LON = re.compile(r"(\d{1,3}(?:\.\d+)?)\s?°?\s?([EW])\b")
_WORDS = re.compile(r"mis-?registr|mis-?located|mis-?placed|wrong (?:place|site|crater|location)|offset of|"
                    r"co-?registr|georefer|"
                    r"pointing error|shifted by|map[- ]projection|projected to|wrong longitude|west longitude|"
                    r"planetographic", re.I)  # fmt: skip


def separation_m(lon1: float, lat1: float, lon2: float, lat2: float, radius_m: float) -> float:
    """Great-circle distance, metres (haversine), longitudes and latitudes in degrees."""
    p1, p2, dl = math.radians(lat1), math.radians(lat2), math.radians(lon2 - lon1)
    h = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(dl / 2) ** 2
    return 2 * radius_m * math.asin(min(1.0, math.sqrt(h)))


def stated_place(text: str) -> tuple[float, float] | None:
    """(lon east, lat) written in a text like "38.7 S, 96.7 E"; None if there is none."""
    lat, lon = _LAT.search(text), _LON.search(text)
    if lat is None or lon is None:
        return None
    return float(lon[1]) * (-1 if lon[2] == "W" else 1), float(lat[1]) * (-1 if lat[2] == "S" else 1)


def _position(source: Source) -> tuple[float, float] | None:
    return None if source.lon_deg is None or source.lat_deg is None else (source.lon_deg, source.lat_deg)


def _flips(lon: float, lat: float) -> dict[str, tuple[float, float]]:
    return {
        "west longitude read as east": ((-lon) % 360.0, lat),
        "longitude shifted by 180": ((lon + 180.0) % 360.0, lat),
        "latitude sign lost": (lon, -lat),
        "latitude and longitude exchanged": (lat % 360.0, lon if abs(lon) <= 90 else lon - 360.0),
    }


def _odd_side(pair: Pair, pa: tuple[float, float], pb: tuple[float, float], radius: float) -> str | None:
    """The side farther from the place that question or subject states, if that is clear."""
    for text in (pair.question, pair.a.subject, pair.b.subject):
        place = stated_place(text)
        if place is not None:
            da, db = separation_m(*place, *pa, radius), separation_m(*place, *pb, radius)
            if max(da, db) > 3 * min(da, db) + 2e4:
                return "a" if da > db else "b"
    for text in (pair.a.subject, pair.b.subject, pair.question):
        for place, reach in named_places(text):
            da, db = separation_m(*place, *pa, radius), separation_m(*place, *pb, radius)
            if max(da, db) > 3 * min(da, db) + 2e4 and min(da, db) < 2 * reach + 1e5:
                return "a" if da > db else "b"
    return None


@lru_cache(maxsize=1024)
def named_places(text: str) -> tuple[tuple[tuple[float, float], float], ...]:
    """((lon, lat), half extent in metres) of the gazetteer's places that a text names exactly."""
    from ...planet.gazetteer import Gazetteer

    gazetteer = Gazetteer.load("Mars")
    found = []
    for name in _NAMES.findall(text):
        feature = gazetteer.find(name)
        if feature is not None:
            found.append(((float(feature.lon), float(feature.lat)), 0.5 * float(feature.diameter_m or 0.0)))
    return tuple(found)


def misplaced(pair: Pair) -> Bridge | None:
    """Do the two products lie apart, and does a flip bring them together?"""
    pa, pb = _position(pair.a), _position(pair.b)
    if pa is None or pb is None:
        return None
    radius = get_body("Mars").equatorial_radius_m
    apart = separation_m(*pa, *pb, radius)
    reach = (pair.a.footprint_radius_m or 0.0) + (pair.b.footprint_radius_m or 0.0)
    reach = max(reach, 2.0 * max(pair.a.scale_m or 0.0, pair.b.scale_m or 0.0), 1500.0)
    words = bool(_WORDS.search(pair.text))
    odd = _odd_side(pair, pa, pb, radius) if apart > reach else None
    for name, (lon, lat) in _flips(*pb).items():
        if (
            apart > 5e4 + reach
            and abs(lat) <= 90
            and separation_m(*pa, lon, lat, radius) < max(2e4, 0.1 * apart, reach)
        ):
            text = (
                f"{metres(apart)} apart as given, {metres(separation_m(*pa, lon, lat, radius))} after undoing a flip "
                f"({name}: {pb[0]:g} -> {lon:g} E, {lat:g} N)"
            )
            return Bridge("coordinate flip", "noise", "processing", 0.95, text, {"apart_m": apart}, "test", odd)
    score = 0.7 * ramp(math.log10(apart / reach), 0.05, 0.8) if apart > reach else 0.0
    if words:
        score = max(score, 0.6)
    if score < 0.05:
        return None
    text = f"the products lie {metres(apart)} apart, their footprints reach {metres(reach)}"
    return Bridge(
        "mis-registration", "noise", "processing", score, text, {"apart_m": apart, "reach_m": reach}, "test", odd
    )
