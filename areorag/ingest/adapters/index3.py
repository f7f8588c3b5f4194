"""Index tables (PDS3): every row is an observation. CTX's longitudes grow westwards without a keyword saying so.

Rows are read one at a time and finished in batches, so that seasons are computed for many rows at once and an index
of any length needs the memory of one batch and of its observations (METHODS §1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import LabelError, RejectedFileError
from ...graph.model import Observation
from ...planet.bodies import MARS
from .. import normalise as nz
from ..draft import Draft, Season, band, known_body
from ..footprint import Box, Frame, Place, corners, map_box, spot
from ..names import fold, target
from ..readers.odl import Block
from ..readers.structure import missing_structures
from ..readers.tables import Table, describe, iter_rows, pointer, tables_in
from .base import Context, Result, Source, complete, rejected
from .orbiters3 import id_position
from .view import View

BATCH = 1000
INDEX_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("PRODUCT_ID", "IMAGE_ID", "FILE_SPECIFICATION_NAME", "FILE_NAME"),
    "platform": ("INSTRUMENT_HOST_ID", "INSTRUMENT_HOST_NAME", "SPACECRAFT_NAME"),
    "instrument": ("INSTRUMENT_ID", "INSTRUMENT_NAME"),
    "institution": ("PRODUCER_INSTITUTION_NAME", "PRODUCER_ID"),
    "start": ("START_TIME", "IMAGE_TIME", "OBSERVATION_START_TIME", "OBSERVATION_TIME"),
    "stop": ("STOP_TIME",),
    "ls_label_deg": ("SOLAR_LONGITUDE",),
    "incidence_deg": ("INCIDENCE_ANGLE",),
    "emission_deg": ("EMISSION_ANGLE",),
    "phase_deg": ("PHASE_ANGLE",),
    "resolution_m": ("SCALED_PIXEL_WIDTH", "MAP_SCALE", "PIXEL_SCALE", "IMAGE_RESOLUTION"),
    "band.name": ("FILTER_NAME",),
    "footprint.corners": (
        "UPPER_LEFT_LONGITUDE", "UPPER_RIGHT_LONGITUDE", "LOWER_RIGHT_LONGITUDE", "LOWER_LEFT_LONGITUDE",
        "UPPER_LEFT_LATITUDE", "UPPER_RIGHT_LATITUDE", "LOWER_RIGHT_LATITUDE", "LOWER_LEFT_LATITUDE",
    ),
    "footprint.corners (numbered)": (
        "CORNER1_LONGITUDE", "CORNER2_LONGITUDE", "CORNER3_LONGITUDE", "CORNER4_LONGITUDE",
        "CORNER1_LATITUDE", "CORNER2_LATITUDE", "CORNER3_LATITUDE", "CORNER4_LATITUDE",
    ),
    "footprint.box": ("WESTERNMOST_LONGITUDE", "EASTERNMOST_LONGITUDE", "MINIMUM_LATITUDE", "MAXIMUM_LATITUDE"),
    "position": ("CENTER_LONGITUDE", "CENTER_LATITUDE", "IMAGE_CENTER_LONGITUDE", "IMAGE_CENTER_LATITUDE"),
    "sol": ("PLANET_DAY_NUMBER",),
    "lmst": ("LOCAL_MEAN_SOLAR_TIME",),
    "targets": ("TARGET_NAME",),
    "quality_flags": ("DATA_QUALITY_DESC", "DATA_QUALITY_ID", "USAGE_NOTE"),
    "derived_from": ("ORIGINAL_PRODUCT_ID", "SOURCE_PRODUCT_ID"),
    "processing_level": ("DATA_SET_ID", "PRODUCT_TYPE"),
    "product.version": ("PRODUCT_VERSION_ID",),
    "text": ("RATIONALE_DESC", "NOTE"),
}  # fmt: skip
_IDS = INDEX_KEYWORDS["id"]


def frame_of_table(block: Block, header: View, sample: list[Mapping[str, Any]]) -> Frame:
    """Sense of longitude and kind of latitude of an index table.

    A keyword decides; else the column descriptions; else the product ids, which carry the west longitude of the
    image; else the camera team's convention (CTX and MOC: west, areographic).
    """
    words = " ".join(str(c.get("DESCRIPTION") or "") for c in block.blocks("COLUMN") if _is_coordinate(c)).lower()
    direction = (header.text("POSITIVE_LONGITUDE_DIRECTION") or "").upper()
    kind = (header.text("COORDINATE_SYSTEM_NAME") or "").upper()
    graphic = "GRAPHIC" in kind or ("graphic" in words and "centric" not in words)
    if direction:
        return Frame("WEST" in direction, graphic)
    votes = [v for v in (_vote(row) for row in sample) if v is not None]
    if votes:
        return Frame(sum(votes) * 2 > len(votes), graphic)
    if "east longitude" in words or "west longitude" in words:
        return Frame("west longitude" in words, graphic)
    cameras = {fold(str(row.get("INSTRUMENT_ID") or header.text("INSTRUMENT_ID") or "")) for row in sample}
    return Frame(bool(cameras & {"ctx", "moc", "moc na", "moc wa", "marci"}), graphic)


def _is_coordinate(column: Block) -> bool:
    name = str(column.get("NAME") or "").upper()
    return ("LONGITUDE" in name or "LATITUDE" in name) and "SUB_" not in name and "SOLAR" not in name


def _vote(row: Mapping[str, Any]) -> bool | None:
    """True where the row's longitude is west by its product id, False where east, None where the id does not tell."""
    found = id_position(str(row.get("PRODUCT_ID") or ""))
    lon = nz.longitude(row.get("CENTER_LONGITUDE"))
    if found is None or lon is None:
        return None
    east = abs((lon - found[0] + 180.0) % 360.0 - 180.0)
    west = abs((-lon - found[0] + 180.0) % 360.0 - 180.0)
    return None if abs(east - west) < 4.0 else west < east


def _get(row: Mapping[str, Any], header: View, key: str) -> Any:
    for name in INDEX_KEYWORDS[key]:
        value = row.get(name)
        if value is not None and nz.items(value):
            return value
    return header.raw(next((n for n in INDEX_KEYWORDS[key] if header.has(n)), "")) if key in _FROM_HEADER else None


_FROM_HEADER = {"platform", "instrument", "institution", "targets", "processing_level"}


def _place(row: Mapping[str, Any], frame: Frame) -> Place | None:
    for names in (INDEX_KEYWORDS["footprint.corners"], INDEX_KEYWORDS["footprint.corners (numbered)"]):
        lons = [nz.longitude(row.get(n)) for n in names[:4]]
        lats = [nz.latitude(row.get(n)) for n in names[4:]]
        pairs = [(x, y) for x, y in zip(lons, lats, strict=True) if x is not None and y is not None]
        if len(pairs) == 4 and len(set(pairs)) > 1:
            return corners(pairs, frame, "corner coordinates of the index table")
    west, east = nz.longitude(row.get("WESTERNMOST_LONGITUDE")), nz.longitude(row.get("EASTERNMOST_LONGITUDE"))
    south, north = nz.latitude(row.get("MINIMUM_LATITUDE")), nz.latitude(row.get("MAXIMUM_LATITUDE"))
    if west is not None and east is not None and south is not None and north is not None:
        return map_box(Box(west, east, south, north, frame), "bounding box of the index table")
    names = INDEX_KEYWORDS["position"]
    for lon_name, lat_name in ((names[0], names[1]), (names[2], names[3])):
        lon, lat = nz.longitude(row.get(lon_name)), nz.latitude(row.get(lat_name))
        if lon is not None and lat is not None:
            return spot(lon, lat, frame, "centre coordinates of the index table")
    return None


def row_draft(row: Mapping[str, Any], header: View, frame: Frame, source: Source, number: int) -> Draft | None:
    """Draft of one row, or None where it names no product."""
    identifier = nz.identifier(_get(row, header, "id"))
    if identifier is None:
        return None
    if "/" in identifier and row.get("PRODUCT_ID") is None:
        identifier = re.sub(r"\.\w{2,4}$", "", identifier.rsplit("/", 1)[-1])
    draft = Draft(identifier)
    draft.platform_names = [nz.text(row.get(n)) or header.text(n) for n in INDEX_KEYWORDS["platform"]]
    draft.instrument_names = [nz.text(row.get(n)) or header.text(n) for n in INDEX_KEYWORDS["instrument"]]
    draft.institution_names = [header.text(n) for n in INDEX_KEYWORDS["institution"]]
    draft.start = nz.time_utc(_get(row, header, "start"))
    draft.stop = nz.time_utc(_get(row, header, "stop"))
    draft.ls_label_deg = nz.solar_longitude(_get(row, header, "ls_label_deg"))
    draft.incidence_deg = nz.angle_deg(_get(row, header, "incidence_deg"))
    draft.emission_deg = nz.angle_deg(_get(row, header, "emission_deg"))
    draft.phase_deg = nz.angle_deg(_get(row, header, "phase_deg"))
    draft.targets = [target(t) for t in nz.texts(_get(row, header, "targets"))]
    draft.body = draft.targets[0] if draft.targets else None
    draft.sol = nz.integer(row.get("PLANET_DAY_NUMBER"), 0, 100_000)
    draft.lmst = nz.local_time(row.get("LOCAL_MEAN_SOLAR_TIME"))[1]
    body = known_body(draft.body or "") or MARS
    draft.resolution_m = nz.number(_get(row, header, "resolution_m"), 1e-4, 1e6)
    filters = nz.texts(_get(row, header, "band.name"))
    if filters:
        draft.band = band(", ".join(filters))
    elif fold(draft.instrument_names[0] or "") == "ctx":
        draft.band = band("panchromatic", None, None, 500.0, 700.0)
    draft.place = _place(row, Frame(frame.west, frame.graphic, body))
    for name in INDEX_KEYWORDS["quality_flags"]:
        word = nz.text(row.get(name))
        if word and word.upper() not in {"OK", "N", "NOMINAL", "GOOD", "0"}:
            draft.quality_flags.append(f"USAGE_NOTE {word}" if name == "USAGE_NOTE" else word)
    draft.derived_from = [w for n in INDEX_KEYWORDS["derived_from"] for w in nz.texts(row.get(n)) if nz.identifier(w)]
    data_set = nz.text(row.get("DATA_SET_ID")) or header.text("DATA_SET_ID")
    match = re.search(r"-(\d(?:/\d)?)-([A-Z][A-Z0-9]*)", data_set or "")
    draft.level = f"{match.group(2)} (CODMAC {match.group(1)})" if match else nz.text(row.get("PRODUCT_TYPE"))
    draft.version = nz.text(row.get("PRODUCT_VERSION_ID"))
    draft.rationale = nz.text(_get(row, header, "text"), 400)
    draft.meta = {
        "data_set_id": data_set, "orbit_number": nz.integer(row.get("ORBIT_NUMBER")), "row": number,
        "observation_id": nz.text(row.get("OBSERVATION_ID")), "volume_id": nz.text(row.get("VOLUME_ID")),
        "mission_phase": nz.text(row.get("MISSION_PHASE_NAME")), "filters": filters,
    }  # fmt: skip
    return draft


def seasons(drafts: list[Draft]) -> list[Season | None]:
    """L_s and Mars Year of every draft's start, computed together."""
    from ...planet.marstime import cumulative_ls_unix, msd_unix

    known = [i for i, d in enumerate(drafts) if d.start is not None]
    out: list[Season | None] = [None] * len(drafts)
    if known:
        unix = np.array([drafts[i].start.timestamp() for i in known])  # type: ignore[union-attr]
        for i, total, msd in zip(known, cumulative_ls_unix(unix), msd_unix(unix), strict=True):
            out[i] = Season(float(total % 360.0), int(total // 360.0), float(msd))
    return out


class IndexTable:
    """A PDS3 label of an index or table whose rows name products."""

    name = "index"
    title = "Index tables (PDS3): CTX, MOC, HiRISE, MER EDR and others"
    keywords: Mapping[str, tuple[str, ...]] = INDEX_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """A label without a product of its own whose table has a column that names products."""
        if source.kind != "pds3":
            return False
        root = source.label.root
        own = root.get("PRODUCT_ID")
        if own is not None and "INDEX" not in str(own).upper():
            return False
        return any(_index_block(b) or _without_columns(b) for b in tables_in(root))

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each row."""
        root = source.label.root
        block = next((b for b in tables_in(root) if _index_block(b)), None)
        if block is None:
            lost = ", ".join(missing_structures(root))
            raise rejected(
                f"index label: its columns are in {lost}, which is neither beside the label nor in a LABEL folder"
            )
        table = describe(block)
        name, offset = pointer(root, block.name)
        path = context.resolve(source.path, name or "")
        if path is None:
            raise rejected(f"index label: its table {name or '(none named)'} is not in the ingest root")
        header = source.view
        result = Result(companions=[path])
        result.batches = self._batches(result, table, block, path, offset, header, source, context)
        return result

    def _batches(
        self, result: Result, table: Table, block: Block, path: Path, offset: int, header: View, source: Source,
        context: Context,
    ) -> Iterator[list[Observation]]:  # fmt: skip
        """Observations of up to `BATCH` rows at a time; status and reason of the result once all are read."""
        problems: list[str] = []
        found = False
        try:
            for batch in self._rows(table, block, path, offset, header, source, context, problems):
                found = found or bool(batch)
                yield batch
        except LabelError as exc:
            raise rejected(f"index label: {exc}") from exc
        problems += [w for w in table.warnings if "rows are in the file" in w]
        problems += source.label.problems
        problems += [w for w in source.label.warnings if "structure file" in w]
        if not found:
            raise rejected("index table without a row that names a product")
        if problems:
            more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
            result.status, result.reason = "partial", "; ".join(problems[:5]) + more
        elif table.warnings:
            result.reason = "; ".join(table.warnings)

    @staticmethod
    def _rows(
        table: Table, block: Block, path: Path, offset: int, header: View, source: Source, context: Context,
        problems: list[str],
    ) -> Iterator[list[Observation]]:  # fmt: skip
        rows: Iterator[tuple[int, dict[str, Any]]] = iter_rows(table, path, offset)
        frame: Frame | None = None
        seen: set[str] = set()
        while batch := list(islice(rows, BATCH)):
            if frame is None:
                frame = frame_of_table(block, header, [r for _, r in batch[:200]])
            drafts, out = [], []
            for number, row in batch:
                draft = row_draft(row, header, frame, source, number)
                if draft is None:
                    problems.append(f"row {number} names no product")
                    continue
                if draft.id in seen:
                    draft.warn(f"product id occurs twice in the index (row {number})")
                    draft.id = f"{draft.id}#{number}"
                seen.add(draft.id)
                drafts.append(draft)
            for draft, computed in zip(drafts, seasons(drafts), strict=True):
                for note in source.label.warnings[:3]:
                    draft.warn(note)
                try:
                    out.append(complete(draft, source, context, computed))
                except RejectedFileError as exc:
                    table.warnings.append(f"{draft.id} left out: {exc}")
            yield out


def _without_columns(block: Block) -> bool:
    """An index whose columns are in a structure file that is not there."""
    return "INDEX" in block.name.upper() and bool(missing_structures(block)) and not any(block.blocks("COLUMN"))


def _index_block(block: Block) -> bool:
    columns = {str(c.get("NAME") or "").upper() for c in block.blocks("COLUMN")}
    return bool(columns & set(_IDS)) and ("PRODUCT_ID" in columns or "INDEX" in block.name.upper())
