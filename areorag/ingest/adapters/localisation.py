"""Rover localisation: site and drive to longitude and latitude (METHODS §1, physical frame alignment).

Tables of MMGIS waypoints, PLACES / localized_interp CSV and M2020 waypoint GeoJSON give no observation of their own;
they place the rover's observations. The mission of a table is the one whose landing site lies nearest.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import LabelError
from ..footprint import EAST_CENTRIC, Frame
from ..normalise import integer, latitude, longitude, number

NEAR_DEG = 2.5
"""A rover stays within this angle of its landing site; a table farther from all of them belongs to no mission."""
MAX_TABLE_BYTES = 64 << 20
_SITE = ("site", "SITE", "Site", "rmc_site", "system_rmc_site")
_DRIVE = ("drive", "DRIVE", "Drive", "pos", "rmc_drive", "system_rmc_drive", "position")
_RMC = ("RMC", "rmc", "site_pos", "site_drive", "final_rmc")
_LAT = ("planetocentric_latitude", "lat_dd", "latitude", "lat", "Latitude", "LAT", "rover_lat")
_GRAPHIC = ("planetodetic_latitude", "planetographic_latitude", "geodetic_latitude")
_LON = ("longitude", "lon_dd", "lon", "Longitude", "LON", "rover_lon", "east_longitude")


@dataclass(frozen=True, slots=True)
class Fix:
    """One rover position: degrees east and planetocentric, and the sol it holds for, if told."""

    lon: float
    lat: float
    sol: int | None = None


@dataclass(slots=True)
class Places:
    """Rover positions by (mission, site, drive)."""

    fixes: dict[tuple[str, int, int], Fix] = field(default_factory=dict)
    _drives: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.fixes)

    def add(self, mission: str, site: int, drive: int, fix: Fix) -> None:
        """Add a position; the first one told for a site and drive stays."""
        self.fixes.setdefault((mission, site, drive), fix)
        self._drives.clear()

    def merge(self, other: Places) -> None:
        """Add every position of another."""
        for key, fix in other.fixes.items():
            self.fixes.setdefault(key, fix)
        self._drives.clear()

    def locate(self, mission: str, site: int, drive: int) -> tuple[Fix, str | None] | None:
        """Position at a site and drive; between two known drives of the site it is interpolated, with a note."""
        exact = self.fixes.get((mission, site, drive))
        if exact is not None:
            return exact, None
        drives = self._drives.get((mission, site))
        if drives is None:
            drives = sorted(d for m, s, d in self.fixes if m == mission and s == site)
            self._drives[(mission, site)] = drives
        at = bisect_left(drives, drive)
        if not drives or at in (0, len(drives)):
            return None
        low, high = drives[at - 1], drives[at]
        a, b = self.fixes[(mission, site, low)], self.fixes[(mission, site, high)]
        t = (drive - low) / (high - low)
        fix = Fix(a.lon + t * (b.lon - a.lon), a.lat + t * (b.lat - a.lat), a.sol)
        return fix, f"position interpolated between drives {low} and {high} of site {site}"


def mission_near(lon: float, lat: float) -> str | None:
    """Mission whose landing site is nearest, or None when none is near."""
    from ...planet.missions import all_missions

    best, name = NEAR_DEG, None
    for mission in all_missions():
        dlon = (lon - mission.lon_deg + 180.0) % 360.0 - 180.0
        distance = math.hypot(dlon * math.cos(math.radians(lat)), lat - mission.lat_deg)
        if distance < best:
            best, name = distance, mission.name
    return name


def _pick(row: Mapping[str, Any], keys: Iterable[str]) -> Any:
    for key in keys:
        value = row.get(key)
        if value not in (None, ""):
            return value
    return None


def site_drive(row: Mapping[str, Any]) -> tuple[int, int] | None:
    """Site and drive of a row: two columns, or one such as ``3_0``."""
    site, drive = integer(_pick(row, _SITE)), integer(_pick(row, _DRIVE))
    if site is not None and drive is not None:
        return site, drive
    match = re.fullmatch(r"\s*(\d+)[_,\s](\d+)\s*", str(_pick(row, _RMC) or ""))
    return (int(match.group(1)), int(match.group(2))) if match else None


def row_fix(row: Mapping[str, Any], geometry: Mapping[str, Any] | None = None) -> Fix | None:
    """Position in a row (columns first, then the geometry of a GeoJSON feature)."""
    lat, lon = latitude(_pick(row, _LAT)), longitude(_pick(row, _LON))
    frame = EAST_CENTRIC
    if lat is None:
        lat = latitude(_pick(row, _GRAPHIC))
        frame = Frame(graphic=True)
    if (lat is None or lon is None) and geometry and geometry.get("type") == "Point":
        pair = geometry.get("coordinates") or []
        if len(pair) >= 2:
            lon, lat, frame = longitude(pair[0]), latitude(pair[1]), EAST_CENTRIC
    if lat is None or lon is None or (lat == 0.0 and lon == 0.0):
        return None
    sol = integer(_pick(row, ("sol", "SOL", "Sol")))
    return Fix(frame.lon(lon), frame.lat(lat), sol if sol is not None and sol >= 0 else None)


def rows_of(source: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """(properties, geometry) of the rows of a table or GeoJSON source."""
    if source.kind == "json":
        document = source.json
        features = document.get("features") if isinstance(document, dict) else None
        for feature in features or []:
            if isinstance(feature, dict):
                yield dict(feature.get("properties") or {}), feature.get("geometry")
    else:
        from ..readers.tables import read_delimited

        for row in read_delimited(source.text()):
            yield row, None


def is_localisation(source: Any) -> bool:
    """Whether a file is a localisation table: positions by site and drive, and no product named in its rows."""
    if source.kind not in ("json", "delimited"):
        return False
    head = source.head.decode("utf-8", "replace")
    if source.kind == "delimited":
        first = next((line for line in head.splitlines() if line.strip()), "")
        columns = {c.strip().strip('"') for c in re.split(r"[,\t;]", first)}
        return _has_columns(columns)
    if '"features"' not in head[:65536]:
        return False
    try:
        rows = [r for r, _ in zip(rows_of(source), range(5), strict=False)]
    except LabelError:
        return False
    return bool(rows) and all(_has_columns(set(row), geometry) for row, geometry in rows)


def _has_columns(columns: set[str], geometry: Mapping[str, Any] | None = None) -> bool:
    placed = bool(columns & {*_LAT, *_GRAPHIC} and columns & set(_LON)) or (geometry or {}).get("type") == "Point"
    indexed = bool((columns & set(_SITE) and columns & set(_DRIVE)) or columns & {*_RMC})
    product = columns & {
        "EDR_NAME", "RDR_NAME", "PRODUCT_ID", "product_id", "data_id", "DATA_ID", "target_plan", "source_product_id",
        "File_name", "TARGET",
    }  # fmt: skip
    return placed and indexed and not product


def read_places(source: Any) -> Places:
    """Positions of a localisation table; SITE rows and rows without a fix are left out."""
    out = Places()
    for row, geometry in rows_of(source):
        if str(row.get("frame", "")).strip().upper() == "SITE":
            continue
        key, fix = site_drive(row), row_fix(row, geometry)
        if key is None or fix is None:
            continue
        sol = number(row.get("sol"))
        if sol is not None and sol < 0:
            continue
        mission = mission_near(fix.lon, fix.lat)
        if mission is not None:
            out.add(mission, *key, fix)
    return out


def gather(paths: Iterable[Path], root: Path, make_source: Any) -> Places:
    """Positions of every localisation table among the paths."""
    out = Places()
    for path in paths:
        if path.suffix.lower() not in (".csv", ".json", ".geojson", ".tab", ".tsv", ".txt"):
            continue
        source = make_source(path, root)
        try:
            if path.stat().st_size <= MAX_TABLE_BYTES and is_localisation(source):
                out.merge(read_places(source))
        except (LabelError, OSError):
            continue
    return out
