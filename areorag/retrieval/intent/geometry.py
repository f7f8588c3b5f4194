# ruff: noqa: E501  (word lists read better on one line)
"""From coordinates to one geometry: box, band, point, line, polygon (Spatial-RAG step 1, "temporary geometries")."""

from __future__ import annotations

import re

from .coords import Geo, Span, box, given_geometry, longitude, norm_lon, spans
from .limits import outside
from .scan import NUM, Scan, rx, word

_LINE_WORDS = r"along|traverse|path|route|track|polyline|line\s+from|transect|profile|entlang|a lo largo|le long|lungo|ao longo|вдоль|沿"
_AREA_WORDS = r"polygon|triangle|quadrilateral|enclosed|bounded\s+by|area\s+with\s+corners|vertices|poligono|polygone"
_BOX_WORDS = r"box|bbox|rectangle|corners?|bounding|rechteck|caja|boite"
_POLEWARD = (
    word(
        r"poleward(?:s)?\s+of|above|beyond|north(?:wards?)?\s+of|higher\s+than|al\s+norte\s+de|au\s+nord\s+de|nordlich\s+(?:von)?|>"
    )
    + r"\s*(?:the\s+)?$"
)
_SOUTHWARD = word(r"below|south(?:wards?)?\s+of|al\s+sur\s+de|au\s+sud\s+de|sudlich\s+(?:von)?|<") + r"\s*(?:the\s+)?$"


def read_geometry(scan: Scan) -> Geo | None:
    """The geometry the question itself gives, or None."""
    given = given_geometry(scan)
    if given is not None:
        return given
    for reader in (_bbox_list, _bare_pairs):
        found = reader(scan)
        if found is not None:
            return found
    coordinates = spans(scan)
    geometry = _combine(scan, coordinates)
    if geometry is None:
        refused = any(r.step == "note" and r.field == "geometry" for r in scan.readings)
        for span in coordinates:
            if span.sure and not refused:
                words = scan.original[span.start : span.end]
                scan.note(
                    span.start, span.end, "coordinate", f"“{words}” alone bounds no place: give both, a range or a side"
                )
    else:
        start, end = coordinates[0].start, coordinates[-1].end
        scan.take(start, start, "geometry", geometry["type"], "geometry")
        scan.readings[-1].end, scan.readings[-1].text = end, scan.original[start:end]
        for match in scan.iter(
            word(
                r"all\s+longitudes?|(?:lat/?\s?lon|lon/?\s?lat)|west[\s-]*positive|positive[\s-]*west|east[\s-]*positive"
            )
        ):
            scan.take(*match.span(), "coordinate")
    return geometry


def _bbox_list(scan: Scan) -> Geo | None:
    """``bbox 76.9,18.2,77.7,18.7``: west, south, east, north, as in GeoJSON."""
    four = rf"(-?{NUM})[\s,;]+(-?{NUM})[\s,;]+(-?{NUM})[\s,;]+(-?{NUM})"
    match = scan.first(
        rf"(?:bbox|bounding\s+box|box|extent)\s*(?:of|is|=|:)?\s*[\(\[]?\s*{four}\s*[\)\]]?(?![\d°nsew])"
    )
    if match is None:
        return None
    w, s, e, n = (float(v) for v in match.groups())
    reason = outside("latitude", s, n)
    if reason is None and s >= n:
        reason = f"its south edge {s:g}° is not south of its north edge {n:g}°"
    if reason is not None:
        scan.refuse(*match.span(), "geometry", reason)
        return None
    scan.take(*match.span(), "geometry", "bbox", "geometry")
    if abs(e - w) < 360:
        w, e = longitude(w, scan, *match.span()), longitude(e, scan, *match.span())
    return box(w, e, s, n)


def _bare_pairs(scan: Scan) -> Geo | None:
    """Pairs without hemispheres: ``18.44, 77.45 lat/lon``, ``(77.45, 18.44)``; the order words give, else lon, lat."""
    pair = (
        r"(?<![\d.])[\(\[]?\s*(?P<a>[-+]?\d+(?:\.\d+)?)\s*°?\s*[,;]\s*(?P<b>[-+]?\d+(?:\.\d+)?)\s*°?\s*[\)\]]?(?![\d.])"
    )
    order = rx(r"lat(?:itude)?s?\s*[/,]?\s*(?:and\s+)?lon|lon(?:gitude)?s?\s*[/,]?\s*(?:and\s+)?lat").search(scan.low)
    found = []
    for match in scan.iter(pair):
        left, right = scan.left(match.start(), 30), scan.right(match.end(), 20)
        bracket = match.group().strip()[0] in "([" and match.group().strip()[-1] in ")]"
        cue = rx(
            r"(?:at|point|coordinates?|coords?|position|centred\s+(?:on|at)|centered\s+(?:on|at)|location|lat/?lon|lon/?lat|punto|koordinaten|坐标|座標|координат\w*)\s*[:=]?\s*$"
        ).search(left)
        after = rx(r"^\s*\(?\s*(?:lat|lon)").search(right)
        decimals = "." in match["a"] or "." in match["b"]
        if (cue or after or (bracket and decimals)) and not rx(r"sols?|my|years?|ls\b").search(left[-12:]):
            found.append(match)
    if not found:
        return None
    latlon = order is not None and order.group().startswith("lat")
    points = []
    for match in found:
        x, y = float(match["a"]), float(match["b"])
        if latlon or (order is None and abs(y) > 90 >= abs(x)):
            x, y = y, x
        reason = outside("latitude", y)
        if reason is not None:
            scan.refuse(*match.span(), "geometry", reason)
            return None
        points.append([longitude(x, scan, *match.span()), y])
    for match in found:
        scan.take(*match.span(), "geometry", "point", "geometry")
    if order is not None and scan.free(*order.span()):
        scan.take(*order.span(), "coordinate")
    return _points(scan, points)


def _points(scan: Scan, points: list[list[float]]) -> Geo:
    if len(points) == 1:
        return {"type": "Point", "coordinates": points[0]}
    if len(points) == 2 and rx(word(_BOX_WORDS)).search(scan.low):
        (x0, y0), (x1, y1) = points
        return box(min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1))
    if rx(word(_LINE_WORDS)).search(scan.low):
        return {"type": "LineString", "coordinates": points}
    if len(points) >= 3 and rx(word(_AREA_WORDS)).search(scan.low):
        ring = points if points[0] == points[-1] else [*points, points[0]]
        return {"type": "Polygon", "coordinates": [ring]}
    return {"type": "MultiPoint", "coordinates": points}


def _combine(scan: Scan, found: list[Span]) -> Geo | None:
    lats = [s for s in found if s.axis == "lat"]
    lons = [s for s in found if s.axis == "lon"]
    if not found:
        return None
    lat_range = next((s for s in lats if not s.single), None)
    lon_range = next((s for s in lons if not s.single), None)
    if lat_range and lon_range:
        return box(lon_range.lo, _eastward(lon_range), lat_range.lo, lat_range.hi)
    if lat_range and not lons:
        return box(-180, 180, lat_range.lo, lat_range.hi)
    if lon_range and not lats:
        return box(lon_range.lo, _eastward(lon_range), -90, 90)
    if lats and lons and len(lats) == len(lons):
        return _points(scan, [[norm_lon(x.lo), y.lo] for x, y in zip(lons, lats, strict=True)])
    if len(lats) == 1 and not lons:
        return _half(scan, lats[0])
    if lat_range and len(lons) == 1:
        x = norm_lon(lons[0].lo)
        return {"type": "LineString", "coordinates": [[x, lat_range.lo], [x, lat_range.hi]]}
    if lon_range and len(lats) == 1:
        y = lats[0].lo
        return {"type": "LineString", "coordinates": [[norm_lon(lon_range.lo), y], [norm_lon(lon_range.hi), y]]}
    return None


def _eastward(span: Span) -> float:
    """Eastern end, never more than a turn away: 350..10 stays 10, -10..10 stays 10."""
    return span.hi


def _half(scan: Scan, lat: Span) -> Geo | None:
    """One latitude: everything poleward of it ("north of 70N", "poleward of 60S")."""
    left = scan.left(lat.start, 30)
    pole = rx(_POLEWARD).search(left)
    if pole and not (re.search(r"poleward|beyond", pole.group()) and lat.lo < 0):
        geometry = box(-180, 180, lat.lo, 90)
    elif pole or rx(_SOUTHWARD).search(left):
        pole = pole or rx(_SOUTHWARD).search(left)
        geometry = box(-180, 180, -90, lat.lo)
    else:
        return None
    assert pole is not None
    start = lat.start - len(left) + pole.start()
    scan.take(start, lat.start, "geometry")
    return geometry
