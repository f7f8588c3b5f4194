"""Ada_orbital, PDS4: CaSSIS in both shapes, level-1 XML of the instrument team and products of the archive."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...planet.bodies import MARS
from .. import normalise as nz
from ..draft import Draft, band, known_body
from ..footprint import EAST_CENTRIC, Frame, corners
from ..names import known_platform, target
from ..readers.xml import Tree, value
from .base import Context, Source
from .pds4 import PDS4_KEYWORDS, Pds4Family, instrument_names, quantity

FILTER_NM = {"PAN": (675.0, 250.0), "BLU": (485.0, 165.0), "RED": (840.0, 100.0), "NIR": (985.0, 220.0)}
"""Centre and width of the CaSSIS filters, nanometres (Thomas et al. 2017, Table 2)."""


class Cassis(Pds4Family):
    """CaSSIS labels. The level-1 shape has "TBD" for an id and everything of interest in its own header."""

    name = "cassis"
    title = "CaSSIS level 1 and derived (PDS4)"
    keywords: Mapping[str, tuple[str, ...]] = {
        **PDS4_KEYWORDS,
        "id": ("logical_identifier", "File/file_name (level 1: the identifier is TBD)"),
        "start": (*PDS4_KEYWORDS["start"], "DERIVED_HEADER_DATA/OnboardImageAcquisitionTime"),
        "footprint.ring": (*PDS4_KEYWORDS["footprint.ring"], "GEOMETRIC_DATA/LONGITUDE_IMAGE_CORNERS",
                           "GEOMETRIC_DATA/LATITUDE_IMAGE_CORNERS"),
        "resolution_m": (*PDS4_KEYWORDS["resolution_m"], "GEOMETRIC_DATA/PIXEL_SCALE_SURFACE"),
        "incidence_deg": (*PDS4_KEYWORDS["incidence_deg"], "GEOMETRIC_DATA/INCIDENCE_ANGLE_FILTER"),
        "emission_deg": (*PDS4_KEYWORDS["emission_deg"], "GEOMETRIC_DATA/EMISSION_ANGLE_FILTER"),
        "phase_deg": (*PDS4_KEYWORDS["phase_deg"], "GEOMETRIC_DATA/PHASE_ANGLE_FILTER"),
        "band.name": (*PDS4_KEYWORDS["band.name"], "DERIVED_HEADER_DATA/Filter"),
        "targets": ("Target_Identification/name", "GEOMETRIC_DATA/TARGET"),
        "processing_level": (*PDS4_KEYWORDS["processing_level"], "Modification_History (level 1)"),
    }  # fmt: skip

    def accepts(self, source: Source) -> bool:
        """An XML label with a CaSSIS header, or whose instrument is CaSSIS."""
        if source.kind != "pds4" or b"assis" not in source.head.lower():
            return False
        tree = source.tree
        return bool(tree.all("CaSSIS_Header")) or any("cassis" in (n or "").lower() for n in instrument_names(tree))

    def adjust(self, draft: Draft, tree: Tree, source: Source, context: Context) -> None:
        """The header of the level-1 shape; both shapes then look alike."""
        if tree.all("CaSSIS_Header"):
            self._header(draft, tree)
        if not any("cassis" in (n or "").lower() for n in draft.instrument_names):
            draft.problems.append(
                f"instrument is {', '.join(n for n in draft.instrument_names if n) or 'not told'}: read as CaSSIS"
            )
            draft.instrument_names = []
        draft.instrument_names.insert(0, "CaSSIS")
        if not any(known_platform(n) == "TGO" for n in draft.platform_names):
            draft.problems.append("spacecraft name is not that of the Trace Gas Orbiter: TGO taken")
        draft.platform_names.insert(0, "TGO")
        if draft.start is None:
            draft.problems.append("no start time in the label")
        if draft.place is None or draft.place.geometry is None:
            draft.warn("no image corners in the label: no footprint")

    def _header(self, draft: Draft, tree: Tree) -> None:
        named = nz.first(nz.identifier(n) for n in tree.texts("File/file_name"))
        if draft.lid is None and named:
            draft.warnings = [w.replace(draft.id, named) for w in draft.warnings]
            draft.id = named
        if draft.start is None:
            draft.start = nz.time_utc(tree.get("OnboardImageAcquisitionTime"))
        looked_at = tree.get("GEOMETRIC_DATA/TARGET")
        if looked_at and not draft.targets:
            draft.targets = [target(looked_at)]
            draft.body = draft.targets[0]
        for field, name in (
            ("incidence_deg", "INCIDENCE_ANGLE_FILTER"), ("emission_deg", "EMISSION_ANGLE_FILTER"),
            ("phase_deg", "PHASE_ANGLE_FILTER"),
        ):  # fmt: skip
            if getattr(draft, field) is None:
                setattr(draft, field, nz.angle_deg(value(tree.first(name))))
        if draft.resolution_m is None:
            draft.resolution_m, _ = nz.resolution_m(
                quantity(tree.first("PIXEL_SCALE_SURFACE")), metres_per_degree=MARS.metres_per_degree
            )
        draft.platform_names += [tree.get("Instrument_Host_Id")]
        if nz.is_null_word(tree.get("Instrument_Host_Name") or "x"):
            draft.problems.append("Instrument_Host_Name is UNKNOWN")
        self._filter(draft, tree)
        self._corners(draft, tree)
        if draft.level is None:
            calibrated = any("Absolute_Calibration" in t for t in tree.texts("Modification_Detail/description"))
            draft.level = "Calibrated (level 1)" if calibrated else "level 1"

    @staticmethod
    def _filter(draft: Draft, tree: Tree) -> None:
        name = (tree.get("DERIVED_HEADER_DATA/Filter", "Filter") or "").strip().upper()
        if draft.band is None and name:
            center, width = FILTER_NM.get(name, (None, None))
            draft.band = band(name, [center] if center else None, [width] if width else None)

    @staticmethod
    def _corners(draft: Draft, tree: Tree) -> None:
        def listed(name: str) -> list[float]:
            return [float(m) for m in re.findall(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", tree.get(name) or "")]

        lons, lats = listed("LONGITUDE_IMAGE_CORNERS"), listed("LATITUDE_IMAGE_CORNERS")
        inside = all(abs(v) <= 90 for v in lats) and all(-360 <= v <= 720 for v in lons)
        if draft.place is None and len(lons) == len(lats) == 4 and inside:
            body = known_body(draft.body or "") or MARS
            draft.place = corners(
                list(zip(lons, lats, strict=True)), Frame(body=body) if body is not MARS else EAST_CENTRIC,
                "image corners from SPICE",
            )  # fmt: skip
