"""Ada_orbital / Ada_derived: ISIS3 cube labels, attached or detached (AreoRAG §III-B)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ...planet.bodies import MARS, Body
from .. import normalise as nz
from ..draft import Draft, band, known_body
from ..footprint import Box, Frame, Place, corners, frame_of, map_box
from ..names import target
from ..readers.odl import Quantity
from .base import Context, Result, Source, single
from .orbiters3 import id_position, place_from_id
from .pds3 import add_label_notes
from .view import View

ISIS_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("Archive.ProductId", "Archive.FileName", "Archive.ImageId", "Archive.ObservationId"),
    "platform": ("Instrument.SpacecraftName", "Instrument.InstrumentHostName"),
    "instrument": ("Instrument.InstrumentId", "Instrument.InstrumentName"),
    "institution": ("Archive.ProducerId",),
    "start": ("Instrument.StartTime", "Instrument.ImageTime"),
    "stop": ("Instrument.StopTime",),
    "ls_label_deg": ("Instrument.SolarLongitude", "Archive.SolarLongitude"),
    "resolution_m": ("Mapping.PixelResolution",),
    "band.name": ("BandBin.FilterName", "BandBin.Name"),
    "band.centers_nm": ("BandBin.Center",),
    "band.width": ("BandBin.Width",),
    "footprint.box": ("Mapping.MinimumLongitude", "Mapping.MaximumLongitude", "Mapping.MinimumLatitude",
                      "Mapping.MaximumLatitude"),
    "footprint.frame": ("Mapping.LongitudeDirection", "Mapping.LatitudeType"),
    "targets": ("Instrument.TargetName", "Mapping.TargetName"),
    "quality_flags": ("Kernels.InstrumentPointingQuality", "Kernels.InstrumentPositionQuality"),
    "derived_from": ("Archive.EdrSource", "Archive.OriginalProductId", "Archive.SourceProductId",
                     "Instrument.StitchedProductIds"),
    "processing_level": ("Archive.DataSetId",),
    "text": ("Archive.RationaleDesc", "Instrument.RationaleDesc", "Archive.RationaleDescription"),
}  # fmt: skip
_DERIVED_NAME = re.compile(r"dtm|dem|_o_|ortho|mosaic|mola|topograph|radius|mos\b", re.I)


class IsisCube:
    """An ISIS3 cube. A projected cube without an instrument is a map made from others: derived."""

    name = "isis"
    title = "ISIS3 cube labels"
    keywords: Mapping[str, tuple[str, ...]] = ISIS_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """A label that begins an IsisCube object."""
        return source.kind == "isis" or (source.kind == "pds3" and source.label.root.get("IsisCube") is not None)

    def read(self, source: Source, context: Context) -> Result:
        """One observation of the cube."""
        view = source.view
        draft = self._draft(view, source)
        add_label_notes(draft, source)
        if not source.label.ended and view.block("IsisCube") is not None and view.raw("Label.Bytes") is not None:
            draft.problems = [p for p in draft.problems if not p.startswith("no END")]
            draft.warn("no End statement after a complete cube label")
        return single(draft, source, context)

    def _draft(self, view: View, source: Source) -> Draft:
        keys = ISIS_KEYWORDS
        instrument = view.text(*keys["instrument"])
        identifier = nz.first(nz.identifier(v) for v in view.values(*keys["id"]))
        draft = Draft(identifier or source.stem)
        if identifier is None and instrument is not None:
            draft.problems.append("no ProductId in the cube: the file name is used")
        draft.targets = [target(t) for t in view.texts(*keys["targets"])]
        draft.body = draft.targets[0] if draft.targets else None
        draft.platform_names = [view.text(p) for p in keys["platform"]]
        draft.instrument_names = [instrument, view.text("Instrument.InstrumentName")]
        draft.institution_names = [view.text(p) for p in keys["institution"]]
        draft.start = nz.first(nz.time_utc(v) for v in view.values(*keys["start"]))
        draft.stop = nz.first(nz.time_utc(v) for v in view.values(*keys["stop"]))
        draft.ls_label_deg = nz.first(nz.solar_longitude(v) for v in view.values(*keys["ls_label_deg"]))
        self._map(draft, view)
        self._band(draft, view)
        draft.rationale = view.text(*keys["text"])
        pointing = [w for p in keys["quality_flags"] for w in view.texts(p) if w.lower() != "reconstructed"]
        draft.quality_flags = [f"pointing {w.lower()}" for w in dict.fromkeys(pointing)]
        draft.derived_from = _sources(view)
        data_set = view.text("Archive.DataSetId")
        match = re.search(r"-(\d(?:/\d)?)-([A-Z][A-Z0-9]*)", data_set or "")
        draft.level = f"{match.group(2)} (CODMAC {match.group(1)}), ISIS cube" if match else "ISIS cube"
        draft.meta.update({"data_set_id": data_set, "orbit_number": nz.integer(view.raw("Archive.OrbitNumber")),
                           "map_projection": view.text("Mapping.ProjectionName")})  # fmt: skip
        if instrument is None:
            draft.kind = "derived"
            draft.level = "derived, ISIS cube"
            self._unnamed(draft, source)
        else:
            self._agree(draft)
            place_from_id(draft)
        return draft

    @staticmethod
    def _agree(draft: Draft) -> None:
        """An unprojected camera cube may carry another product's map group: the id's place decides."""
        found = id_position(draft.id)
        if found is None or draft.place is None or draft.place.lon is None or draft.place.lat is None:
            return
        if abs(found[1] - draft.place.lat) > 20.0:
            draft.problems.append(
                f"the cube's map group lies at {draft.place.lat:.0f}° N, the product id says {found[1]:.0f}° N:"
                " map group left out"
            )
            draft.place, draft.resolution_m = None, None

    @staticmethod
    def _unnamed(draft: Draft, source: Source) -> None:
        """What a file name tells about a map that names neither instrument nor product."""
        name = source.stem
        draft.title = "digital terrain model" if re.search(r"dtm|dem|mola", name, re.I) else "map-projected mosaic"
        if re.search(r"_o_|ortho", name, re.I):
            draft.title = "orthoimage"
        found = re.findall(r"(?:PSP|ESP|TRA)_\d{6}_\d{4}", name, re.I)
        draft.derived_from = list(dict.fromkeys(f.upper() for f in found)) or draft.derived_from
        if found:
            draft.platform_names, draft.instrument_names = ["MRO"], ["HIRISE"]
        elif re.search(r"mola", name, re.I):
            draft.platform_names, draft.instrument_names = ["MGS"], ["MOLA"]
        draft.problems.append("the cube names no product: its file name is the id")

    @staticmethod
    def _map(draft: Draft, view: View) -> None:
        body: Body = known_body(draft.body or "") or MARS
        draft.resolution_m, note = nz.resolution_m(
            view.raw("Mapping.PixelResolution"), metres_per_degree=body.metres_per_degree
        )
        if note:
            draft.warn(note)
        sides = [nz.longitude(view.raw(f"Mapping.{k}Longitude")) for k in ("Minimum", "Maximum")]
        heights = [nz.latitude(view.raw(f"Mapping.{k}Latitude")) for k in ("Minimum", "Maximum")]
        frame = frame_of(view.text("Mapping.LongitudeDirection"), view.text("Mapping.LatitudeType"), body)
        if None in sides or None in heights:
            draft.place = projected_place(view, frame)
            return
        low, high = sides[0] or 0.0, sides[1] or 0.0
        west, east = (high, low) if frame.west else (low, high)
        samples, lines = view.number("Dimensions.Samples"), view.number("Dimensions.Lines")
        scale = draft.resolution_m
        alpha = view.block("AlphaCube") is not None and view.text("Instrument.InstrumentId") is not None
        draft.place = map_box(
            Box(
                west, east, heights[0] or 0.0, heights[1] or 0.0, frame, view.text("Mapping.ProjectionName") or "", None,
                nz.latitude(view.raw("Mapping.CenterLatitude")),
                samples * scale if samples and scale and not alpha else None,
                lines * scale if lines and scale and not alpha else None,
            ),
            "Mapping group of the cube",
        )  # fmt: skip

    @staticmethod
    def _band(draft: Draft, view: View) -> None:
        name = nz.text(nz.first(view.values("BandBin.FilterName", "BandBin.Name")))
        centers = _nm(view.raw("BandBin.Center"))
        widths = _nm(view.raw("BandBin.Width"))
        draft.band = band(name, centers, widths)


def projected_place(view: View, frame: Frame) -> Place | None:
    """Footprint of a cube from its projection, upper left corner and size (polar stereographic, equirectangular …)."""
    numbers = [view.number(f"Mapping.{k}") for k in ("UpperLeftCornerX", "UpperLeftCornerY", "PixelResolution")]
    samples, lines = view.number("Dimensions.Samples"), view.number("Dimensions.Lines")
    radius, polar = view.number("Mapping.EquatorialRadius"), view.number("Mapping.PolarRadius")
    kind = {
        "polarstereographic": "stere",
        "equirectangular": "eqc",
        "simplecylindrical": "eqc",
        "sinusoidal": "sinu",
    }.get((view.text("Mapping.ProjectionName") or "").lower())
    if None in numbers or samples is None or lines is None or radius is None or kind is None:
        return None
    x0, y0, scale = (float(n or 0.0) for n in numbers)
    center = (view.number("Mapping.CenterLongitude") or 0.0, view.number("Mapping.CenterLatitude") or 0.0)
    import pyproj

    size = f"+a={radius} +b={polar or radius}" if kind == "stere" else f"+R={radius}"
    origin = f"+lat_0={math.copysign(90.0, center[1])}" if kind == "stere" else f"+lat_ts={center[1]}"
    try:
        to_lonlat = pyproj.Proj(f"+proj={kind} +lon_0={center[0]} {origin} {size}")
        xs = [x0, x0, x0 + samples * scale, x0 + samples * scale]
        ys = [y0, y0 - lines * scale, y0 - lines * scale, y0]
        lon, lat = to_lonlat(xs, ys, inverse=True, errcheck=True)
    except (pyproj.exceptions.ProjError, ValueError):
        return None
    graphic = Frame(frame.west, kind == "stere", frame.body)
    return corners(list(zip(lon, lat, strict=True)), graphic, "map projection and size of the cube")


def _nm(value: object) -> list[float]:
    outer = value.units if isinstance(value, Quantity) else None
    inner = value.value if isinstance(value, Quantity) else value
    items = inner if isinstance(inner, list | tuple) else [value]
    out = [nz.wavelength_nm(i, None if nz.units_of(i) else outer) for i in items]
    return [o for o in out if o is not None]


def _sources(view: View) -> list[str]:
    out: list[str] = []
    for path in ISIS_KEYWORDS["derived_from"]:
        for word in view.texts(path):
            name = word.replace("\\", "/").rsplit("/", 1)[-1]
            name = re.sub(r"\.(?:imq|img|cub|lbl)$", "", name, flags=re.I)
            if nz.identifier(name):
                out.append(name)
    return out
