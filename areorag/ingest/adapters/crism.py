"""Ada_orbital / Ada_derived: CRISM EDR, TRDR, DDR, MTRDR and multispectral map tiles (MRDR), PDS3."""

from __future__ import annotations

import re

from .. import normalise as nz
from ..draft import Draft, band
from ..footprint import EAST_CENTRIC, Box, map_box
from ..names import fold
from .base import Context, Source
from .pds3 import Pds3Family, merged
from .view import View

_ID = re.compile(r"(?:FR[TS]|HR[LS]|AT[OU]|EPF|TOD|MS[PWV]|HSP|HSV|FFC|MSW|T)\w*?_\w+", re.I)
_TILE = re.compile(r"_(\d{2})([NS])(\d{3})_", re.I)
_PRODUCT_IN_NAME = re.compile(
    r"(T\d{4}_MR\w{3}_\d{2}[NS]\d{3}_\d{4}_\d)|([A-Z]{3}[0-9A-F]{8}_\w{2}_[A-Z]{2}\d{3}[SLJ]_\w{4})", re.I
)
SENSOR_NM = {"S": (362.0, 1053.0), "L": (1002.0, 3920.0), "J": (362.0, 3920.0)}
"""Wavelength limits of the VNIR (S), IR (L) and joined (J) sensors, nanometres (Murchie et al. 2007)."""


class Crism(Pds3Family):
    """CRISM labels. Targeted products have no coordinates of their own; map tiles may carry a wrong box."""

    name = "crism"
    title = "CRISM EDR, TRDR, DDR, MTRDR, MRDR (PDS3)"
    keywords = merged(
        {
            "band.name": ("MRO:SENSOR_ID", "FILTER_NAME"),
            "derived_from": ("SOURCE_PRODUCT_ID",),
            "quality_flags": ("MRO:IKF_CONFIDENCE_LEVEL", "DATA_QUALITY_DESC"),
        }
    )

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID CRISM."""
        return "crism" in {fold(t) for t in view.texts("INSTRUMENT_ID")}

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Sensor band, tile box, an id from the file name where the label has none."""
        if draft.problems and view.text("PRODUCT_ID") is None:
            for name in (source.stem, *view.texts("^IMAGE"), view.text("MRO:WAVELENGTH_FILE_NAME") or ""):
                match = _PRODUCT_IN_NAME.search(name)
                if match:
                    draft.id = match.group().upper()
                    draft.problems[0] = f"no PRODUCT_ID in the label: {draft.id} read from the name {name}"
                    break
        kind = view.text("PRODUCT_TYPE") or ""
        if kind == "" and "MRR" in draft.id:
            draft.problems.append("no PRODUCT_TYPE in the label")
        if "MULTISPECTRAL" in kind or "MULTISPECTRAL" in (view.text("DATA_SET_ID") or ""):
            draft.kind = "derived"
            draft.title = "multispectral map tile"
        sensor = (view.text("MRO:SENSOR_ID") or _sensor_of(draft.id) or "").upper()[:1]
        if sensor in SENSOR_NM and (draft.band is None or draft.band.min_nm is None):
            name = {"S": "VNIR (S)", "L": "IR (L)", "J": "VNIR and IR (J)"}[sensor]
            low, high = SENSOR_NM[sensor]
            draft.band = band(name, None, None, low, high)
        draft.meta["bands"] = nz.integer(view.raw("IMAGE.BANDS")) or nz.integer(view.raw("BANDS"))
        draft.meta["activity"] = view.text("MRO:ACTIVITY_ID")
        draft.meta["wavelength_file"] = view.text("MRO:WAVELENGTH_FILE_NAME")
        self._tile(draft, view)
        self._wavelength_table(draft, view)

    @staticmethod
    def _wavelength_table(draft: Draft, view: View) -> None:
        """The wavelength table of a tile carries the tile's number and place; another tile's is a mistake."""
        table, tile = view.text("MRO:WAVELENGTH_FILE_NAME"), _TILE.search(draft.id)
        if not table or not tile:
            return
        other = _TILE.search(table)
        version = re.search(r"_(\d)\.TAB$", table, re.I)
        own = re.search(r"_(\d)$", draft.id)
        if other and (other.group() != tile.group() or table[:5].upper() != draft.id[:5].upper()):
            draft.warn(f"wavelength table {table} belongs to another tile")
        elif version and own and version.group(1) != own.group(1):
            draft.warn(f"wavelength table {table} has another version than the product")

    @staticmethod
    def _tile(draft: Draft, view: View) -> None:
        """A box that does not hold the centre in the tile's id is moved there, its size kept."""
        match = _TILE.search(draft.id)
        if not match or draft.place is None:
            return
        lat = float(match.group(1)) * (-1.0 if match.group(2).upper() == "S" else 1.0)
        lon = float(match.group(3))
        west, east = nz.longitude(view.raw("WESTERNMOST_LONGITUDE")), nz.longitude(view.raw("EASTERNMOST_LONGITUDE"))
        south, north = nz.latitude(view.raw("MINIMUM_LATITUDE")), nz.latitude(view.raw("MAXIMUM_LATITUDE"))
        if west is None or east is None or south is None or north is None:
            return
        width = (east - west) % 360.0
        inside = (lon - west) % 360.0 <= width + 1.0 and south - 3.0 <= lat <= north + 3.0
        if inside or width <= 0.0 or width > 60.0:
            return
        half = round(width, 4) / 2.0
        moved = map_box(
            Box(lon - half, lon + half, south, north, EAST_CENTRIC),
            "tile centre in the product id, size of the label's box",
        )
        if moved is not None:
            draft.place = moved
            draft.warn(
                f"the label's box {west:g}…{east:g}° E does not hold the tile's centre {lon:g}° E: moved to the id's place"
            )


def _sensor_of(product_id: str) -> str | None:
    match = re.search(r"_[A-Z]{2}\d{3}([SLJ])_", product_id.upper())
    return match.group(1) if match else None
