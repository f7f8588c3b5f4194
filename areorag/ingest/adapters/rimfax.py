"""Positions that a rover's data table carries itself: RIMFAX and its like have a fix in every row (METHODS §1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import LabelError
from .. import normalise as nz
from ..draft import Draft
from ..footprint import EAST_CENTRIC, Place, spot, track
from ..readers.tables import read_delimited

MAX_TABLE_BYTES = 64 << 20
MAX_POINTS = 200


def place_from_table(draft: Draft, files: Sequence[Path]) -> bool:
    """Place a draft by the ``rover_lat`` / ``rover_lon`` columns of its table; True where that worked."""
    for path in files:
        try:
            if path.suffix.lower() not in (".csv", ".tab", ".txt") or path.stat().st_size > MAX_TABLE_BYTES:
                continue
            with path.open("r", encoding="utf-8", errors="replace") as stream:
                header = stream.readline(1 << 20)
                if "rover_lat" not in header or "rover_lon" not in header:
                    continue
                text = header + stream.read()
            place, site, drive, sol = _fixes(text)
        except (OSError, LabelError):
            continue
        if sol is not None:
            draft.sol = sol
        if place is not None:
            draft.place = place
            if site is not None:
                draft.meta["site"], draft.meta["drive"] = site, drive
            return True
    return False


def _fixes(text: str) -> tuple[Place | None, int | None, int | None, int | None]:
    points: list[tuple[float, float]] = []
    site = drive = sol = None
    for row in read_delimited(text, ","):
        sol = sol if sol is not None else nz.integer(row.get("m2020_sol") or row.get("sol"), 0, 100_000)
        lon, lat = nz.longitude(row.get("rover_lon")), nz.latitude(row.get("rover_lat"))
        if lon is None or lat is None or (points and points[-1] == (lon, lat)):
            continue
        points.append((lon, lat))
        if site is None:
            site, drive = nz.integer(row.get("system_rmc_site")), nz.integer(row.get("system_rmc_drive"))
    if not points:
        return None, None, None, sol
    step = max(1, len(points) // MAX_POINTS)
    kept = points[::step]
    if kept[-1] != points[-1]:
        kept.append(points[-1])
    name = "rover positions in the data table"
    place = track(kept, EAST_CENTRIC, name) if len(kept) > 1 else spot(*kept[0], EAST_CENTRIC, name)
    return place, site, drive, sol
