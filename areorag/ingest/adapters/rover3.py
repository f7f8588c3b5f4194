"""Ada_insitu, PDS3: MSL and MER labels, placed by site and drive (METHODS §1, frames)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import normalise as nz
from ..draft import Draft
from ..footprint import EAST_CENTRIC, spot
from ..names import MISSION_OF, platform
from .base import Context, Source
from .pds3 import Pds3Family, merged
from .view import View

_TARGET_WORDS = re.compile(
    r"\btargets?\b[ :]+(?:named |called )?[\"']?([A-Z][A-Za-z0-9]*(?:[_ ][A-Z0-9][A-Za-z0-9]*){0,3})"
)
_CALIBRATION = re.compile(
    r"calib\w*[ _-]?(?:target|palette)|\bcal[ _-]?targ?|\bcaltarget\b|\bscct\b|\bccct\b|sundial", re.I
)


def named_targets(words: str | None) -> list[str]:
    """Targets a free text names: ``… (DRT) target Marabitana`` gives Marabitana."""
    if not words:
        return []
    return [m.group(1).replace("_", " ").strip() for m in _TARGET_WORDS.finditer(words)][:3]


def is_calibration_target(words: str | None) -> bool:
    """Whether a text names a calibration target on the rover."""
    return bool(words and _CALIBRATION.search(words))


def place_rover(draft: Draft, context: Context, site: int | None, drive: int | None) -> None:
    """Position from the localisation tables of the ingest, by site and drive; a warning when they do not hold it."""
    if site is None or drive is None:
        return
    draft.meta["site"], draft.meta["drive"] = site, drive
    mission = MISSION_OF.get(platform(*draft.platform_names) or "")
    found = context.places.locate(mission, site, drive) if mission else None
    if found is None:
        draft.warn(f"no localisation for site {site}, drive {drive}: no position")
        return
    fix, note = found
    draft.place = spot(fix.lon, fix.lat, EAST_CENTRIC, f"rover localisation, site {site}, drive {drive}")
    if note:
        draft.warn(note)


def site_and_drive(names: Sequence[str], counts: Sequence[float]) -> tuple[int | None, int | None]:
    """Site and drive of a motion counter by the names of its parts (they come first where the names are missing)."""
    upper = [n.upper() for n in names]
    if "SITE" in upper and "DRIVE" in upper and len(upper) <= len(counts):
        return int(counts[upper.index("SITE")]), int(counts[upper.index("DRIVE")])
    if len(counts) >= 2 and not upper:
        return int(counts[0]), int(counts[1])
    return None, None


class Rover3(Pds3Family):
    """MSL and MER labels: sol, local time, motion counter; the real target only in the rationale."""

    name = "rover-pds3"
    title = "MSL and MER (PDS3)"
    keywords = merged(
        {
            "institution": ("PRODUCER_INSTITUTION_NAME", "INSTITUTION_NAME"),
            "position": ("ROVER_MOTION_COUNTER", "ROVER_MOTION_COUNTER_NAME"),
            "sol": ("PLANET_DAY_NUMBER",),
            "lmst": ("LOCAL_MEAN_SOLAR_TIME",),
            "derived_from": ("SOURCE_PRODUCT_ID", "MSL:INPUT_PRODUCT_ID", "INPUT_PRODUCT_ID", "TELEMETRY_SOURCE_NAME"),
            "incidence_deg": ("DERIVED_IMAGE_PARMS.INCIDENCE_ANGLE", "INCIDENCE_ANGLE"),
            "resolution_m": ("MAP_SCALE",),
            "processing_level": ("DATA_SET_ID", "PROCESSING_HISTORY_TEXT"),
            "band.name": ("INSTRUMENT_STATE_PARMS.FILTER_NAME", "FILTER_NAME"),
            "band.centers_nm": ("INSTRUMENT_STATE_PARMS.CENTER_FILTER_WAVELENGTH", "CENTER_FILTER_WAVELENGTH"),
        }
    )

    def matches(self, view: View) -> bool:
        """INSTRUMENT_HOST_ID of a rover or lander."""
        host = platform(view.text("INSTRUMENT_HOST_ID"), view.text("INSTRUMENT_HOST_NAME"))
        return host in MISSION_OF and (view.text("PRODUCT_ID") is not None)

    def adjust(self, draft: Draft, view: View, source: Source, context: Context) -> None:
        """Local time, place, targets; a calibration target is not Mars."""
        draft.kind = "insitu"
        draft.sol = nz.integer(view.raw("PLANET_DAY_NUMBER"), 0, 100_000)
        own_sol, draft.lmst = nz.local_time(view.raw("LOCAL_MEAN_SOLAR_TIME"))
        draft.sol = draft.sol if draft.sol is not None else own_sol
        names, counts = view.texts("ROVER_MOTION_COUNTER_NAME"), nz.numbers(view.raw("ROVER_MOTION_COUNTER"))
        draft.place = None
        place_rover(draft, context, *site_and_drive(names, counts))
        for name in named_targets(draft.rationale):
            if name not in draft.targets:
                draft.targets.append(name)
        if is_calibration_target(draft.rationale):
            draft.quality_flags.append("calibration target")
            draft.warn("the label's target is Mars, its rationale names a calibration target")
        draft.meta["sequence_id"] = view.text("SEQUENCE_ID")
