"""Geometry a question gives itself: WKT, GeoJSON, boxes, bands, points, lines, polygons (Spatial-RAG step 1).

Longitudes come out east in [-180, 180], whatever convention the words used (``282W``, ``west positive``, 0–360).
A latitude–longitude box that crosses the antimeridian comes out split.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .scan import B1, NUM, Scan, rx

Geo = dict[str, Any]
_SEP = r"\s*(?:-|to|\.\.\.?|…|through|thru|until|and|&|bis|hasta|ate|au?|e|y|и|до|~|至|到|から)\s*"
_LABEL = (
    r"(?:(?:min|max|start|end|west(?:ern)?|east(?:ern)?|north(?:ern)?|south(?:ern)?|cent(?:re|er))(?:imum|most)?[\s_]*)?"
    r"(?:latitudes?|latitud|latitudine|breite|широт\w*|纬度|緯度|lats?|longitudes?|longitud|longitudine|longitude|"
    r"lange|долгот\w*|经度|経度|lons?|long|lng)(?:[\s_]*(?:min|max))?\.?"
)
_HEMI = (
    r"[nsew]|north|south|east|west|norte|sur|este|oeste|nord|sud|est|ouest|sul|leste|ost|sued|"
    r"с\.?\s?ш\.?|ю\.?\s?ш\.?|в\.?\s?д\.?|з\.?\s?д\.?|[北南东西東](?:纬|緯|经|経)?"
)
_ATOM = (
    rf"(?:(?P<label>{_LABEL})\s*(?:range|between|from|of|is|entre|de|von|zwischen|=|:|,|\()*\s*)?"
    r"(?:(?P<pre>[nsew])(?=\s?\d))?\s?"
    rf"(?P<sign>(?<![\w°\)])(?<!\d\.)[-+])?(?P<deg>{NUM})(?P<mark>\s?°|\s?deg(?:rees?)?{B1}|\s?d(?=\d))?\s*"
    r"(?:(?P<min>\d{1,2}(?:\.\d+)?)\s?'\s*(?:(?P<sec>\d{1,2}(?:\.\d+)?)\s?(?:\"|'')\s*)?)?"
    rf"(?:(?P<hemi>{_HEMI})(?:ern)?{B1})?"
)
_WEST_POSITIVE = (
    r"west[\s-]*positive|positive[\s-]*west|\+\s*west|west[\s-]+longitudes?|longitudes?\s+west|planetographic\s+west|"
    r"west\s+is\s+positive|\(west\)|oeste\s+positivo|positif\s+(?:vers\s+l')?ouest"
)


@dataclass(frozen=True)
class Span:
    """A coordinate range (lo may exceed hi for a longitude that crosses the antimeridian) or one value."""

    axis: str
    lo: float
    hi: float
    start: int
    end: int

    @property
    def single(self) -> bool:
        """True for one value."""
        return self.lo == self.hi


def norm_lon(lon: float) -> float:
    """Longitude in [-180, 180]; 180 itself stays."""
    if -180 <= lon <= 180:
        return lon
    return (lon + 180.0) % 360.0 - 180.0


def box(west: float, east: float, south: float, north: float) -> Geo:
    """Latitude–longitude box as GeoJSON; from `west` eastwards to `east`; split at the antimeridian."""
    if abs(east - west) >= 360:
        return _ring(-180.0, 180.0, south, north)
    w, e = norm_lon(west), norm_lon(east)
    if e == -180.0:
        e = 180.0
    if w == 180.0:
        w = -180.0
    if w < e:
        return _ring(w, e, south, north)
    return {
        "type": "MultiPolygon",
        "coordinates": [_ring(w, 180.0, south, north)["coordinates"], _ring(-180.0, e, south, north)["coordinates"]],
    }


def _ring(w: float, e: float, s: float, n: float) -> Geo:
    return {"type": "Polygon", "coordinates": [[[w, s], [e, s], [e, n], [w, n], [w, s]]]}


# ---------------------------------------------------------------- WKT and GeoJSON


def given_geometry(scan: Scan) -> Geo | None:
    """WKT or GeoJSON written in the question; the first valid one."""
    for match in re.finditer(r"\{", scan.text):
        end = _closing(scan.text, match.start(), "{", "}")
        if end is None:
            continue
        try:
            data = json.loads(scan.text[match.start() : end])
        except json.JSONDecodeError:
            continue
        geometry = data.get("geometry", data) if isinstance(data, dict) else None
        if isinstance(geometry, dict) and _valid(geometry):
            label = re.search(r"geo-?json\s*:?\s*$", scan.low[: match.start()])
            start = label.start() if label else match.start()
            scan.take(start, end, "geometry", geometry["type"], "geometry")
            return {"type": geometry["type"], "coordinates": geometry["coordinates"]}
    pattern = r"(?i)\b(?:SRID=\d+;\s*)?((?:MULTI)?(?:POINT|LINESTRING|POLYGON))\s*(?:Z\s*)?(?=\()"
    for match in re.finditer(pattern, scan.text):
        end = _closing(scan.text, match.end(), "(", ")")
        if end is None:
            continue
        geometry = _wkt(match[1].upper(), scan.text[match.end() : end])
        if geometry is not None:
            scan.take(match.start(), end, "geometry", geometry["type"], "geometry")
            return geometry
    return None


def _closing(text: str, start: int, opening: str, closing: str) -> int | None:
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i + 1
    return None


_WKT_NAMES = {
    "POINT": "Point", "LINESTRING": "LineString", "POLYGON": "Polygon", "MULTIPOINT": "MultiPoint",
    "MULTILINESTRING": "MultiLineString", "MULTIPOLYGON": "MultiPolygon",
}  # fmt: skip


def _wkt(name: str, body: str) -> Geo | None:
    text = re.sub(r"(-?[\d.]+(?:[eE][-+]?\d+)?)\s+(-?[\d.]+(?:[eE][-+]?\d+)?)(?:\s+-?[\d.]+)?", r"[\1,\2]", body)
    try:
        data = json.loads(text.replace("(", "[").replace(")", "]"))
    except json.JSONDecodeError:
        return None
    if name == "POINT":
        data = data[0]
    elif name == "MULTIPOINT" and data and isinstance(data[0][0], list):
        data = [p[0] for p in data]
    geometry = {"type": _WKT_NAMES[name], "coordinates": data}
    return geometry if _valid(geometry) else None


_DEPTH = {"Point": 0, "MultiPoint": 1, "LineString": 1, "Polygon": 2, "MultiLineString": 2, "MultiPolygon": 3}


def _valid(geometry: Geo) -> bool:
    depth = _DEPTH.get(str(geometry.get("type")))
    return depth is not None and _positions(geometry.get("coordinates"), depth)


def _positions(value: Any, depth: int) -> bool:
    if not isinstance(value, list) or not value:
        return False
    if depth == 0:
        ok = len(value) >= 2 and all(isinstance(v, int | float) for v in value)
        return ok and -360 <= value[0] <= 360 and -90 <= value[1] <= 90
    return all(_positions(v, depth - 1) for v in value)


# ---------------------------------------------------------------- coordinates in words


@dataclass
class _Atom:
    """One number that may be a coordinate: unsigned by hemisphere until its range is known."""

    axis: str | None
    value: float
    sign: int | None
    start: int
    end: int
    label: str | None


_LAT_N = ("n", "north", "norte", "nord", "北", "с")
_LAT_S = ("s", "south", "sur", "sud", "sul", "sued", "南", "ю")
_LON_W = ("w", "west", "oeste", "ouest", "西", "з")


def _hemisphere(word: str) -> tuple[str, int]:
    if word in _LAT_N or word[0] in "北с":
        return "lat", 1
    if word in _LAT_S or word[0] in "南ю":
        return "lat", -1
    return "lon", -1 if word in _LON_W or word[0] in "西з" else 1


def _atom(match: re.Match[str], scan: Scan) -> _Atom | None:
    label, hemi = match["label"], match["hemi"] or match["pre"]
    start = match.start("label") if label else match.start("pre") if match["pre"] else match.start("deg")
    if match["sign"] and not label:
        start = match.start("sign")
    end = match.end()
    if hemi and len(hemi) > 1 and hemi.isascii() and not (match["mark"] or label):
        hemi, end = None, match.end("deg")  # "300 north" alone is not a latitude
    if match["pre"] and not scan.text[match.start("pre")].isupper():
        hemi = None
    axis: str | None = None
    sign: int | None = None
    if hemi:
        axis, sign = _hemisphere(hemi)
    if label:
        named = "lat" if re.search(r"lat|breite|широт|纬度|緯度", label) else "lon"
        if axis is not None and axis != named:
            return None
        axis = named
        if axis == "lon" and sign is None and label.startswith("west") and "most" not in label:
            sign = -1
    value = float(match["deg"].replace(",", ""))
    value += float(match["min"] or 0) / 60 + float(match["sec"] or 0) / 3600
    if match["sign"] == "-":
        value = -value
    return _Atom(axis, value, sign, start, len(scan.low[:end].rstrip()), label)


def spans(scan: Scan) -> list[Span]:
    """Coordinate values and ranges in the question, hemispheres applied, in order; their words are taken."""
    west = bool(rx(_WEST_POSITIVE).search(scan.low))
    atoms = [a for m in scan.iter(rf"(?<!\d)(?<!\d\.)(?<![a-z]){_ATOM}") if (a := _atom(m, scan))]
    out: list[Span] = []
    i = 0
    while i < len(atoms):
        one = atoms[i]
        two = atoms[i + 1] if i + 1 < len(atoms) else None
        found = None
        if two is not None and re.fullmatch(_SEP, scan.between(one.end, two.start) or " "):
            found = _range(one, two, west)
            if found is not None:
                i += 1
        if found is None and one.axis is not None:
            value = _signed(one, one.sign, west)
            found = Span(one.axis, value, value, one.start, one.end)
        if found is not None and _in_domain(found):
            out.append(found)
            scan.take(found.start, found.end, "coordinate")
        i += 1
    return _bounds(out, scan)


def _signed(atom: _Atom, sign: int | None, west: bool) -> float:
    if sign is None:
        sign = -1 if atom.axis == "lon" and west else 1
    return atom.value * sign + 0.0


def _range(one: _Atom, two: _Atom, west: bool) -> Span | None:
    axis = one.axis or two.axis
    if axis is None or (one.axis and two.axis and one.axis != two.axis):
        return None
    if one.label and two.label and one.label != two.label:
        return None
    one.axis = two.axis = axis
    sign1 = one.sign if one.sign is not None else two.sign
    sign2 = two.sign if two.sign is not None else one.sign
    a, b = _signed(one, sign1, west), _signed(two, sign2, west)
    if axis == "lat":
        return Span(axis, min(a, b), max(a, b), one.start, two.end)
    if sign1 == sign2 and (sign1 == -1 or (sign1 is None and west)) and one.value < two.value:
        a, b = b, a  # west longitudes given small to large run eastwards from the larger
    if one.sign is None and two.sign is None and not west and a > b and b < 0:
        a, b = b, a
    return Span(axis, a, b, one.start, two.end)


def _in_domain(span: Span) -> bool:
    limit = 90 if span.axis == "lat" else 360
    return abs(span.lo) <= limit and abs(span.hi) <= limit


def _bounds(found: list[Span], scan: Scan) -> list[Span]:
    """Join pairs of single values of one axis that are bounds (``minlat=-5 maxlat=-4``, "west of 280E and east of …")."""
    out: list[Span] = []
    for axis in ("lat", "lon"):
        mine = [s for s in found if s.axis == axis]
        if len(mine) == 2 and all(s.single for s in mine):
            a, b = mine
            own = [scan.low[s.start : s.end] for s in mine]
            named = all(re.search("min|max", text) for text in own)
            lefts = own if named else [scan.left(s.start, 24) + text for s, text in zip(mine, own, strict=True)]
            low_b = r"min|start|east of|north of|south(?:ern)?most|west(?:ern)?most|left|lower"
            high_b = r"max|end\b|west of|south of|north(?:ern)?most|east(?:ern)?most|right|upper"
            if rx(high_b).search(lefts[0]) and rx(low_b).search(lefts[1]):
                a, b = b, a
            if rx(high_b).search(lefts[0] + lefts[1]) and rx(low_b).search(lefts[0] + lefts[1]):
                out.append(Span(axis, a.lo, b.lo, min(a.start, b.start), max(a.end, b.end)))
                continue
        out += mine
    return sorted(out, key=lambda s: s.start)
