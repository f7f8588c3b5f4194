"""Files that give no observation of their own, each with a plain reason (AreoRAG §III-B: none is passed over)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import LabelError
from ..draft import Draft
from ..footprint import given
from ..names import fold
from .base import Context, Result, Source, rejected, single
from .chemistry import is_chemistry
from .localisation import is_localisation, read_places
from .tables import header_of

_NO_KEYWORDS: Mapping[str, tuple[str, ...]] = {}


class Localisation:
    """Rover localisation tables: they place other observations."""

    name = "localisation"
    title = "Rover localisation (MMGIS waypoints, PLACES / localized_interp CSV, waypoint GeoJSON)"
    keywords: Mapping[str, tuple[str, ...]] = {
        "site, drive": ("site + drive", "site + pos", "RMC", "site_pos", "final_rmc"),
        "longitude": ("longitude", "lon_dd", "lon", "GeoJSON point"),
        "latitude": ("planetocentric_latitude", "lat_dd", "lat", "planetodetic_latitude (converted)", "GeoJSON point"),
        "left out": ("frame = SITE", "sol < 0"),
    }

    def accepts(self, source: Source) -> bool:
        """Positions by site and drive."""
        return is_localisation(source)

    def read(self, source: Source, context: Context) -> Result:
        """No observation; how many positions it holds."""
        count = len(read_places(source))
        raise rejected(
            f"a localisation table: {count} rover positions by site and drive, used to place observations, none of its own"
        )


class Findings:
    """JSON-LD findings: claims about products; the ingest ties them to those products' observations."""

    name = "findings"
    title = "Findings about products (JSON-LD)"
    keywords: Mapping[str, tuple[str, ...]] = {"claims": ("about", "subject", "property", "value", "polarity", "text")}

    def accepts(self, source: Source) -> bool:
        """A FindingSet."""
        return source.kind == "json" and b"FindingSet" in source.head and isinstance(source.json, dict)

    def read(self, source: Source, context: Context) -> Result:
        """Not an observation: the ingest reads it beside the labels."""
        count = len(source.json.get("findings") or [])
        raise rejected(
            f"a set of {count} findings: claims tied to the products they are about, no observation of its own"
        )


class BareGeometry:
    """A geometry without anything else (WKT): an observation only in so far as it has a place."""

    name = "geometry"
    title = "Bare geometries (WKT)"
    keywords: Mapping[str, tuple[str, ...]] = {"id": ("file name",), "footprint": ("the geometry",)}

    def accepts(self, source: Source) -> bool:
        """WKT text."""
        return source.kind == "wkt"

    def read(self, source: Source, context: Context) -> Result:
        """One observation, partial: a footprint under the file's name."""
        draft = Draft(source.stem)
        draft.place = given(" ".join(source.text(8 << 20).split()), "WKT geometry")
        if draft.place is None:
            raise rejected("WKT that is no geometry on the sphere")
        draft.body = "Mars"
        draft.problems.append("a bare geometry: no product id, instrument or time; the file name is used")
        return single(draft, source, context)


class Accounted:
    """Everything else, refused with the reason."""

    name = "none"
    title = "Files that give no observation"
    keywords = _NO_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Every file."""
        return True

    def read(self, source: Source, context: Context) -> Result:
        """Never an observation."""
        raise rejected(self._reason(source))

    def _reason(self, source: Source) -> str:
        kind = source.kind
        if kind == "delimited":
            return self._table_reason(source)
        if kind == "json":
            try:
                document = source.json
            except LabelError as exc:
                return str(exc)
            keys = ", ".join(list(document)[:4]) if isinstance(document, dict) else type(document).__name__
            return f"JSON of no known kind ({keys}): no observation"
        if kind == "text":
            return self._text_reason(source)
        return {
            "empty": "an empty file",
            "xml": "XML that is no PDS4 label: no observation",
            "pds4": "a PDS4 label that no adapter reads",
            "pds3": "a PDS3 label that no adapter reads",
            "isis": "an ISIS label that no adapter reads",
            "fits": "a FITS file: its PDS label is what is ingested",
            "vicar": "a VICAR image without a PDS label",
            "image": "an image without a label",
            "archive": "a document, archive or kernel file: no observation",
            "compressed": "a compressed file or an office document: labels in it are read once it is unpacked",
            "utf-16": "text in UTF-16: save it as UTF-8, and it is read",
            "gpkg": "an SQLite file without footprints",
            "wkt": "a geometry that cannot be read",
            "ode-text": "an ODE export without rows",
        }.get(kind, "binary data without a label: no observation")

    @staticmethod
    def _table_reason(source: Source) -> str:
        columns = header_of(source)
        head = source.text(4096)
        if re.match(r"^[PS],urn:", head):
            return "a collection inventory: it lists products, no observation of its own"
        if {"ulxmap", "ulymap", "projection"} <= columns:
            return "georeferencing of an image (localisation pipeline), no product of its own"
        if {"target plan", "rmc"} <= columns or ("target plan" in columns and "lat dd" in columns):
            return "a list of rover targets with positions: no observation of its own"
        if "target plan" in columns and "sequence" in columns:
            return "a list of planned observations without product ids: no observation of its own"
        if head.lstrip().startswith("#") and "wave" in head.lower():
            return "a spectrum as a data table: its label is what is ingested"
        if is_chemistry(columns):
            return "a chemistry table without product names: no observation of its own"
        named = sorted(c for c in columns if c and not re.fullmatch(r"[\d ]+", c))[:4]
        return f"a data table without a label ({', '.join(named) or 'no header'}): no observation of its own"

    @staticmethod
    def _text_reason(source: Source) -> str:
        text = source.text(1 << 16)
        lines = [line for line in text.splitlines() if line.strip()]
        numeric = sum(1 for line in lines[:40] if re.match(r"^[\s\d.,:+\-eETZ\"/]+$", line))
        if lines and numeric >= 0.6 * len(lines[:40]):
            return "a data table without a label: no observation of its own"
        if fold(source.name).startswith(("readme", "index", "mapping", "license")):
            return "a note about the files, no observation"
        return "a text document: read it with the text ingest, it is no observation"
