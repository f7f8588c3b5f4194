"""What all PDS4 labels share: where each field stands, and the draft made from them (AreoRAG §III-B).

Elements are found by local name, so every version of the information model and every namespace prefix works. A family
refines the draft; the generic adapter takes what there is and says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from ...graph.model import Band
from ...planet.bodies import MARS, Body
from .. import normalise as nz
from ..draft import Draft, band, known_body
from ..footprint import Box, Frame, Place, corners, frame_of, map_box, ring, track
from ..names import MISSION_OF, is_in_situ, known_platform, platform, target
from ..readers.odl import Quantity
from ..readers.xml import Tree, local, unit, value
from .base import Context, Result, Source, rejected, single
from .rover3 import is_calibration_target, named_targets, place_rover, site_and_drive

PDS4_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("logical_identifier", "name of the label file"),
    "platform": ("Observing_System_Component[type=Host]/name", "Instrument_Host_Id", "Instrument_Host_Name"),
    "instrument": ("Observing_System_Component[type=Instrument]/lid_reference",
                   "Observing_System_Component[type=Instrument]/name"),
    "institution": ("Producer_institution_name",),
    "start": ("Time_Coordinates/start_date_time", "start_date_time"),
    "stop": ("Time_Coordinates/stop_date_time", "stop_date_time"),
    "ls_label_deg": ("Time_Coordinates/solar_longitude", "start_solar_longitude", "solar_longitude"),
    "sol": ("sol_number", "start_sol_number"),
    "lmst": ("Time_Coordinates/local_mean_solar_time", "start_local_mean_solar_time"),
    "incidence_deg": ("Illumination_Specific/incidence_angle", "incidence_angle"),
    "emission_deg": ("Illumination_Specific/emission_angle", "emission_angle"),
    "phase_deg": ("Illumination_Specific/phase_angle", "phase_angle"),
    "resolution_m": ("pixel_resolution_x", "pixel_resolution"),
    "band.name": ("filter_name",),
    "band.centers_nm": ("center_filter_wavelength",),
    "band.width": ("bandwidth",),
    "footprint.ring": ("Footprint_Vertices/Pixel_Intercept/pixel_longitude",
                       "Footprint_Vertices/Pixel_Intercept/pixel_latitude"),
    "footprint.track": ("start_subspacecraft_longitude", "start_subspacecraft_latitude",
                        "stop_subspacecraft_longitude", "stop_subspacecraft_latitude"),
    "footprint.box": ("west_bounding_coordinate", "east_bounding_coordinate", "south_bounding_coordinate",
                      "north_bounding_coordinate"),
    "footprint.frame": ("longitude_direction", "latitude_type"),
    "position": ("Motion_Counter_Index/index_id", "Motion_Counter_Index/index_value_number"),
    "targets": ("Target_Identification/name", "Derived_Geometry/target_name", "calibration_target_name"),
    "quality_flags": ("Errors/ERROR_BLOCK",),
    "derived_from": ("Reference_List//lid_reference", "Reference_List//lidvid_reference",
                     "external_source_product_identifier", "Input_Product//lidvid_reference"),
    "processing_level": ("Primary_Result_Summary/processing_level", "processing_level"),
    "product.version": ("Identification_Area/version_id", "version_id"),
    "text": ("Primary_Result_Summary/description", "title"),
}  # fmt: skip

_SOURCE_REFERENCE = re.compile(
    r"to_(?:\w*raw|\w*calibrated|\w*derived|\w*partially_processed|\w*source|\w*input|\w*telemetry)\w*|derived_from",
    re.I,
)
_NOT_SOURCE = re.compile(
    r"document|browse|context|schema|investigation|target|instrument|ancillary|geometry|spice", re.I
)
_CLASS_REASON = {
    "Product_Bundle": "a bundle: it lists collections, it is no observation",
    "Product_Collection": "a collection: it lists products, it is no observation",
    "Product_SPICE_Kernel": "a SPICE kernel: geometry for other products, no observation",
    "Product_Document": "a document, no observation",
    "Product_Context": "a context product (who and with what), no observation",
    "Product_File_Text": "a text file of the archive, no observation",
    "Product_XML_Schema": "a schema, no observation",
    "Product_Browse": "a browse image of another product, no observation of its own",
    "Product_Thumbnail": "a thumbnail of another product, no observation of its own",
    "Product_Software": "software, no observation",
    "Product_Update": "an update notice, no observation",
    "Product_Zipped": "a packed file, no observation",
    "Product_Metadata_Supplemental": "metadata of other products, no observation of its own",
}
_OTHER_PURPOSE = {"calibration", "engineering", "observation geometry", "checkout", "navigation"}
_HOST_TYPES = {"host", "spacecraft", "rover", "lander"}


def quantity(element: Any) -> Any:
    """Value of an element with its unit, None when empty or nil."""
    word = value(element) if element is not None else None
    if word is None:
        return None
    units = unit(element)
    return Quantity(word, units) if units else word


def component(tree: Tree, types: set[str]) -> list[tuple[str | None, str | None]]:
    """(name, lid reference) of the observing-system components of some types."""
    out = []
    for part in tree.all("Observing_System_Component"):
        names = {local(c).lower(): value(c) for c in part}
        kind = (names.get("type") or names.get("observing_system_component_type") or "").lower()
        if kind in types:
            out.append((names.get("name"), tree.get("lid_reference", below=part)))
    return out


def instrument_names(tree: Tree) -> list[str | None]:
    """Names to try, most specific first: the part of the context lid, the name, the abbreviation in brackets."""
    out: list[str | None] = []
    for name, lid in component(tree, {"instrument", "sensor"}):
        tail = (lid or "").rsplit(":", 1)[-1] if ":instrument" in (lid or "") else ""
        out += [part for part in re.split(r"[.]|__", re.sub(r"^instrument\.", "", tail)) if part]
        out += re.findall(r"\(([A-Za-z0-9\-]+)\)", name or "")
        out.append(name)
    out.append(tree.get("Subject_Area/instrument_name"))
    return [n for n in out if n and not known_platform(n)]


def platform_names(tree: Tree) -> list[str | None]:
    """Names of the host: component, context lid, CaSSIS investigation area, old subject area."""
    out: list[str | None] = []
    for name, lid in component(tree, _HOST_TYPES):
        out.append(name if known_platform(name) else None)
        out.append(re.split(r"[.:]", lid)[-1] if lid and "instrument_host" in lid else None)
        out.append(name)
    out += [tree.get("Instrument_Host_Name"), tree.get("Instrument_Host_Id"), tree.get("instrument_host_name")]
    out.append(tree.get("Investigation_Area/name"))
    known = [n for n in out if n and known_platform(n)]
    return [*known, *(n for n in out if n)]


def references(tree: Tree) -> list[str]:
    """LIDs (without version) of the products this one was made from."""
    out: list[str] = []
    for name in ("lidvid_reference", "lid_reference", "external_source_product_identifier"):
        for element in tree.all(name):
            word = value(element)
            parent = element.getparent()
            if word is None or parent is None or ":context:" in word:
                continue
            kind = (
                next((value(c) for c in parent if local(c).lower().startswith("reference_") and "type" in local(c)), "")
                or ""
            )
            container = local(parent).lower()
            inside = {local(a).lower() for a in element.iterancestors()}
            given = "source_product" in container or "input_product" in inside or name.startswith("external")
            if _NOT_SOURCE.search(kind) or not (given or _SOURCE_REFERENCE.search(kind)):
                continue
            out.append(word.split("::", 1)[0])
    return list(dict.fromkeys(out))


def tree_band(tree: Tree) -> Band | None:
    """Band of the filters named in the imaging area."""
    centers = [nz.wavelength_nm(quantity(e)) for e in tree.all("center_filter_wavelength")]
    widths = [nz.wavelength_nm(quantity(e)) for e in tree.all("bandwidth")]
    name = ", ".join(dict.fromkeys(tree.texts("filter_name"))) or None
    clean = [c for c in centers if c]
    return band(name, clean, [w for w in widths if w] if len(widths) == len(clean) else [])


def tree_place(tree: Tree, body: Body) -> Place | None:
    """Footprint: vertices, track, else the bounding coordinates of the map projection."""
    frame = frame_of(tree.get("longitude_direction"), tree.get("latitude_type"), body)
    lons = [nz.longitude(quantity(e)) for e in tree.all("Pixel_Intercept/pixel_longitude")]
    lats = [nz.latitude(quantity(e)) for e in tree.all("Pixel_Intercept/pixel_latitude")]
    pairs = [(x, y) for x, y in zip(lons, lats, strict=False) if x is not None and y is not None]
    centric = Frame(body=body)
    if len(pairs) >= 4 and len(lons) == len(lats):
        made = (
            corners(pairs, centric, "footprint vertices")
            if len(pairs) == 4
            else ring(pairs, centric, "footprint vertices")
        )
        if made is not None:
            return made
    line = _track(tree, centric)
    return line if line is not None else _bounding(tree, frame)


def _track(tree: Tree, frame: Frame) -> Place | None:
    points = []
    for end in ("start", "stop"):
        lon = nz.longitude(quantity(tree.first(f"{end}_subspacecraft_longitude", f"{end}_sub_spacecraft_longitude")))
        lat = nz.latitude(quantity(tree.first(f"{end}_subspacecraft_latitude", f"{end}_sub_spacecraft_latitude")))
        if lon is None or lat is None:
            return None
        points.append((lon, lat))
    return track(points, frame, "sub-spacecraft track of the label")


def _bounding(tree: Tree, frame: Frame) -> Place | None:
    west, east = (nz.longitude(quantity(tree.first(f"{s}_bounding_coordinate"))) for s in ("west", "east"))
    south, north = (nz.latitude(quantity(tree.first(f"{s}_bounding_coordinate"))) for s in ("south", "north"))
    if west is None or east is None or south is None or north is None:
        return None
    scale, _ = nz.resolution_m(
        quantity(tree.first("pixel_resolution_x")), metres_per_degree=frame.body.metres_per_degree
    )
    samples, lines = _axis(tree, "sample"), _axis(tree, "line")
    return map_box(
        Box(
            west, east, south, north, frame, tree.get("map_projection_name") or "", None,
            nz.latitude(quantity(tree.first("standard_parallel_1"))),
            samples * scale if samples and scale else None, lines * scale if lines and scale else None,
        ),
        "bounding coordinates of the label",
    )  # fmt: skip


def _axis(tree: Tree, name: str) -> float | None:
    for axis in tree.all("Axis_Array"):
        names = {local(c).lower(): value(c) for c in axis}
        if (names.get("axis_name") or "").lower() == name:
            return nz.number(names.get("elements"))
    return None


def _quality(tree: Tree) -> list[str]:
    out = []
    for element in tree.all("Errors/ERROR_BLOCK"):
        word = value(element)
        if word and word.lower() not in ("listing", "none", "no errors"):
            out.append(word[:120])
    return out


def motion_counter(tree: Tree) -> tuple[int | None, int | None]:
    """Site and drive of the rover motion counter; else those of the first coordinate space that has both."""
    for holder in ("Motion_Counter", "Coordinate_Space_Indexed"):
        for block in tree.all(holder):
            names, counts = [], []
            for index in block:
                parts = {local(c).lower(): value(c) for c in index}
                count = nz.number(parts.get("index_value_number"), 0.0)
                if parts.get("index_id") and count is not None:
                    names.append(str(parts["index_id"]))
                    counts.append(count)
            site, drive = site_and_drive(names, counts)
            if site is not None and drive is not None and names:
                return site, drive
    return None, None


def level(tree: Tree) -> str | None:
    """Processing level: as told, else from the collection in the lid (``data_raw``, ``data_calibrated`` …)."""
    told = tree.get(*PDS4_KEYWORDS["processing_level"])
    if told:
        return told
    match = re.search(
        r":(?:data_)?\w*?(raw|partially_processed|processed|calibrated|derived|projected)\w*:",
        tree.get("logical_identifier") or "",
        re.I,
    )
    return match.group(1).replace("_", " ").capitalize() if match else None


def refuse(root: Any, tree: Tree) -> None:
    """Refuse what is no observation: bundles, kernels, documents, calibration and engineering products."""
    name = local(root)
    reason = _CLASS_REASON.get(name)
    if reason:
        raise rejected(reason)
    purposes = {p.lower() for p in tree.texts("Primary_Result_Summary/purpose")}
    if purposes and purposes <= _OTHER_PURPOSE:
        raise rejected(f"purpose {', '.join(sorted(purposes))}: no observation of its own")
    if name == "Product_Ancillary" and "science" not in purposes:
        raise rejected("an ancillary product: it supports other products, no observation of its own")
    kinds = {k.lower() for k in tree.texts("Target_Identification/type")}
    if (
        kinds
        and kinds <= {"calibrator", "calibration", "calibration field"}
        and not is_in_situ(platform(*platform_names(tree)))
    ):
        raise rejected(f"calibration measurement (target {', '.join(tree.texts('Target_Identification/name'))})")


def draft_from(tree: Tree, source: Source) -> Draft:
    """Draft of a PDS4 label."""
    lid = nz.identifier(tree.get("logical_identifier"))
    draft = Draft(lid or "")
    draft.lid = lid
    if lid is None:
        draft.id = source.stem
        told = tree.get("logical_identifier") or "missing"
        draft.warn(f"logical identifier is {told!r}: {draft.id} taken from the file name")
    draft.version = nz.text(tree.get("Identification_Area/version_id", "version_id"))
    draft.platform_names = platform_names(tree)
    draft.instrument_names = instrument_names(tree)
    draft.institution_names = [tree.get("Producer_institution_name"), tree.get("Producer_data/Producer_id")]
    names = tree.texts("Target_Identification/name") or [v for v in [tree.get("Subject_Area/target_name")] if v]
    draft.targets = [target(n) for n in names if not nz.is_null_word(n)]
    draft.body = draft.targets[0] if draft.targets else None
    draft.start = nz.first(nz.time_utc(v) for p in PDS4_KEYWORDS["start"] for v in tree.texts(p))
    draft.stop = nz.first(nz.time_utc(v) for p in PDS4_KEYWORDS["stop"] for v in tree.texts(p))
    draft.ls_label_deg = nz.first(nz.solar_longitude(quantity(tree.first(p))) for p in PDS4_KEYWORDS["ls_label_deg"])
    draft.sol = nz.first(nz.integer(tree.get(p), 0, 100_000) for p in PDS4_KEYWORDS["sol"])
    clocks = [nz.local_time(tree.get(p)) for p in PDS4_KEYWORDS["lmst"]]
    draft.lmst = nz.first(c for _, c in clocks)
    draft.sol = draft.sol if draft.sol is not None else nz.first(s for s, _ in clocks)
    for name in ("incidence_deg", "emission_deg", "phase_deg"):
        setattr(draft, name, nz.angle_deg(quantity(tree.first(*PDS4_KEYWORDS[name]))))
    body = known_body(draft.body or "") or MARS
    draft.resolution_m, note = nz.resolution_m(
        quantity(tree.first(*PDS4_KEYWORDS["resolution_m"])), metres_per_degree=body.metres_per_degree
    )
    if note:
        draft.warn(note)
    draft.band = tree_band(tree)
    draft.place = tree_place(tree, body)
    draft.quality_flags = _quality(tree)
    draft.derived_from = references(tree)
    draft.level = level(tree)
    draft.title = nz.text(tree.get("Identification_Area/title", "title"), 300)
    words = nz.text(tree.get("Primary_Result_Summary/description"), 400)
    draft.rationale = words if words and "summary of results" not in words.lower() else None
    draft.meta.update(
        {
            "aliases": tree.texts("Alias/alternate_id"), "mission_phase": tree.get("mission_phase_name"),
            "local_true_solar_time": nz.local_time(tree.get("Time_Coordinates/local_true_solar_time"))[1],
            "orbit_number": nz.integer(tree.get("start_orbit_number", "orbit_number")),
            "map_projection": tree.get("map_projection_name"), "product_class": local(tree.root),
        }
    )  # fmt: skip
    return draft


def missing(draft: Draft) -> list[str]:
    """What a complete observation would have had."""
    out = []
    if not draft.instrument_names:
        out.append("instrument")
    if not draft.platform_names:
        out.append("platform")
    if draft.start is None:
        out.append("start time")
    return out


def check_mission(draft: Draft) -> None:
    """A product older than its lander is not the lander's: platform and instrument are left out, and said so."""
    from ...planet.missions import find_mission

    mission = find_mission(MISSION_OF.get(platform(*draft.platform_names) or "", "")) if draft.start else None
    if mission is not None and draft.start is not None and draft.start < mission.landed - timedelta(days=400):
        draft.problems.append(
            f"the label names {mission.title}, but its time {draft.start:%Y-%m-%d} is before that mission: platform and"
            " instrument left out"
        )
        draft.platform_names, draft.instrument_names, draft.sol = [], [], None


def data_files(tree: Tree, source: Source, context: Context) -> list[Path]:
    """Data files the label names, beside it."""
    found = [context.resolve(source.path, name) for name in tree.texts("File/file_name")[:200]]
    return list(dict.fromkeys(p for p in found if p is not None))


class Pds4Family:
    """A PDS4 family; the base class itself is the generic fallback."""

    name = "pds4-generic"
    title = "any other PDS4 label"
    keywords: Mapping[str, tuple[str, ...]] = PDS4_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Every PDS4 label."""
        return source.kind == "pds4"

    def adjust(self, draft: Draft, tree: Tree, source: Source, context: Context) -> None:
        """Say what is missing; place surface products."""
        lacks = missing(draft)
        if lacks:
            draft.problems.append(f"the label does not tell {', '.join(lacks)}")
        words = (draft.title or "") + " " + (draft.lid or "")
        if re.search(r"\bmosaic\b|\bDTM\b|terrain model|mineral map|digital elevation", words, re.I):
            draft.kind = "derived"

    def read(self, source: Source, context: Context) -> Result:
        """One observation of the label."""
        tree = source.tree
        refuse(tree.root, tree)
        draft = draft_from(tree, source)
        check_mission(draft)
        files = data_files(tree, source, context)
        self.adjust(draft, tree, source, context)
        return single(draft, source, context, files)


class Rover4(Pds4Family):
    """M2020, MSL, InSight and other landers: place by motion counter, real targets, calibration targets."""

    name = "rover-pds4"
    title = "Mars 2020, MSL, InSight and other landers (PDS4)"

    def accepts(self, source: Source) -> bool:
        """A PDS4 label whose host works on the surface."""
        return source.kind == "pds4" and is_in_situ(platform(*platform_names(source.tree)))

    def adjust(self, draft: Draft, tree: Tree, source: Source, context: Context) -> None:
        """Targets of the geometry area, the rover's place, a table's own positions."""
        super().adjust(draft, tree, source, context)
        if platform(*draft.platform_names) is None:
            return
        draft.kind = "insitu"
        if draft.body is not None and known_body(draft.body) is None and draft.place is None:
            draft.body = "Mars" if "calib" in draft.body.lower() else draft.body
        self._targets(draft, tree)
        from .rimfax import place_from_table

        from_lid = re.search(r":rimfax_rdr_(\d{4})\b", draft.lid or "")
        if draft.sol is None and from_lid:
            draft.sol = int(from_lid.group(1))
        if not place_from_table(draft, data_files(tree, source, context)):
            if draft.place is None or not str(draft.place.source).startswith("footprint"):
                draft.place = None
            place_rover(draft, context, *motion_counter(tree))

    @staticmethod
    def _targets(draft: Draft, tree: Tree) -> None:
        named = [
            t
            for p in ("Derived_Geometry/target_name", "calibration_target_name", "target_name", "feature_name")
            for t in tree.texts(p)
        ]
        extra = [t for t in dict.fromkeys(named) if t.lower() != (draft.body or "").lower() and not nz.is_null_word(t)]
        extra += [t for t in named_targets(draft.rationale) if t not in extra]
        calibration = [t for t in extra if is_calibration_target(t)] or tree.texts("calibration_target_name")
        if (
            calibration
            or is_calibration_target(draft.rationale)
            or re.search(r"_scct_|_cct_|caltarget", draft.id, re.I)
        ):
            draft.quality_flags.append("calibration target")
            draft.warn(
                f"the label's target is {draft.body or 'not told'}, what was measured is a calibration target"
                + (f": {', '.join(calibration)}" if calibration else "")
            )
            draft.targets = extra or ["Calibration target"]
            return
        draft.targets += [t for t in extra if t not in draft.targets]
