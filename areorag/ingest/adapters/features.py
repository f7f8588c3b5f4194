"""Ada_orbital: footprints as GeoJSON and GeoPackage, ODE replies (REST, web export), STAC items (AreoRAG §III-B).

All of them are records with a geometry; one function turns a record into a draft, each adapter says which record keys
feed which field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import LabelError, RejectedFileError
from ...graph.model import Observation
from ...planet.bodies import MARS
from .. import normalise as nz
from ..draft import Draft, band, known_body
from ..footprint import EAST_CENTRIC, Frame, Place, given, spot
from ..names import MISSION_OF, target
from .base import Context, Result, Source, complete, rejected
from .index3 import seasons
from .localisation import is_localisation, mission_near
from .rover3 import is_calibration_target, place_rover

ODE_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("pdsid", "PRODUCT_ID", "PRODUCT_LID_(IF_PDS4)"),
    "platform": ("ihid", "INSTRUMENT_HOST_ID"),
    "instrument": ("iid", "INSTRUMENT_ID"),
    "institution": ("Producer_id",),
    "start": ("UTC_start_time", "Observation_time", "OBSERVATION_TIME"),
    "stop": ("UTC_stop_time",),
    "ls_label_deg": ("Solar_longitude",),
    "incidence_deg": ("Incidence_angle",),
    "emission_deg": ("Emission_angle",),
    "phase_deg": ("Phase_angle",),
    "resolution_m": ("Map_scale",),
    "footprint.geometry": ("Footprint_C0_geometry", "Footprint_GL_geometry", "Footprint_geometry"),
    "position": ("Center_longitude", "Center_latitude", "CENTER_LONGITUDE_(IF_AVAILABLE)",
                 "CENTER_LATITUDE_(IF_AVAILABLE)"),
    "targets": ("Target_name",),
    "processing_level": ("Data_Set_Id", "pt", "ODE_TYPE_ABBREVIATION", "TYPE"),
    "product.version": ("Product_version_id",),
    "text": ("Comment", "PRODUCT_TITLE_(IF_PDS4)"),
}  # fmt: skip
FEATURE_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "pdsid", "PRODUCT_ID", "product_id", "idFromProvider", "EDR_NAME", "ProductId", "name_of_product"),
    "platform": ("mission", "instrumentHostName", "ihid", "INSTRUMENT_HOST_ID", "spacecraftId"),
    "instrument": ("inst", "instrumentId", "iid", "INSTRUMENT_ID", "instrument", "SEQID"),
    "institution": ("producer", "Producer_id"),
    "start": ("UTC_start_time", "startTime", "start_time", "START_TIME", "Observation_time", "datetime", "SCLK"),
    "stop": ("UTC_stop_time", "stopTime", "end_time", "stop_time", "STOP_TIME"),
    "ls_label_deg": ("Solar_longitude", "solar_longitude", "SOLAR_LONGITUDE", "Ls"),
    "incidence_deg": ("Incidence_angle", "INCIDENCE_ANGLE"),
    "emission_deg": ("Emission_angle", "EMISSION_ANGLE"),
    "phase_deg": ("Phase_angle", "PHASE_ANGLE"),
    "resolution_m": ("Map_scale", "map_scale", "MAP_SCALE", "gsd"),
    "footprint.geometry": ("geometry",),
    "position": ("Center_longitude", "Center_latitude"),
    "targets": ("Target_name", "targetName", "TARGET_NAME", "target", "TARGET", "TARGET_MSL"),
    "sol": ("sol", "Sol"),
    "lmst": ("LMST", "lmst"),
    "processing_level": ("type", "observationMode", "pt", "EDR_TYPE"),
    "text": ("description", "Comment", "COMMENTS", "title", "OBS_TYPE"),
}  # fmt: skip
STAC_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "platform": ("properties.mission", "properties.platform"),
    "instrument": ("properties.instruments",),
    "start": ("properties.start_datetime", "properties.datetime"),
    "stop": ("properties.end_datetime",),
    "resolution_m": ("properties.gsd", "properties.proj:transform"),
    "footprint.geometry": ("geometry", "bbox"),
    "targets": ("properties.ssys:targets",),
    "derived_from": ("links[rel=derived_from].href",),
    "product.version": ("properties.version",),
    "text": ("properties.title", "properties.description"),
}  # fmt: skip
_LEVELS = {"EDR": "EDR", "RDR": "RDR", "REFDR": "RDR", "DDR": "DDR", "DTM": "DTM", "MTRDR": "RDR", "TRDR": "RDR"}


def pick(record: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """First non-null value of a record at any of the keys."""
    for key in keys:
        value = record.get(key)
        if value is not None and (not isinstance(value, str) or not nz.is_null_word(value)):
            return value
    return None


def level_of(code: str | None) -> str | None:
    """``RDRV11`` is RDR, ``REFDR3`` RDR (map-projected), ``EDR`` EDR; anything else is kept."""
    if not code:
        return None
    upper = code.upper()
    for word in ("REFDR", "MTRDR", "TRDR", "MRDR", "DDR", "EDR", "RDR", "DTM"):
        if word in upper:
            return f"{_LEVELS.get(word, word)} ({code})" if code.upper() != word else word
    return code


def record_draft(record: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]], fallback_id: str) -> Draft:
    """Draft of a flat record by an adapter's keys (place left to the caller)."""
    identifier = nz.identifier(pick(record, keys["id"]))
    draft = Draft(identifier or fallback_id)
    if identifier is None:
        draft.problems.append("no product id in the record: file name and position are used")
    draft.platform_names = [nz.text(record.get(k)) for k in keys.get("platform", ())]
    draft.instrument_names = [nz.text(record.get(k)) for k in keys.get("instrument", ())]
    draft.institution_names = [nz.text(record.get(k)) for k in keys.get("institution", ())]
    draft.start = nz.first(nz.time_utc(record.get(k)) for k in keys["start"])
    draft.stop = nz.first(nz.time_utc(record.get(k)) for k in keys.get("stop", ()))
    if _zoned(pick(record, keys["start"])) != _zoned(pick(record, keys.get("stop", ()))):
        draft.meta["zones_differ"] = True
    draft.ls_label_deg = nz.first(nz.solar_longitude(record.get(k)) for k in keys.get("ls_label_deg", ()))
    for name in ("incidence_deg", "emission_deg", "phase_deg"):
        setattr(draft, name, nz.first(nz.angle_deg(record.get(k)) for k in keys.get(name, ())))
    names = nz.texts(pick(record, keys.get("targets", ())))
    draft.targets = [target(n) for n in names]
    draft.body = draft.targets[0] if draft.targets and known_body(draft.targets[0]) else None
    body = known_body(draft.body or "") or MARS
    scale = pick(record, keys.get("resolution_m", ()))
    draft.resolution_m, note = nz.resolution_m(nz.number(scale), "m/pixel", metres_per_degree=body.metres_per_degree)
    if note:
        draft.warn(note)
    code = nz.text(pick(record, keys.get("processing_level", ())))
    match = re.search(r"-(\d(?:/\d)?)-([A-Z][A-Z0-9]*)", code or "")
    draft.level = f"{match.group(2)} (CODMAC {match.group(1)})" if match else level_of(code)
    draft.version = nz.text(pick(record, keys.get("product.version", ())))
    draft.sol = nz.integer(pick(record, keys.get("sol", ())), 0, 100_000)
    draft.lmst = nz.local_time(pick(record, keys.get("lmst", ())))[1]
    draft.rationale = nz.text(pick(record, keys.get("text", ())), 400)
    if re.search(r"\bDTM\b|MOSAIC|MRDR|MEGDR", f"{code} {draft.id}".upper()):
        draft.kind = "derived"
    if any((n or "").upper() == "CTX" for n in draft.instrument_names):
        draft.band = band("panchromatic", None, None, 500.0, 700.0)
    return draft


def _zoned(value: Any) -> bool:
    return bool(re.search(r"T\d.*(?:Z|[+-]\d{2}:?\d{2})$", str(value)))


def center_place(
    record: Mapping[str, Any], keys: tuple[str, ...], source: str, frame: Frame = EAST_CENTRIC
) -> Place | None:
    """A point from centre coordinates, or None."""
    for lon_key, lat_key in zip(keys[::2], keys[1::2], strict=True):
        lon, lat = nz.longitude(record.get(lon_key)), nz.latitude(record.get(lat_key))
        if lon is not None and lat is not None:
            return spot(lon, lat, frame, source)
    return None


def collect(drafts: list[Draft], source: Source, context: Context) -> Result:
    """Result of a file with many records: ids made unique, seasons computed together."""
    seen: dict[str, int] = {}
    observations: list[Observation] = []
    problems: list[str] = []
    for draft, computed in zip(drafts, seasons(drafts), strict=True):
        seen[draft.id] = seen.get(draft.id, 0) + 1
        if seen[draft.id] > 1:
            draft.warn(f"product id {draft.id} occurs more than once in the file")
            draft.id = f"{draft.id}#{seen[draft.id]}"
        problems += [f"{draft.id}: {p}" for p in draft.problems]
        try:
            observations.append(complete(draft, source, context, computed))
        except RejectedFileError as exc:
            problems.append(f"{draft.id}: {exc}")
    if not observations:
        raise rejected("; ".join(problems[:3]) or "no record that is an observation")
    status = "partial" if problems else "ok"
    more = f" and {len(problems) - 5} more" if len(problems) > 5 else ""
    return Result(observations, "partial" if status == "partial" else "ok", "; ".join(problems[:5]) + more or None)


class OdeRest:
    """Product replies of the Orbital Data Explorer's REST interface."""

    name = "ode-rest"
    title = "ODE REST replies (JSON)"
    keywords: Mapping[str, tuple[str, ...]] = ODE_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """A JSON object with ODEResults."""
        return source.kind == "json" and b'"ODEResults"' in source.head and isinstance(source.json, dict)

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each product; one product comes as an object, several as a list."""
        results = source.json.get("ODEResults")
        products = (results or {}).get("Products") if isinstance(results, dict) else None
        products = products.get("Product") if isinstance(products, dict) else None
        records = products if isinstance(products, list) else [products] if isinstance(products, dict) else []
        if not records:
            raise rejected("ODE reply without products")
        drafts = [self._draft(r, f"{source.stem}#{i}") for i, r in enumerate(records, 1) if isinstance(r, dict)]
        return collect(drafts, source, context)

    def _draft(self, record: dict[str, Any], fallback: str) -> Draft:
        draft = record_draft(record, ODE_KEYWORDS, fallback)
        for key in ODE_KEYWORDS["footprint.geometry"]:
            text = nz.text(record.get(key), 2_000_000)
            if text and "EMPTY" not in text.upper():
                draft.place = given(text, f"ODE {key}")
                if draft.place is not None:
                    break
        if draft.place is None:
            draft.place = center_place(record, ODE_KEYWORDS["position"], "ODE centre coordinates")
        notes = record.get("ODE_notes")
        notes = notes.get("ODE_note") if isinstance(notes, dict) else notes
        draft.meta.update(
            {"data_set_id": nz.text(record.get("Data_Set_Id")), "ode_notes": len(notes) if isinstance(notes, list) else None,
             "footprint_of_ode": nz.text(record.get("Footprint_souce")), "product_type": nz.text(record.get("pt"))}
        )  # fmt: skip
        return draft


class OdeExport:
    """Search results of the ODE web page: column-oriented JSON, or its text export."""

    name = "ode-export"
    title = "ODE web export (JSON, text)"
    keywords: Mapping[str, tuple[str, ...]] = ODE_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """The page's column names."""
        if source.kind == "ode-text":
            return True
        return (
            source.kind == "json"
            and b'"INSTRUMENT_HOST_ID"' in source.head
            and b"IF_AVAILABLE" in source.head + _tail(source)
        )

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each row; only the centre of a product is given."""
        drafts = []
        for i, record in enumerate(self._records(source), 1):
            draft = record_draft(record, ODE_KEYWORDS, f"{source.stem}#{i}")
            draft.place = center_place(record, ODE_KEYWORDS["position"], "ODE centre coordinates")
            draft.meta["ode_type"] = nz.text(record.get("TYPE"))
            draft.lid = nz.identifier(record.get("PRODUCT_LID_(IF_PDS4)"))
            if draft.body is None and "/mars/" in json.dumps(record)[:4000].lower():
                draft.body, draft.targets = "Mars", ["Mars"]
            drafts.append(draft)
        if not drafts:
            raise rejected("ODE export without rows")
        return collect(drafts, source, context)

    @staticmethod
    def _records(source: Source) -> Iterator[dict[str, Any]]:
        if source.kind == "json":
            yield from columns_to_rows(source.json)
            return
        header: list[str] | None = None
        for line in source.text().splitlines():
            cells = [c.strip() for c in re.split(r",\t|\t", line)]
            if line.startswith("#"):
                if "INSTRUMENT HOST ID" in line:
                    header = [c.lstrip("#").strip().replace(" ", "_") for c in cells]
                continue
            if header and len(cells) >= 5:
                yield dict(zip(header, cells, strict=False))


def _tail(source: Source) -> bytes:
    try:
        with source.path.open("rb") as stream:
            return stream.read(4 << 20)
    except OSError:
        return b""


def columns_to_rows(document: Any) -> Iterator[dict[str, Any]]:
    """Rows of column-oriented JSON ``{"PRODUCT_ID": {"353": …}, …}``; also of a list of objects."""
    if isinstance(document, list):
        yield from (d for d in document if isinstance(d, dict))
        return
    if not isinstance(document, dict):
        return
    columns = {k: v for k, v in document.items() if isinstance(v, dict)}
    keys: list[str] = []
    for column in columns.values():
        keys += [k for k in column if k not in keys] if not keys else []
    for key in keys:
        yield {name: column.get(key) for name, column in columns.items()}


class Stac:
    """STAC items and item collections with the solar-system extension; catalogs and collections are no observations."""

    name = "stac"
    title = "STAC items (ssys extension)"
    keywords: Mapping[str, tuple[str, ...]] = STAC_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """JSON with a stac_version."""
        return source.kind == "json" and b'"stac_version"' in _tail(source) and isinstance(source.json, dict)

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each item."""
        document = source.json
        kind = document.get("type")
        if kind in ("Catalog", "Collection"):
            raise rejected(f"a STAC {kind.lower()}: it lists items, it is no observation")
        features = document.get("features") if kind == "FeatureCollection" else [document]
        items = [f for f in features or [] if isinstance(f, dict)]
        if not items:
            raise rejected("STAC document without items")
        return collect([self._draft(f, f"{source.stem}#{i}") for i, f in enumerate(items, 1)], source, context)

    def _draft(self, feature: dict[str, Any], fallback: str) -> Draft:
        try:
            item = _stac_item(feature)
        except LabelError as exc:
            item = feature
            note: str | None = str(exc)
        else:
            note = None
        properties = dict(item.get("properties") or {})
        record = {**properties, "id": item.get("id")}
        draft = record_draft(record, _STAC_FLAT, fallback)
        if note:
            draft.warn(note)
        targets = nz.texts(properties.get("ssys:targets"))
        draft.targets = [target(t) for t in targets]
        draft.body = draft.targets[0] if draft.targets else None
        draft.instrument_names = [p.strip() for n in nz.texts(properties.get("instruments")) for p in n.split(",")]
        draft.platform_names = [
            p.strip() for k in ("mission", "platform") for p in (nz.text(properties.get(k)) or "").split(",")
        ]
        draft.meta.pop("zones_differ", None)
        draft.place = given(item.get("geometry"), "STAC geometry") if item.get("geometry") else None
        if draft.place is None:
            draft.problems.append("no usable geometry in the item")
        self._time(draft, properties)
        self._describe(draft, properties, item)
        return draft

    @staticmethod
    def _time(draft: Draft, properties: Mapping[str, Any]) -> None:
        """start/end first; a datetime at which the item itself was written is no observation time."""
        draft.start = nz.time_utc(properties.get("start_datetime"))
        draft.stop = nz.time_utc(properties.get("end_datetime"))
        moment = nz.time_utc(properties.get("datetime"))
        if draft.start is not None or moment is None:
            return
        made = [nz.time_utc(properties.get(k)) for k in ("created", "updated")]
        close = any(m is not None and abs((m - moment).total_seconds()) < 86_400 for m in made)
        within = all(made) and min(m for m in made if m) <= moment <= max(m for m in made if m)
        if close or within:
            draft.warn("datetime is when the item was written, not when it was observed: left out")
        else:
            draft.start = moment

    @staticmethod
    def _describe(draft: Draft, properties: Mapping[str, Any], item: Mapping[str, Any]) -> None:
        title = nz.text(properties.get("title"), 300)
        draft.title = title
        words = f"{draft.id} {title or ''} {item.get('collection') or ''} {properties.get('description') or ''}"
        if re.search(r"mosaic|dtm|dem\b|radius|topograph|projected", words, re.I):
            draft.kind = "derived"
            draft.level = draft.level or "derived"
        if re.search(r"mola", words, re.I) and not any(draft.instrument_names):
            draft.instrument_names, draft.platform_names = ["MOLA"], ["MGS"]
        if draft.resolution_m is None:
            draft.resolution_m = _transform_scale(properties)
        for link in item.get("links") or []:
            if isinstance(link, dict) and link.get("rel") == "derived_from" and link.get("href"):
                draft.derived_from.append(re.sub(r"\.json$", "", str(link["href"]).rstrip("/").rsplit("/", 1)[-1]))
        draft.meta.update({"collection": item.get("collection"), "license": properties.get("license")})


_STAC_FLAT = {**FEATURE_KEYWORDS, "id": ("id",), "targets": (), "resolution_m": ("gsd",), "start": ("start_datetime",),
              "stop": ("end_datetime",), "processing_level": ("processing:level",), "text": ("description", "title"),
              "product.version": ("version",)}  # fmt: skip


def _stac_item(feature: dict[str, Any]) -> dict[str, Any]:
    """The item as pystac reads it (older versions migrated); what pystac refuses is read as it stands, with a note."""
    import pystac

    try:
        migrated: dict[str, Any] = pystac.Item.from_dict(feature, preserve_dict=True).to_dict(
            include_self_link=False, transform_hrefs=False
        )
    except (pystac.STACError, pystac.STACTypeError, LookupError, ValueError, TypeError, AttributeError) as exc:
        raise LabelError(f"STAC item is not valid ({type(exc).__name__}: {str(exc)[:80]}): read as it stands") from exc
    return migrated


def _transform_scale(properties: Mapping[str, Any]) -> float | None:
    transform = nz.numbers(properties.get("proj:transform"))
    if len(transform) >= 6 and transform[0] > 0.01 and abs(abs(transform[4] or transform[5]) / transform[0] - 1) < 0.5:
        return transform[0]
    return None


def feature_place(feature: Mapping[str, Any], properties: Mapping[str, Any]) -> Place | None:
    """Place of a GeoJSON feature: its geometry, else its centre."""
    geometry = feature.get("geometry")
    place = given(geometry, "GeoJSON geometry") if geometry else None
    return place or center_place(properties, FEATURE_KEYWORDS["position"], "centre coordinates")


def _is_observation(feature: Mapping[str, Any]) -> bool:
    """A drawn feature has neither an id of a product, nor a time, nor an instrument."""
    properties = feature.get("properties") or {}
    named = nz.identifier(pick(properties, FEATURE_KEYWORDS["id"])) is not None
    told = pick(properties, FEATURE_KEYWORDS["instrument"]) is not None
    timed = any(nz.time_utc(properties.get(k)) is not None for k in FEATURE_KEYWORDS["start"])
    return (named and (told or timed)) or timed


class GeoJson:
    """GeoJSON footprints: each feature that names a product, an instrument or a time is an observation."""

    name = "geojson"
    title = "GeoJSON footprints (ODE, MMGIS)"
    keywords: Mapping[str, tuple[str, ...]] = FEATURE_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """A GeoJSON Feature or FeatureCollection that is no localisation table."""
        if source.kind != "json" or not isinstance(source.json, dict):
            return False
        return source.json.get("type") in ("FeatureCollection", "Feature") and not is_localisation(source)

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each feature that is one."""
        document = source.json
        features = document.get("features") if document["type"] == "FeatureCollection" else [document]
        chosen = [f for f in features or [] if isinstance(f, dict) and _is_observation(f)]
        if not chosen:
            raise rejected("drawn features without product, instrument or time: no observation")
        result = collect([self._draft(f, source, i, context) for i, f in enumerate(chosen, 1)], source, context)
        left = len(features or []) - len(chosen)
        if left and result.status == "ok":
            result.reason = f"{left} feature(s) without product, instrument or time left out"
        return result

    def _draft(self, feature: dict[str, Any], source: Source, number: int, context: Context) -> Draft:
        properties = {k: v for k, v in (feature.get("properties") or {}).items() if isinstance(k, str)}
        draft = record_draft(properties, FEATURE_KEYWORDS, f"{source.stem}#{number}")
        draft.place = feature_place(feature, properties)
        if draft.place is None:
            draft.problems.append("no usable geometry")
        if properties.get("EDR_NAME"):
            _mmgis(draft, properties)
        if draft.sol is not None and draft.place is not None and not any(draft.platform_names):
            self._rover_near(draft)
        site, drive = nz.integer(properties.get("SITE")), nz.integer(properties.get("DRIVE"))
        if site is not None and drive is not None:
            draft.meta["site"], draft.meta["drive"] = site, drive
            if draft.place is None:
                place_rover(draft, context, site, drive)
        return draft

    @staticmethod
    def _rover_near(draft: Draft) -> None:
        """A record with a sol beside a landing site is that mission's."""
        place = draft.place
        mission = (
            mission_near(place.lon, place.lat) if place and place.lon is not None and place.lat is not None else None
        )
        if mission is not None:
            draft.platform_names = [next((p for p, m in MISSION_OF.items() if m == mission), mission)]
            draft.kind = "insitu"
            draft.warn(f"platform {draft.platform_names[0]} told by the sol and the place")


def _mmgis(draft: Draft, properties: Mapping[str, Any]) -> None:
    """An MMGIS layer of rover observations: product name, sequence, target, spacecraft clock."""
    from .chemistry import clock_time

    name = str(properties["EDR_NAME"])
    draft.id = re.sub(r"\.(?:IMG|DAT|SAV|LBL)$", "", name, flags=re.I)
    draft.problems = [p for p in draft.problems if "product id" not in p]
    draft.platform_names = ["MSL"]
    draft.kind = "insitu"
    camera = name[:2].upper()
    draft.instrument_names = ["ChemCam RMI" if camera == "CR" else "ChemCam"]
    draft.level = level_of("EDR" if "EDR" in name.upper() else "RDR")
    draft.body = "Mars"
    start = clock_time(nz.number(properties.get("SCLK")))
    if draft.start is None and start is not None:
        draft.start = start
        draft.warn("time from the spacecraft clock, good to a minute")
    if is_calibration_target(" ".join(draft.targets)):
        draft.quality_flags.append("calibration target")


class GeoPackage:
    """GeoPackage footprints, whatever body their reference system names."""

    name = "geopackage"
    title = "GeoPackage footprints"
    keywords: Mapping[str, tuple[str, ...]] = FEATURE_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """An SQLite file with the GeoPackage tables."""
        return source.kind == "gpkg"

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each feature of every layer."""
        drafts: list[Draft] = []
        for layer, crs, properties, wkb in _layers(source.path):
            draft = record_draft(properties, FEATURE_KEYWORDS, f"{source.stem}#{len(drafts) + 1}")
            draft.place = _wkb_place(wkb, f"GeoPackage geometry, layer {layer}")
            if draft.place is None:
                draft.problems.append("no usable geometry")
            if draft.body is None and crs and re.search(r"mars|499\d\d", crs, re.I):
                draft.body = "Mars"
            drafts.append(draft)
        if not drafts:
            raise rejected("GeoPackage without features")
        return collect(drafts, source, context)


def _layers(path: Path) -> Iterator[tuple[str, str | None, dict[str, Any], bytes | None]]:
    import warnings

    import pyogrio
    from pyogrio.errors import DataLayerError, DataSourceError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for layer in pyogrio.list_layers(path)[:, 0]:
                meta, _, geometry, fields = pyogrio.raw.read(path, layer=str(layer))
                names = [str(n) for n in meta["fields"]]
                crs = meta.get("crs")
                for i in range(len(fields[0]) if fields else len(geometry)):
                    row = {n: _cell(f[i]) for n, f in zip(names, fields, strict=True)}
                    yield str(layer), crs, row, geometry[i] if geometry is not None else None
    except (DataSourceError, DataLayerError, ValueError, RuntimeError) as exc:
        raise LabelError(f"GeoPackage cannot be read: {str(exc)[:160]}") from exc


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and value != value):
        return None
    return (
        value.item()
        if hasattr(value, "item") and not isinstance(value, str)
        else (str(value) if not isinstance(value, str) else value)
    )


def _wkb_place(wkb: bytes | None, name: str) -> Place | None:
    if not wkb:
        return None
    import shapely

    try:
        shape = shapely.from_wkb(wkb)
    except shapely.errors.GEOSException:
        return None
    return None if shape is None or shape.is_empty else given(shape, name)
