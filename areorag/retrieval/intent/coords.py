"""Geometry a question gives itself: WKT, GeoJSON, boxes, bands, points, lines, polygons (Spatial-RAG step 1).

Longitudes come out east in [-180, 180], whatever convention the words used (``282W``, ``west positive``, 0–360).
A latitude–longitude box that crosses the antimeridian comes out split.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .limits import outside
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
    """A coordinate range (lo may exceed hi for a longitude that crosses the antimeridian) or one value.

    `sure`: written so that it can be nothing else (a label, a degree sign, a hemisphere letter on the number).
    """

    axis: str
    lo: float
    hi: float
    start: int
    end: int
    sure: bool = False

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


def longitude(lon: float, scan: Scan, start: int, end: int) -> float:
    """Longitude in [-180, 180]; more than a turn is taken round, and said."""
    reason = outside("longitude", lon)
    if reason is not None:
        scan.note(start, end, "coordinate", f"longitude {lon:.10g}° is read as {norm_lon(lon):.10g}° E")
    return norm_lon(lon)


def given_geometry(scan: Scan) -> Geo | None:
    """WKT or GeoJSON written in the question; the first valid one. One that is not valid is refused with the reason."""
    for match in re.finditer(r"\{", scan.text):
        if not scan.free(match.start(), match.end()):
            continue
        end = _closing(scan.text, match.start(), "{", "}")
        written = scan.text[match.start() : end]
        meant = re.search(r"[\"'](?:type|coordinates|geometry)[\"']", written) is not None
        if end is None:
            if meant:
                scan.refuse(match.start(), len(scan.text), "geometry", "the GeoJSON is not closed, a } is missing")
            continue
        try:
            data = json.loads(written)
        except (json.JSONDecodeError, RecursionError) as exc:
            if meant:
                said = exc.msg if isinstance(exc, json.JSONDecodeError) else "nested too deeply"
                scan.refuse(match.start(), end, "geometry", f"it is no JSON ({said})")
            continue
        geometry = data.get("geometry", data) if isinstance(data, dict) else None
        if isinstance(geometry, dict) and _valid(geometry):
            label = re.search(r"geo-?json\s*:?\s*$", scan.low[: match.start()])
            start = label.start() if label else match.start()
            scan.take(start, end, "geometry", geometry["type"], "geometry")
            return {"type": geometry["type"], "coordinates": geometry["coordinates"]}
        if meant:
            scan.refuse(match.start(), end, "geometry", _why_not(geometry))
    pattern = r"(?i)\b(?:SRID=\d+;\s*)?((?:MULTI)?(?:POINT|LINESTRING|POLYGON))\s*(?:Z\s*)?(?=\()"
    for match in re.finditer(pattern, scan.text):
        end = _closing(scan.text, match.end(), "(", ")")
        if not scan.free(*match.span()) or re.match(r"\(\s*[-+]?[\d.]+\s*°?\s*[,;]", scan.text[match.end() : end]):
            continue  # "a point (77.4, 18.5)" is a pair in brackets
        if end is None:
            scan.refuse(match.start(), len(scan.text), "geometry", "the WKT is not closed, a ) is missing")
            continue
        geometry = _wkt(match[1].upper(), scan.text[match.end() : end])
        if geometry is not None and _valid(geometry):
            scan.take(match.start(), end, "geometry", geometry["type"], "geometry")
            return geometry
        if geometry is not None or match[1].isupper():
            scan.refuse(match.start(), end, "geometry", _why_not(geometry))
    return None


def _why_not(geometry: Any) -> str:
    """Why something is no geometry that can be searched by."""
    if not isinstance(geometry, dict):
        return "it is not in the form of WKT or GeoJSON"
    kind = geometry.get("type")
    if kind not in _DEPTH:
        return f"its type is {kind!r}; known are {', '.join(_DEPTH)}"
    bad = next(_impossible(geometry.get("coordinates")), None)
    return bad or f"its coordinates have not the form of a {kind}"


def _impossible(value: Any) -> Iterator[str]:
    """Reasons why positions anywhere inside `value` lie off the globe."""
    if not isinstance(value, list):
        return
    if len(value) >= 2 and all(isinstance(v, int | float) for v in value[:2]):
        reason = outside("latitude", float(value[1])) or outside("longitude", float(value[0]))
        if reason is not None:
            yield reason
    for child in value:
        yield from _impossible(child)


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
    except (json.JSONDecodeError, RecursionError):
        return None
    if name == "POINT":
        data = data[0] if data else data
    elif name == "MULTIPOINT" and data and isinstance(data[0], list) and data[0] and isinstance(data[0][0], list):
        data = [p[0] for p in data if p]
    return {"type": _WKT_NAMES[name], "coordinates": data}


_DEPTH = {"Point": 0, "MultiPoint": 1, "LineString": 1, "Polygon": 2, "MultiLineString": 2, "MultiPolygon": 3}


def _valid(geometry: Geo) -> bool:
    depth = _DEPTH.get(str(geometry.get("type")))
    return depth is not None and _positions(geometry.get("coordinates"), depth)


def _positions(value: Any, depth: int) -> bool:
    if not isinstance(value, list) or not value:
        return False
    if depth == 0:
        ok = len(value) >= 2 and all(isinstance(v, int | float) for v in value)
        return ok and outside("longitude", value[0]) is None and outside("latitude", value[1]) is None
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
    sure: bool
    bad: str | None


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
    arc = [float(match[part]) for part in ("min", "sec") if match[part]]
    value += float(match["min"] or 0) / 60 + float(match["sec"] or 0) / 3600
    letter = match["hemi"] and scan.text[match.end("deg") : match.start("hemi")] == ""
    named_so = label and not scan.low[match.end("label") : match.end("label") + 1].isalpha()
    year = re.fullmatch(r"1[89]\d\d|20\d\d", match["deg"]) is not None  # "all longitudes, 2010 to 2012"
    sure = bool(match["mark"] or (named_so and not year) or (letter and scan.text[match.start("hemi")].isupper()))
    if match["sign"] == "-":
        value = -value
    bad = outside("minutes or seconds of arc", *arc) if sure else None
    return _Atom(axis, value, sign, start, len(scan.low[:end].rstrip()), label, sure, bad)


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
            found = Span(one.axis, value, value, one.start, one.end, one.sure)
        if found is not None:
            found = _admitted(found, scan, one.bad or (two.bad if two is not None and two.end == found.end else None))
        if found is not None:
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
    sure = one.sure or two.sure
    sign1 = one.sign if one.sign is not None else two.sign
    sign2 = two.sign if two.sign is not None else one.sign
    a, b = _signed(one, sign1, west), _signed(two, sign2, west)
    if axis == "lat":
        return Span(axis, min(a, b), max(a, b), one.start, two.end, sure)
    if sign1 == sign2 and (sign1 == -1 or (sign1 is None and west)) and one.value < two.value:
        a, b = b, a  # west longitudes given small to large run eastwards from the larger
    if one.sign is None and two.sign is None and not west and a > b and b < 0:
        a, b = b, a
    return Span(axis, a, b, one.start, two.end, sure)


def _admitted(span: Span, scan: Scan, bad: str | None) -> Span | None:
    """The coordinate if it can be one; longitudes beyond a turn are taken round. What is surely meant is refused aloud."""
    what = "latitude" if span.axis == "lat" else "longitude"
    reason = bad or outside(what, span.lo, span.hi)
    if reason is None:
        return span
    if not span.sure:
        return None
    if bad is None and span.axis == "lon" and (span.single or span.hi - span.lo < 360):
        lo = longitude(span.lo, scan, span.start, span.end)
        return replace(span, lo=lo, hi=lo if span.single else norm_lon(span.hi))
    scan.refuse(span.start, span.end, "geometry", reason)
    return None


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
