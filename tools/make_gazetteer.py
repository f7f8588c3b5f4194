"""Generate areorag/planet/data/gazetteer_<body>.json.gz from IAU nomenclature tables and the project's own lists.

    python tools/make_gazetteer.py TABLE_DIR        # holds iau_gazetteer_mars.csv and iau_gazetteer_moon.csv

Input: the IAU/USGS nomenclature exports (columns feature_id … approval_status). Output: one compact JSON list per body,
sorted, reproducible byte for byte. What the tables get wrong is repaired by rule (see `repair`) and counted.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "areorag" / "planet" / "data"
RADIUS_KM = {"Mars": 3396.19, "Moon": 1737.4}
ROUND_TYPES = {"AA", "SF"}


def number(text: str) -> float | None:
    """A float; None for '-', blank and what is no number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def lon180(lon: float) -> float:
    out = (lon + 180.0) % 360.0 - 180.0
    return round(out, 6)


def disc(lon: float, lat: float, radius_km: float, body: str) -> tuple[float, float, float, float]:
    """West, east (eastwards of west), south, north of a disc."""
    half = math.degrees(radius_km / RADIUS_KM[body])
    south, north = lat - half, lat + half
    if north >= 90.0 or south <= -90.0:
        return -180.0, 180.0, max(south, -90.0), min(north, 90.0)
    width = math.degrees(math.asin(min(1.0, math.sin(math.radians(half)) / math.cos(math.radians(lat)))))
    return lon - width, lon + width, south, north


def repair(row: dict[str, str], body: str, count: Counter[str]) -> tuple[float, float, float, float] | None:
    """West, east, south, north with east ≥ west (east may pass 180); None for a point.

    Rules, in this order: '-' beside 360 is a full circle; a missing latitude means the extent is unknown; longitudes in
    a 0–360 table may be negative (45.36 / -29.69) and are taken modulo 360; north and south exchanged; east and west
    exchanged, or with the wrong sign, where only that puts the centre inside; an extent that misses the centre, or is
    that of a point although a diameter is given, or (round features) differs from the diameter by more than half, is
    drawn anew from centre and diameter.
    """
    lat, lon = number(row["center_lat_deg"]), number(row["center_lon_deg"])
    assert lat is not None
    assert lon is not None
    north, south = number(row["north_lat_deg"]), number(row["south_lat_deg"])
    east, west = number(row["east_lon_deg"]), number(row["west_lon_deg"])
    diameter = number(row["diameter_km"]) or 0.0
    anew = disc(lon, lat, diameter / 2.0, body) if diameter > 0 else None
    if north is None or south is None or (east is None and west is None):
        count["extent missing"] += 1
        return anew
    if north < south:
        count["north and south exchanged"] += 1
        north, south = south, north
    if east is None or west is None:
        count["'-' longitude: full circle"] += 1
        # the cap reaches the pole that the centre is nearest to, unless the table says otherwise
        return -180.0, 180.0, south, north
    if west < 0 and "0 - 360" in row["coordinate_system"]:
        count["negative longitude in a 0-360 table"] += 1
    w, width, inside = west % 360.0, (east - west) % 360.0, False
    for cw, ce, name in ((west, east, ""), (east, west, "exchanged"), (-west, -east, "sign"), (-east, -west, "sign")):
        wide, off = (ce - cw) % 360.0, (lon - cw) % 360.0
        absurd = (
            diameter > 0 and wide * math.cos(math.radians(lat)) > 4.0 * math.degrees(diameter / RADIUS_KM[body]) + 10.0
        )
        if (off <= wide + 0.02 or off >= 359.98) and (wide < 180.0 or name == "") and not (absurd and wide > 180.0):
            w, width, inside = cw % 360.0, wide, True
            if name:
                count[f"east and west: {name}"] += 1
            break
    spans = max(north - south, width * math.cos(math.radians(lat)))
    expected = math.degrees(diameter / RADIUS_KM[body])
    point = spans < 1e-9
    if not inside or not south - 0.02 <= lat <= north + 0.02:
        count["extent misses the centre"] += 1
        return anew
    if anew is not None and (point or spans < 0.02 * expected):
        count["extent of a point"] += 1
        return anew
    if row["feature_code"] in ROUND_TYPES and anew is not None:
        high = north - south
        if abs(high - expected) > 0.5 * expected + 0.03:
            count["extent against diameter"] += 1
            return anew
    if point:
        return None
    return w, w + width, south, north


def iau_features(path: Path, body: str, count: Counter[str]) -> list[list[Any]]:
    out: list[list[Any]] = []
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            lat, lon = number(row["center_lat_deg"]), number(row["center_lon_deg"])
            if lat is None or lon is None:
                count["no centre: left out"] += 1
                continue
            name = row["name"].strip().strip("[]").strip()
            aliases = [row["clean_name"].strip()] if row["clean_name"].strip() != name else []
            if "(" in name:
                first, _, second = name.partition("(")
                aliases += [first.strip(), second.rstrip(") ").strip()]
            box = repair(row, body, count)
            diameter = number(row["diameter_km"]) or 0.0
            out.append(entry(
                name, row["feature_code"], row["feature_type"].split(",")[0].strip(), lon, lat, diameter * 1000.0, box,
                row["approval_status"].lower(), aliases, None, int(row["feature_id"]),
            ))  # fmt: skip
    return out


def entry(
    name: str, code: str, kind: str, lon: float, lat: float, diameter_m: float,
    box: tuple[float, float, float, float] | None, status: str, aliases: list[str], parent: str | None, iau: int | None,
) -> list[Any]:  # fmt: skip
    if box is not None:
        west, east, south, north = box
        shift = west - lon180(west)
        box = (round(west - shift, 5), round(east - shift, 5), round(south, 5), round(north, 5))
    unique = list(dict.fromkeys(a for a in aliases if a and a != name))
    return [
        name, code, kind, lon180(lon), lat, round(diameter_m, 1) or None, box, status, unique, parent, iau,
    ]  # fmt: skip


def table(path: Path) -> list[list[str]]:
    lines = [line.rstrip("\n").split("\t") for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line[0].startswith("#")]


def own_places(body: str) -> list[list[Any]]:
    codes = {
        "Pole": "XP",
        "Landing site": "XL",
        "Impact site": "XI",
        "Rover place": "XR",
        "Sub-part": "XS",
        "Region": "XG",
    }
    out = []
    for fields in table(HERE / "gazetteer_places.tsv"):
        where, name, kind, lon, lat, diameter, parent, aliases = (fields + [""] * 8)[:8]
        if where != body:
            continue
        size = float(diameter)
        box = disc(float(lon), float(lat), size / 2000.0, body) if size > 0 else None
        names = [a.strip() for a in aliases.split("|") if a.strip()]
        out.append(
            entry(name, codes[kind], kind, float(lon), float(lat), size, box, "project", names, parent or None, None)
        )
    return out


def build(tables: Path, body: str) -> tuple[list[list[Any]], Counter[str]]:
    """All entries of a body, sorted by name and id, and how often each repair was made."""
    count: Counter[str] = Counter()
    entries = iau_features(tables / f"iau_gazetteer_{body.lower()}.csv", body, count) + own_places(body)
    by_name = {e[0]: e for e in entries if e[7] == "approved"}
    for where, name, aliases in (f[:3] for f in table(HERE / "gazetteer_aliases.tsv")):
        if where != body:
            continue
        if name not in by_name:
            raise SystemExit(f"gazetteer_aliases.tsv: {body} has no feature {name!r}")
        by_name[name][8] = list(dict.fromkeys([*by_name[name][8], *aliases.split("|")]))
    for e in entries:
        if e[9] is not None and e[9] not in by_name:
            raise SystemExit(f"gazetteer_places.tsv: {e[0]} lies in {e[9]!r}, which is no feature of {body}")
    return sorted(entries, key=lambda e: (e[0], e[10] or 0)), count


def encode(entries: list[list[Any]]) -> bytes:
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, filename="", compresslevel=9) as stream:
        stream.write(text.encode("utf-8"))
    return buffer.getvalue()


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for body in ("Mars", "Moon"):
        entries, count = build(Path(sys.argv[1]), body)
        target = OUT / f"gazetteer_{body.lower()}.json.gz"
        target.write_bytes(encode(entries))
        print(f"{target.name}: {len(entries)} entries, {target.stat().st_size} bytes")
        for reason, n in count.most_common():
            print(f"  repaired {n:4d}  {reason}")


if __name__ == "__main__":
    main()
