"""The records that cross module borders: observations, claims, text facts. Pydantic at the edges, numpy inside.

`Observation` is the normal form D̂ of AreoRAG Definition 1 and Eq. 4 as the project's contract fixes it: unknown is
``None``, never a sentinel; longitudes are east in [-180, 180], latitudes planetocentric, degrees; times are UTC.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer
from pydantic_core import PydanticSerializationError

Kind = Literal["orbital", "insitu", "derived"]
Polarity = Literal["present", "absent"]


def well_formed(value: Any) -> Any:
    r"""`value` with lone surrogates written as escapes, in every string of it: what Neo4j and JSON can hold.

    They come from file names that are not UTF-8 and from ``\ud800`` in JSON. Returns `value` itself where all is well.

    >>> well_formed(["Séítah", "na\udcffme"])
    ['Séítah', 'na\\udcffme']
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "backslashreplace").decode()
        return value
    if isinstance(value, BaseModel):
        try:
            value.__pydantic_serializer__.to_json(value)  # refuses lone surrogates, in a third of the time
        except PydanticSerializationError:
            pass
        else:
            return value
        changed = {k: new for k, old in vars(value).items() if (new := well_formed(old)) is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], float):
            return value
        items = [well_formed(item) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
    if isinstance(value, dict):
        pairs = [(well_formed(k), well_formed(v)) for k, v in value.items()]
        same = all(k is a and v is b for (k, v), (a, b) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    return value


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ValueError("must be finite")
    return value


def _utc(value: datetime | None) -> datetime | None:
    if value is None:
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _iso_z(value: datetime | None) -> str | None:
    """ISO 8601 with a trailing Z; milliseconds only where there are any."""
    if value is None:
        return None
    text = value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text.replace(".000Z", "Z")


Num = Annotated[float | None, AfterValidator(_finite)]
Utc = Annotated[datetime | None, AfterValidator(_utc), PlainSerializer(_iso_z, when_used="json-unless-none")]
Lon = Annotated[float | None, Field(ge=-180, le=180), AfterValidator(_finite)]
Lat = Annotated[float | None, Field(ge=-90, le=90), AfterValidator(_finite)]
Ls = Annotated[float | None, Field(ge=0, lt=360), AfterValidator(_finite)]


class Record(BaseModel):
    """Base of the records: strict about names, JSON without NaN."""

    model_config = ConfigDict(extra="forbid", validate_assignment=False, ser_json_inf_nan="null")


class Band(Record):
    """Spectral band: nanometres."""

    name: str | None = None
    min_nm: Num = None
    max_nm: Num = None
    centers_nm: list[float] | None = None


class ProductRef(Record):
    """What was read: the PROV entity behind an observation."""

    data_id: str
    lid: str | None = None
    version: str | None = None
    source_file: str | None = None
    sha256: str | None = None


class Claim(Record):
    """One statement a hyperedge makes: subject, property, value with unit or range, polarity."""

    id: str
    subject: str
    property: str
    value: str | None = None
    polarity: Polarity | None = None
    low: Num = None
    high: Num = None
    unit: str | None = None
    text: str = ""
    citation: str | None = Field(None, description="the literature behind the claim")


class Observation(Record):
    """One spatial observation hyperedge, before it is written (contract: Observation)."""

    id: str = Field(min_length=1)
    kind: Kind
    body: str = "Mars"
    platform: str | None = None
    instrument: str | None = None
    institution: str | None = None
    footprint: dict[str, Any] | None = None
    footprint_source: str | None = None
    position_lon_deg: Lon = None
    position_lat_deg: Lat = None
    resolution_m: Annotated[float | None, Field(gt=0), AfterValidator(_finite)] = None
    band: Band | None = None
    start: Utc = None
    stop: Utc = None
    ls_deg: Ls = None
    ls_label_deg: Ls = None
    mars_year: int | None = None
    sol: int | None = None
    lmst: str | None = None
    incidence_deg: Num = None
    emission_deg: Num = None
    phase_deg: Num = None
    penetration_depth_m: Annotated[float | None, Field(ge=0), AfterValidator(_finite)] = None
    targets: list[str] = Field(default_factory=list)
    quality_flags: list[str] = Field(default_factory=list)
    authority: float = Field(0.5, ge=0, le=1)
    processing_level: str | None = None
    derived_from: list[str] = Field(default_factory=list)
    product: ProductRef
    warnings: list[str] = Field(default_factory=list)
    claims: list[Claim] = Field(default_factory=list)
    text: str = Field("", description="one paragraph describing the observation; what is embedded and searched")
    meta: dict[str, Any] = Field(default_factory=dict, description="what else the label said, JSON-LD terms")


class Passage(Record):
    """A piece of a document with its character offsets."""

    id: str
    document_id: str
    index: int
    start: int
    end: int
    text: str


class Mention(Record):
    """An entity named in a text: `text == document[start:end]` exactly."""

    start: int
    end: int
    text: str
    type: str
    name: str


class Fact(Record):
    """An n-ary fact stated by a text (``:Hyperedge:Fact``): entities by role, quoted exactly."""

    id: str
    document_id: str
    passage_id: str
    start: int
    end: int
    quote: str
    text: str
    entities: list[tuple[str, str, str]] = Field(default_factory=list, description="(role, type, name)")
    claims: list[Claim] = Field(default_factory=list)
    confidence: float = Field(0.5, ge=0, le=1)


class FileReport(Record):
    """What became of one file: the unit of ``areorag eval adapters`` and of the quarantine list."""

    path: str
    status: Literal["ok", "partial", "rejected"]
    reason: str | None = None
    adapter: str | None = None
    observations: list[Observation] = Field(default_factory=list)
    sha256: str | None = None
    more: bool = Field(False, description="a long table comes in several reports: further ones of this file follow")


class IngestReport(Record):
    """Outcome of one ingest run."""

    run_id: str
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    forgotten: int = Field(0, description="met again, but forgotten before and not written (`areorag restore`)")
    forgotten_ids: list[str] = Field(default_factory=list, description="the first thousand of them")
    quarantined: list[tuple[str, str]] = Field(default_factory=list, description="(file, reason)")
    seconds: float = 0.0
    files: int = 0
