"""What all PDS3 labels share: the keywords, and the draft made from them (AreoRAG §III-B; Ada_orbital, Ada_insitu).

A family gives its own keywords first and puts right what is special about it; everything else is done here, once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...graph.model import Band
from ...planet.bodies import MARS, Body
from .. import normalise as nz
from ..draft import Draft, band, known_body
from ..footprint import Box, Frame, Place, corners, frame_of, map_box, ring, track
from ..names import target
from ..readers.odl import Block, Quantity
from .base import Context, Result, Source, rejected, single
from .view import View

PDS3_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("PRODUCT_ID", "IMAGE_ID"),
    "platform": ("INSTRUMENT_HOST_ID", "INSTRUMENT_HOST_NAME", "SPACECRAFT_NAME", "SPACECRAFT_ID", "MISSION_NAME"),
    "instrument": ("INSTRUMENT_ID", "INSTRUMENT_NAME"),
    "institution": ("PRODUCER_INSTITUTION_NAME", "INSTITUTION_NAME", "PRODUCER_ID"),
    "start": ("TIME_PARAMETERS.START_TIME", "START_TIME", "IMAGE_TIME", "OBSERVATION_TIME", "OBSERVATION_START_TIME"),
    "stop": ("TIME_PARAMETERS.STOP_TIME", "STOP_TIME"),
    "ls_label_deg": ("VIEWING_PARAMETERS.SOLAR_LONGITUDE", "SOLAR_LONGITUDE"),
    "incidence_deg": ("VIEWING_PARAMETERS.INCIDENCE_ANGLE", "INCIDENCE_ANGLE"),
    "emission_deg": ("VIEWING_PARAMETERS.EMISSION_ANGLE", "EMISSION_ANGLE"),
    "phase_deg": ("VIEWING_PARAMETERS.PHASE_ANGLE", "PHASE_ANGLE"),
    "resolution_m": ("MAP_SCALE", "PIXEL_SCALE", "MAXIMUM_RESOLUTION", "SCALED_PIXEL_WIDTH"),
    "band.name": ("INSTRUMENT_STATE_PARMS.FILTER_NAME", "FILTER_NAME"),
    "band.centers_nm": ("CENTER_FILTER_WAVELENGTH", "BAND_BIN_CENTER"),
    "band.width": ("BANDWIDTH", "BAND_BIN_WIDTH"),
    "band.limits": ("MINIMUM_WAVELENGTH", "MAXIMUM_WAVELENGTH"),
    "footprint.box": (
        "MINIMUM_LATITUDE", "MAXIMUM_LATITUDE", "WESTERNMOST_LONGITUDE", "EASTERNMOST_LONGITUDE",
        "MINIMUM_LONGITUDE", "MAXIMUM_LONGITUDE",
    ),
    "footprint.ring": ("FOOTPRINT_POINT_LONGITUDE", "FOOTPRINT_POINT_LATITUDE"),
    "footprint.corners": (
        "UPPER_LEFT_LONGITUDE", "UPPER_RIGHT_LONGITUDE", "LOWER_RIGHT_LONGITUDE", "LOWER_LEFT_LONGITUDE",
        "UPPER_LEFT_LATITUDE", "UPPER_RIGHT_LATITUDE", "LOWER_RIGHT_LATITUDE", "LOWER_LEFT_LATITUDE",
    ),
    "footprint.track": (
        "START_SUB_SPACECRAFT_LONGITUDE", "START_SUB_SPACECRAFT_LATITUDE", "STOP_SUB_SPACECRAFT_LONGITUDE",
        "STOP_SUB_SPACECRAFT_LATITUDE",
    ),
    "footprint.frame": (
        "POSITIVE_LONGITUDE_DIRECTION", "COORDINATE_SYSTEM_NAME", "KEYWORD_LATITUDE_TYPE", "PROJECTION_LATITUDE_TYPE",
    ),
    "targets": ("TARGET_NAME",),
    "quality_flags": (
        "DATA_QUALITY_DESC", "DATA_QUALITY_ID", "QUALITY_DESC", "MRO:SPECIAL_PROCESSING_FLAG", "MISSING_FRAMES",
        "MISSING_SCAN_LINES", "ERROR_PIXELS", "MSL:PRODUCT_COMPLETION_STATUS", "USAGE_NOTE", "MISSING_PACKET_FLAG",
    ),
    "derived_from": ("SOURCE_PRODUCT_ID", "MSL:INPUT_PRODUCT_ID", "INPUT_PRODUCT_ID", "ORIGINAL_PRODUCT_ID"),
    "processing_level": ("DATA_SET_ID", "PROCESSING_HISTORY_TEXT", "PROCESSING_LEVEL_ID", "PRODUCT_TYPE"),
    "product.version": ("PRODUCT_VERSION_ID",),
    "text": ("RATIONALE_DESC", "NOTE", "DATA_SET_NAME", "IMAGE.NAME"),
}  # fmt: skip

_DATA_SET_LEVEL = re.compile(r"-(\d(?:/\d)?)-([A-Z][A-Z0-9]*)")
_KERNEL = re.compile(r"\.(bc|bsp|tf|ti|tls|tpc|tsc|tm|bds|mk)$", re.I)
_CALIBRATION_TYPES = re.compile(
    r"^(CDR\d?|CALIBRATION\w*|ENGINEERING\w*|.*HOUSEKEEPING.*|SPICE\w*|ANCILLARY_?\w*)$", re.I
)
_CALIBRATION_SETS = re.compile(r"-CDR-|-CAL(?:IB\w*)?-|-SPICE-|-ENG-|-HK-", re.I)
_CALIBRATION_TARGETS = {
    "CALIBRATION", "CAL", "CALIMG", "DARK", "FLAT FIELD", "LAMP", "INTERNAL CALIBRATION", "BLACK BODY", "NON SCIENCE",
    "CALIBRATION LAMP", "CHECKOUT", "SCIENCE TEST", "ENGINEERING",
}  # fmt: skip


def merged(extra: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The PDS3 keywords with a family's own put in place of the common ones."""
    return {**PDS3_KEYWORDS, **extra}


def find(view: View, keywords: Mapping[str, tuple[str, ...]], key: str) -> Any:
    """First value of a field's keywords that is not null."""
    for value in view.values(*keywords.get(key, ())):
        if nz.items(value):
            return value
    return None


def level(view: View, keywords: Mapping[str, tuple[str, ...]]) -> str | None:
    """Processing level: type and CODMAC number of the data set, of the processing history, or as written."""
    sets = view.text("DATA_SET_ID")
    match = _DATA_SET_LEVEL.search(sets or "")
    if match:
        return f"{match.group(2)} (CODMAC {match.group(1)})"
    history = re.search(r"LEVEL \d+ TO LEVEL (\d)|CODMAC LEVEL (\d)", view.text("PROCESSING_HISTORY_TEXT") or "", re.I)
    if history:
        return f"CODMAC {history.group(1) or history.group(2)}"
    own = view.text("PROCESSING_LEVEL_ID")
    return f"level {own}" if own else view.text("PRODUCT_TYPE")


def quality(view: View, keywords: Mapping[str, tuple[str, ...]]) -> tuple[list[str], dict[str, str]]:
    """(flags that are not nominal, the nominal statements), each as words."""
    flags: list[str] = []
    nominal: dict[str, str] = {}
    for path in keywords.get("quality_flags", ()):
        value = view.raw(path)
        name = path.rsplit(":", 1)[-1].rsplit(".", 1)[-1]
        if value is None:
            continue
        count = nz.number(value)
        if name.startswith("MISSING_") or name == "ERROR_PIXELS":
            words = nz.text(value)
            if count is not None and count > 0:
                flags.append(f"{name} {count:g}")
            elif count is None and words in ("YES", "TRUE"):
                flags.append(name)
            continue
        for word in nz.texts(value):
            if word.upper() in {"OK", "NOMINAL", "GOOD", "N", "0"} or word.upper().startswith("COMPLETE"):
                nominal[name.lower()] = word
            elif word not in flags:
                flags.append(word if name != "USAGE_NOTE" else f"USAGE_NOTE {word}")
    return flags, nominal


def sources(view: View, keywords: Mapping[str, tuple[str, ...]]) -> tuple[list[str], list[str]]:
    """(source product ids, SPICE kernels) of scalar, sequence or set; file names without their folder."""
    ids: list[str] = []
    kernels: list[str] = []
    for path in keywords.get("derived_from", ()):
        for word in nz.texts(view.raw(path)):
            name = word.replace("\\", "/").rsplit("/", 1)[-1].strip()
            (kernels if _KERNEL.search(name) else ids).append(name)
    return list(dict.fromkeys(i for i in ids if nz.identifier(i))), kernels


def label_band(view: View, keywords: Mapping[str, tuple[str, ...]]) -> Band | None:
    """Band from filter centres and widths, band bins, or wavelength limits."""
    name = nz.text(find(view, keywords, "band.name"))
    unit = view.text("BAND_BIN_UNIT")
    centers: list[float] = []
    widths: list[float] = []
    for path in keywords.get("band.centers_nm", ()):
        value = view.raw(path)
        if value is not None and not centers:
            centers = _wavelengths(value, unit if "BAND_BIN" in path else None)
    for path in keywords.get("band.width", ()):
        value = view.raw(path)
        if value is not None and not widths:
            widths = _wavelengths(value, unit if "BAND_BIN" in path else None, like=centers)
    limits = [nz.wavelength_nm(v) for v in (view.raw(p) for p in keywords.get("band.limits", ())) if v is not None]
    low, high = (limits[0], limits[1]) if len(limits) == 2 and None not in limits else (None, None)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return band(name, centers, widths, low, high)


def _wavelengths(value: Any, unit: str | None, like: list[float] | None = None) -> list[float]:
    outer = value.units if isinstance(value, Quantity) else unit
    out = []
    for item in _each(value):
        nm = nz.wavelength_nm(item, None if nz.units_of(item) else outer)
        if nm is not None:
            out.append(nm)
    if like and out and not outer and all(nz.units_of(i) is None for i in _each(value)):
        raw = nz.numbers(value)  # widths without a unit share that of the centres
        factor = 1000.0 if max(raw) < 30.0 and max(like) > 100.0 and max(raw) < max(like) / 100.0 else 1.0
        out = [r * factor for r in raw if r > 0]
    return out


def _each(value: Any) -> list[Any]:
    inner = value.value if isinstance(value, Quantity) else value
    return list(inner) if isinstance(inner, list | tuple) else [value]


def body_and_frame(view: View, draft: Draft) -> tuple[Body, Frame]:
    """The body of the label (its own radii, where it gives them in full) and its sense of coordinates."""
    body = known_body(draft.body or "") or MARS
    direction = view.text("POSITIVE_LONGITUDE_DIRECTION")
    kinds = view.text("KEYWORD_LATITUDE_TYPE", "COORDINATE_SYSTEM_NAME", "PROJECTION_LATITUDE_TYPE", "LATITUDE_TYPE")
    return body, frame_of(direction, kinds, body)


def _pairs(view: View, names: tuple[str, ...]) -> list[tuple[float, float]] | None:
    half = len(names) // 2
    lons = [nz.longitude(view.raw(n)) for n in names[:half]]
    lats = [nz.latitude(view.raw(n)) for n in names[half:]]
    pairs = [(x, y) for x, y in zip(lons, lats, strict=True) if x is not None and y is not None]
    return pairs if len(pairs) == half else None


def label_place(view: View, draft: Draft, keywords: Mapping[str, tuple[str, ...]]) -> Place | None:
    """Footprint of a label: its point list, its corners, its track, else its map box."""
    body, frame = body_and_frame(view, draft)
    lons = nz.numbers(view.raw(keywords["footprint.ring"][0]))
    lats = nz.numbers(view.raw(keywords["footprint.ring"][1]))
    if len(lons) >= 3 and len(lons) == len(lats) and all(abs(v) <= 90 for v in lats):
        return ring(list(zip(lons, lats, strict=True)), frame, "footprint point list of the label")
    pairs = _pairs(view, keywords["footprint.corners"])
    if pairs:
        return corners(pairs, frame, "corner coordinates of the label")
    names = keywords["footprint.track"]
    ends = _pairs(view, (names[0], names[2], names[1], names[3]))
    if ends:
        return track(ends, frame, "sub-spacecraft track of the label")
    return box_place(view, draft, frame, body)


def box_place(view: View, draft: Draft, frame: Frame, body: Body) -> Place | None:
    """Footprint of a map projection's box."""
    south, north = nz.latitude(view.raw("MINIMUM_LATITUDE")), nz.latitude(view.raw("MAXIMUM_LATITUDE"))
    west, east = nz.longitude(view.raw("WESTERNMOST_LONGITUDE")), nz.longitude(view.raw("EASTERNMOST_LONGITUDE"))
    if west is None or east is None:
        low, high = nz.longitude(view.raw("MINIMUM_LONGITUDE")), nz.longitude(view.raw("MAXIMUM_LONGITUDE"))
        west, east = (high, low) if frame.west else (low, high)
    if south is None or north is None or west is None or east is None:
        return None
    samples, lines = view.number("LINE_SAMPLES"), view.number("LINES")
    for edge in ("SAMPLE", "LINE"):
        first, last = view.number(f"{edge}_FIRST_PIXEL"), view.number(f"{edge}_LAST_PIXEL")
        if first is not None and last is not None and last > first:
            count = last - first + 1
            samples, lines = (
                (max(count, samples or 0), lines) if edge == "SAMPLE" else (samples, max(count, lines or 0))
            )
    scale = draft.resolution_m
    return map_box(
        Box(
            west, east, south, north, frame, view.text("MAP_PROJECTION_TYPE") or "",
            nz.longitude(view.raw("CENTER_LONGITUDE")), nz.latitude(view.raw("CENTER_LATITUDE")),
            samples * scale if samples and scale else None, lines * scale if lines and scale else None,
            projected_edges(view, samples),
        ),
        "map projection box of the label",
    )  # fmt: skip


def projected_edges(view: View, samples: float | None) -> tuple[float, float] | None:
    """West and east edges that an equirectangular map's offsets imply, where its latitudes prove the convention."""
    resolution, center = view.number("MAP_RESOLUTION"), nz.longitude(view.raw("CENTER_LONGITUDE"))
    latitude, north = nz.latitude(view.raw("CENTER_LATITUDE")), nz.latitude(view.raw("MAXIMUM_LATITUDE"))
    line, sample = view.number("LINE_PROJECTION_OFFSET"), view.number("SAMPLE_PROJECTION_OFFSET")
    if "EQUIRECTANGULAR" not in (view.text("MAP_PROJECTION_TYPE") or "").upper() or not samples or not resolution:
        return None
    if center is None or latitude is None or north is None or line is None or sample is None:
        return None
    if abs(line / resolution - north) > 0.05 or abs(latitude) > 85.0:
        return None
    per_degree = resolution * math.cos(math.radians(latitude))
    west = center - sample / per_degree
    return west, west + samples / per_degree


def label_resolution(
    view: View, body: Body, keywords: Mapping[str, tuple[str, ...]]
) -> tuple[float | None, str | None]:
    """Metres per pixel; a scale without a unit is checked against MAP_RESOLUTION where both are given."""
    per_degree = view.raw("MAP_RESOLUTION")
    implied = None
    if per_degree is not None:
        implied, _ = nz.resolution_m(
            per_degree if nz.units_of(per_degree) else nz.number(per_degree), nz.units_of(per_degree) or "PIXEL/DEGREE",
            metres_per_degree=body.metres_per_degree,
        )  # fmt: skip
    for value in view.values(*keywords["resolution_m"]):
        metres, note = nz.resolution_m(value, metres_per_degree=body.metres_per_degree)
        if metres is None:
            continue
        if implied and nz.units_of(value) is None:
            amount = nz.number(value) or metres
            metres = min((amount, amount * 1000.0), key=lambda m: abs(m / implied - 1.0))
            note = "map scale has no unit: read as " + ("m/pixel" if metres == amount else "km/pixel")
        return metres, note
    return implied, None


def draft_from(view: View, source: Source, keywords: Mapping[str, tuple[str, ...]]) -> Draft:
    """Draft of a PDS3 label by a family's keywords. An id that is missing or a placeholder is the file's name."""
    identifier = nz.first(nz.identifier(v) for v in view.values(*keywords["id"]))
    draft = Draft(identifier or source.stem)
    if identifier is None:
        draft.problems.append("no product id in the label: the file name is used")
    draft.targets = [target(t) for t in nz.texts(find(view, keywords, "targets"))]
    draft.body = draft.targets[0] if draft.targets else None
    draft.platform_names = [view.text(p) for p in keywords["platform"]]
    draft.instrument_names = [view.text(p) for p in keywords["instrument"]]
    draft.institution_names = [view.text(p) for p in keywords["institution"]]
    draft.start = nz.first(nz.time_utc(v) for v in view.values(*keywords["start"]))
    draft.stop = nz.first(nz.time_utc(v) for v in view.values(*keywords["stop"]))
    draft.ls_label_deg = nz.first(nz.solar_longitude(v) for v in view.values(*keywords["ls_label_deg"]))
    for name, high in (("incidence_deg", 180.0), ("emission_deg", 180.0), ("phase_deg", 180.0)):
        setattr(draft, name, nz.first(nz.angle_deg(v, 0.0, high) for v in view.values(*keywords[name])))
    body = known_body(draft.body or "") or MARS
    draft.resolution_m, note = label_resolution(view, body, keywords)
    if note:
        draft.warn(note)
    draft.band = label_band(view, keywords)
    draft.quality_flags, nominal = quality(view, keywords)
    draft.derived_from, kernels = sources(view, keywords)
    draft.level = level(view, keywords)
    draft.version = view.text(*keywords["product.version"])
    draft.rationale = rationale(view)
    draft.place = label_place(view, draft, keywords)
    draft.meta.update(
        {
            "data_set_id": view.text("DATA_SET_ID"), "observation_id": view.text("OBSERVATION_ID"),
            "orbit_number": nz.integer(view.raw("ORBIT_NUMBER")), "mission_phase": view.text("MISSION_PHASE_NAME"),
            "product_type": view.text("PRODUCT_TYPE"), "label_institution": view.text("PRODUCER_INSTITUTION_NAME"),
            "local_true_solar_time": view.text("LOCAL_TRUE_SOLAR_TIME", "VIEWING_PARAMETERS.LOCAL_TIME", "LOCAL_TIME"),
            "map_projection": view.text("MAP_PROJECTION_TYPE"), "detector": view.text("DETECTOR_ID"),
            "software": view.text("SOFTWARE_NAME"), "spice_kernels": len(kernels) or None, **nominal,
        }
    )  # fmt: skip
    return draft


def rationale(view: View) -> str | None:
    """The producers' words on why it was taken; a data-set description is no rationale."""
    words = view.text("RATIONALE_DESC", "NOTE")
    if words is None:
        return None
    return words if len(words) <= 400 else words[:400].rsplit(" ", 1)[0]


def add_label_notes(draft: Draft, source: Source) -> None:
    """Warnings and problems of reading the label itself."""
    for note in source.label.warnings[:20]:
        draft.warn(note)
    draft.problems += source.label.problems


def calibration_reason(view: View) -> str | None:
    """Why a label is calibration or engineering data, or None."""
    kind, data_set = view.text("PRODUCT_TYPE") or "", view.text("DATA_SET_ID") or ""
    if _CALIBRATION_TYPES.match(kind):
        return f"calibration or engineering product (PRODUCT_TYPE {kind}): no observation of its own"
    if _CALIBRATION_SETS.search(data_set):
        return f"calibration or engineering data set ({data_set}): no observation of its own"
    targets = {t.upper() for t in view.texts("TARGET_NAME")}
    if targets and targets <= _CALIBRATION_TARGETS:
        return f"calibration measurement (TARGET_NAME {', '.join(sorted(targets))}): no observation of its own"
    return None


def data_files(view: View, source: Source, context: Context) -> list[Path]:
    """Files beside the label that its data pointers name (inside the ingest root)."""
    out: list[Path] = []
    for block in view.root.walk():
        for key, value in block.items:
            if not key.startswith("^") or _is_document(key):
                continue
            for word in nz.texts(value) if not isinstance(value, Block) else []:
                found = context.resolve(source.path, word)
                if found is not None and found not in out:
                    out.append(found)
    for name in (view.text("FILE_NAME"),):
        found = context.resolve(source.path, name) if name else None
        if found is not None and found not in out and found.suffix.lower() not in (".lbl", ".xml"):
            out.append(found)
    return out


def _is_document(key: str) -> bool:
    return key.upper().endswith(("_DESC", "DESCRIPTION", "_CATALOG", "DATA_SET_MAP_PROJECTION", "STRUCTURE"))


class Pds3Family:
    """A PDS3 family: accepts by label content, keywords in one mapping, one hook to put right what is special."""

    name = "pds3"
    title = "PDS3 label"
    keywords: Mapping[str, tuple[str, ...]] = PDS3_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Whether the label is of this family."""
        return source.kind == "pds3" and self.matches(source.view)

    def matches(self, view: View) -> bool:
        """Whether the label's keywords are this family's."""
        raise NotImplementedError

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Put right what is special about the family."""

    def read(self, source: Source, context: Context) -> Result:
        """One observation of the label."""
        view = source.view
        reason = calibration_reason(view)
        if reason:
            raise rejected(reason)
        draft = draft_from(view, source, self.keywords)
        self.adjust(draft, view, source, context)
        add_label_notes(draft, source)
        return single(draft, source, context, data_files(view, source, context))
