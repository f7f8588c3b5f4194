"""Ada_orbital, PDS3: HiRISE, CTX, MOC, MARCI, HRSC, THEMIS, MOLA, Viking and SHARAD, one small class each.

What is common is in `pds3`; a class says how its labels are told apart and what is special about them.
"""

from __future__ import annotations

import re

from .. import normalise as nz
from ..draft import Draft, band
from ..footprint import Place
from ..names import fold
from .base import Context, Source
from .pds3 import Pds3Family, merged
from .view import View

_ID_PLACE = re.compile(r"_(\d{2})([NS])(\d{3})([WE])(?:[_.]|$)")
_DTM = re.compile(r"-DTM-|^DT[ER][EP][CDZ]", re.I)


def id_position(product_id: str) -> tuple[float, float] | None:
    """(east longitude, latitude) that a product id such as ``…_79S172W`` carries, in whole degrees."""
    match = _ID_PLACE.search(product_id)
    if not match:
        return None
    lat, ns, lon, we = match.groups()
    if int(lat) > 90 or int(lon) > 360:
        return None
    east = -float(lon) if we == "W" else float(lon)
    return (east + 180.0) % 360.0 - 180.0, float(lat) * (-1.0 if ns == "S" else 1.0)


def place_from_id(draft: Draft) -> None:
    """Give a position (no footprint) from the product id where the label has none."""
    if draft.place is None and draft.lon is None:
        found = id_position(draft.id)
        if found is not None:
            draft.lon, draft.lat = found
            draft.place = Place(None, "product id (whole degrees)", *found)
            draft.warn("position from the product id, to a degree; the label has no coordinates")


def _instrument_is(view: View, *names: str) -> bool:
    words = {fold(t) for key in ("INSTRUMENT_ID", "INSTRUMENT_NAME") for t in view.texts(key)}
    return bool(words & set(names))


class Hirise(Pds3Family):
    """HiRISE EDR, RDR and DTM / orthoimage labels."""

    name = "hirise"
    title = "HiRISE EDR, RDR and DTM (PDS3)"
    keywords = merged(
        {
            "derived_from": ("SOURCE_PRODUCT_ID", "SOURCE_FILE_NAME"),
            "start": ("TIME_PARAMETERS.START_TIME", "START_TIME", "TIME_PARAMETERS.OBSERVATION_START_TIME"),
            "resolution_m": ("IMAGE_MAP_PROJECTION.MAP_SCALE", "MAP_SCALE"),
        }
    )

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID HIRISE."""
        return _instrument_is(view, "hirise", "high resolution imaging science experiment")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """A terrain model is derived and has two epochs, so no time of its own; binning goes to the meta."""
        data_set = view.text("DATA_SET_ID") or ""
        if _DTM.search(data_set) or _DTM.search(draft.id):
            draft.kind = "derived"
            draft.title = "digital terrain model" if draft.id.upper().startswith("DTE") else None
            if draft.start is None:
                draft.meta["epochs"] = "those of the source observations"
        binning = view.raw("BINNING")
        draft.meta["binning"] = sorted({int(b) for b in nz.numbers(binning) if b > 0}) or None
        if draft.place is None and draft.kind == "orbital" and "RDR" in data_set:
            draft.problems.append("no map projection box: no footprint")


class Ctx(Pds3Family):
    """CTX EDR labels: no coordinates (they are in the index), one panchromatic band."""

    name = "ctx"
    title = "CTX EDR (PDS3)"
    keywords = merged({})

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID CTX or MRO-CTX."""
        return _instrument_is(view, "ctx", "mro ctx", "context camera")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """The camera's one band, and the id's position."""
        draft.instrument_names.insert(0, "CTX")
        if draft.band is None:
            draft.band = band("panchromatic", None, None, 500.0, 700.0)
        place_from_id(draft)


class Moc(Pds3Family):
    """MOC narrow and wide angle; MARCI: colour swaths of an hour."""

    name = "moc-marci"
    title = "MOC and MARCI EDR (PDS3)"
    keywords = merged({"resolution_m": ("MAP_SCALE", "SCALED_PIXEL_WIDTH")})

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID MOC-NA, MOC-WA, MOC or MARCI."""
        return _instrument_is(view, "moc na", "moc wa", "moc", "marci", "mars color imager", "mars orbiter camera")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """The position of the id is where the swath crosses the equator."""
        place_from_id(draft)
        if draft.band is None and "moc na" in {fold(t) for t in view.texts("INSTRUMENT_ID")}:
            draft.band = band("panchromatic", None, None, 500.0, 900.0)


class Hrsc(Pds3Family):
    """HRSC and its SRC channel: footprint point lists; the map box of a terrain model is not to be believed."""

    name = "hrsc"
    title = "HRSC radiometric, map-projected and DTM (PDS3)"
    keywords = merged(
        {
            "resolution_m": ("MAP_SCALE", "MAXIMUM_RESOLUTION", "PIXEL_SCALE"),
            "quality_flags": ("DATA_QUALITY_ID", "MISSING_FRAMES", "DATA_QUALITY_DESC"),
            "band.name": ("FILTER_NAME", "DETECTOR_ID"),
        }
    )

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID HRSC."""
        return _instrument_is(view, "hrsc", "high resolution stereo camera")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Terrain models are derived; the event type says what was looked at."""
        words = f"{view.text('DATA_SET_ID') or ''} {view.text('PRODUCT_TYPE') or ''}"
        if re.search(r"-DTM|DTM-|\bDTM\b", words) or re.search(r"_D[AT]\d(?:\.|_|$)", draft.id, re.I):
            draft.kind = "derived"
            draft.title = "digital terrain model"
        if draft.band is not None and draft.band.name:
            draft.band.name = re.sub(r"^MEX_HRSC_", "", draft.band.name)
        event = view.text("EVENT_TYPE")
        draft.rationale = draft.rationale or (event.replace("-", " ").lower() if event else None)
        if draft.place is None or draft.place.geometry is None:
            draft.problems.append("no usable footprint in the label")


class Themis(Pds3Family):
    """THEMIS VIS and IR: band bins of the spectral qube; no coordinates in the label."""

    name = "themis"
    title = "THEMIS VIS / IR EDR and RDR (PDS3)"
    keywords = merged(
        {
            "band.name": ("DETECTOR_ID",),
            "band.centers_nm": ("BAND_BIN.BAND_BIN_CENTER", "CENTER_FILTER_WAVELENGTH"),
            "band.width": ("BAND_BIN.BAND_BIN_WIDTH", "BANDWIDTH"),
            "quality_flags": ("MISSING_SCAN_LINES", "DATA_QUALITY_DESC", "PARTIAL_SUM_LINES"),
            "derived_from": ("SOURCE_PRODUCT_ID",),
        }
    )

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID THEMIS."""
        return _instrument_is(view, "themis", "thermal emission imaging system")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """The qube's description says what was looked at; a whole-orbit RDR stems from the EDR of the same name."""
        draft.rationale = draft.rationale or view.text("SPECTRAL_QUBE.DESCRIPTION", "QUBE.DESCRIPTION")
        if not draft.derived_from and draft.id.upper().endswith("RDR"):
            draft.derived_from = [draft.id[:-3] + "EDR"]
        if re.search(r"geo|mosaic|polar|derived", view.text("DATA_SET_ID") or "", re.I):
            draft.kind = "derived"


class Mola(Pds3Family):
    """MOLA: PEDR profiles are orbital, gridded MEGDR maps are derived from all of them."""

    name = "mola"
    title = "MOLA MEGDR and PEDR (PDS3)"
    keywords = merged({})

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID MOLA."""
        return _instrument_is(view, "mola", "mars orbiter laser altimeter")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Grids: what is mapped, and that the PEDRs are their source."""
        data_set = view.text("DATA_SET_ID") or ""
        if re.search(r"EGDR|IEGDR|SHADR|-5-", data_set):
            draft.kind = "derived"
            what = view.text("IMAGE.NAME")
            draft.title = f"gridded {what.replace('_', ' ').lower()}" if what else "gridded topography"
            if re.search(r"PEDRs? .{0,40}source", view.text("DESCRIPTION") or "", re.I):
                draft.meta["derived_from_data_set"] = "MOLA Precision Experiment Data Records (PEDR)"


class Viking(Pds3Family):
    """Viking Orbiter images: the id is IMAGE_ID, the time IMAGE_TIME; the data set names both craft."""

    name = "viking"
    title = "Viking Orbiter EDR (PDS3)"
    keywords = merged({"platform": ("SPACECRAFT_NAME", "INSTRUMENT_HOST_NAME", "INSTRUMENT_HOST_ID")})

    def matches(self, view: View) -> bool:
        """SPACECRAFT_NAME VIKING_ORBITER_1 or 2."""
        words = view.text("SPACECRAFT_NAME", "INSTRUMENT_HOST_NAME") or ""
        return "VIKING" in words.upper() and "ORBITER" in words.upper()

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Camera and image number."""
        draft.meta["image_number"] = nz.integer(view.raw("IMAGE_NUMBER"))


class Sharad(Pds3Family):
    """SHARAD: a line under the track; the name of a radargram says it is processed."""

    name = "sharad"
    title = "SHARAD EDR, RDR and radargram (PDS3)"
    keywords = merged({})

    def matches(self, view: View) -> bool:
        """INSTRUMENT_ID SHARAD."""
        return _instrument_is(view, "sharad", "shallow radar", "mars shallow radar")

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """A label without a track says so."""
        if draft.place is None:
            draft.warn("no sub-spacecraft track in the label: no footprint")
