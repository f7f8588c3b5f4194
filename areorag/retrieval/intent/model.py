"""What a question asks for, in the fields of the contract (AreoRAG §III-C K_q; Spatial-RAG F_s, G_r, ε).

The first block of `SpatialIntent` is the published JSON of ``areorag eval intent``; the fields below it are ours.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...planet.units import length

Relation = Literal[
    "within", "near", "intersects", "contains", "along", "between", "north_of", "south_of", "east_of", "west_of"
]
Order = Literal["finest", "coarsest", "latest", "earliest", "closest"]
IntentKind = Literal["orbital", "insitu", "derived"]


REFUSED = "is not used: "
"""In the note of a reading that could not be used."""


class _Base(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Sols(_Base):
    """Sols of one mission; an open side is None, an unnamed mission too."""

    mission: str | None = None
    min: int | None = None
    max: int | None = None


class Exclude(_Base):
    """What is not wanted ("not from HiRISE"). Retrieval never returns a hit of these."""

    instruments: list[str] = Field(default_factory=list)
    platforms: list[str] = Field(default_factory=list)
    places: list[str] = Field(default_factory=list)
    kinds: list[IntentKind] = Field(default_factory=list)
    properties: list[str] = Field(default_factory=list)
    institutions: list[str] = Field(default_factory=list)
    levels: list[str] = Field(default_factory=list)
    ls_deg: tuple[float, float] | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in type(self).model_fields)


class Reading(_Base):
    """One step of the reading: which words were taken for what."""

    start: int
    end: int
    text: str
    step: Literal["geometry", "relation", "parameter", "note"]
    field: str
    value: str


class SpatialIntent(_Base):
    """What was understood.

    ``ls_deg`` and longitudes may wrap (350 → 20). ``geometry`` is GeoJSON the question itself gave; named places stay
    names and are resolved by `resolve.query_region`. ``resolution_m`` is (finest, coarsest) wanted.
    """

    places: list[str] = Field(default_factory=list)
    geometry: dict[str, Any] | None = None
    relation: Relation | None = None
    distance_m: float | None = None
    ls_deg: tuple[float, float] | None = None
    mars_years: list[int] = Field(default_factory=list)
    sols: Sols | None = None
    dates: tuple[str | None, str | None] | None = None
    resolution_m: tuple[float | None, float | None] | None = None
    instruments: list[str] = Field(default_factory=list)
    platforms: list[str] = Field(default_factory=list)
    kinds: list[IntentKind] = Field(default_factory=list)
    properties: list[str] = Field(default_factory=list)
    compare: bool = False
    exclude: Exclude = Field(default_factory=Exclude)

    question: str = ""
    body: str = "Mars"
    parts: dict[str, str] = Field(default_factory=dict, description="place → the part of it that was named")
    ls_windows: list[tuple[float, float]] = Field(default_factory=list, description="every season window named")
    techniques: list[str] = Field(default_factory=list, description="radar, spectroscopy … named without an instrument")
    institutions: list[str] = Field(
        default_factory=list, description="institutions and agencies whose records are meant"
    )
    levels: list[str] = Field(default_factory=list, description="processing levels named (EDR, RDR, raw, level 2 …)")
    order: Order | None = Field(default=None, description="which records come first: the finest, the latest …")
    unresolved: list[str] = Field(default_factory=list, description="words that look like a place and are not known")
    readings: list[Reading] = Field(default_factory=list)
    source: Literal["grammar", "model", "given"] = "grammar"
    disagreements: list[str] = Field(default_factory=list, description="where the model read it otherwise")

    def contract(self) -> dict[str, Any]:
        """The fields of the published contract, JSON-able; institutions, levels, order and notes where there are any."""
        data = self.model_dump(mode="json")
        out = {key: data[key] for key in CONTRACT_FIELDS}
        out |= {key: data[key] for key in ("institutions", "levels", "order") if data[key]}
        if self.notes:
            out["notes"] = self.notes
        out["exclude"] = {k: v for k, v in data["exclude"].items() if v or k in _EXCLUDE_FIELDS}
        return out

    @property
    def is_spatial(self) -> bool:
        """True when the question bounds the place."""
        return bool(self.places or self.geometry)

    @property
    def notes(self) -> list[str]:
        """What was understood but could not be taken as it stands, and why."""
        return [r.value for r in self.readings if r.step == "note"]

    @property
    def constrains(self) -> bool:
        """True when the question bounds anything, or asks for a property."""
        fields = set(CONTRACT_FIELDS) - {"compare", "relation", "distance_m"} | {"ls_windows", "institutions", "levels"}
        return any(getattr(self, name) for name in fields)

    def describe(self) -> list[tuple[str, str]]:
        """(label, text) pairs for people, in the order they were understood."""
        out: list[tuple[str, str]] = []
        for place in self.places:
            part = self.parts.get(place)
            out.append(("place", f"{part} of {place}" if part else place))
        if self.geometry:
            out.append(("geometry", _short_geometry(self.geometry)))
        if self.relation:
            out.append(("relation", self.relation.replace("_", " ")))
        if self.distance_m is not None:
            out.append(("distance", length(self.distance_m)))
        out += [("season", f"Ls {a:g}° to {b:g}°") for a, b in (self.ls_windows or [])]
        if self.mars_years:
            out.append(("Mars Year", ", ".join(map(str, self.mars_years))))
        if self.sols:
            low = "" if self.sols.min is None else self.sols.min
            high = "" if self.sols.max is None else self.sols.max
            out.append(("sols", f"{self.sols.mission or 'any mission'} {low}–{high}"))
        if self.dates:
            out.append(("dates", f"{self.dates[0] or '…'} to {self.dates[1] or '…'}"))
        if self.resolution_m:
            out.append(("resolution", _bounds(self.resolution_m)))
        for label, values in (
            ("instrument", self.instruments),
            ("platform", self.platforms),
            ("kind", list(self.kinds)),
            ("institution", self.institutions),
            ("level", self.levels),
            ("property", self.properties),
        ):
            if values:
                out.append((label, ", ".join(values)))
        if self.order:
            out.append(("order", f"{self.order} first"))
        if self.compare:
            out.append(("compare", "do the sources agree"))
        for label, values in self.exclude.model_dump(exclude={"ls_deg"}).items():
            if values:
                out.append(("not", f"{label}: {', '.join(values)}"))
        if self.exclude.ls_deg:
            out.append(("not", f"Ls {self.exclude.ls_deg[0]:g}° to {self.exclude.ls_deg[1]:g}°"))
        out += [("note", text) for text in self.notes]
        return out


CONTRACT_FIELDS = (
    "places",
    "geometry",
    "relation",
    "distance_m",
    "ls_deg",
    "mars_years",
    "sols",
    "dates",
    "resolution_m",
    "instruments",
    "platforms",
    "kinds",
    "properties",
    "compare",
    "exclude",
)
_EXCLUDE_FIELDS = ("instruments", "platforms", "places", "kinds")


def _bounds(pair: tuple[float | None, float | None]) -> str:
    low, high = pair
    if low is None and high is not None:
        return f"{length(high)} or finer"
    if high is None and low is not None:
        return f"{length(low)} or coarser"
    return f"{length(low or 0)} to {length(high or 0)}"


def _short_geometry(geometry: dict[str, Any]) -> str:
    kind = str(geometry.get("type"))
    if kind == "Point":
        lon, lat = geometry["coordinates"][:2]
        return f"point {lon:.5g}° E, {lat:.5g}° N"
    if kind not in ("Polygon", "MultiPolygon"):
        return kind
    rings = geometry["coordinates"] if kind == "Polygon" else [r for part in geometry["coordinates"] for r in part]
    points = [p for ring in rings for p in ring]
    south, north = min(p[1] for p in points), max(p[1] for p in points)
    # an area cut at the antimeridian is one area: of the two ways to count longitudes the narrower is meant
    west, east = min(
        ((min(xs), max(xs)) for xs in ([p[0] for p in points], [p[0] % 360 for p in points])),
        key=lambda ends: ends[1] - ends[0],
    )
    return f"area from {west:.5g}° to {east:.5g}° E, {_latitude(south)} to {_latitude(north)}"


def _latitude(degrees: float) -> str:
    return f"{abs(degrees):.5g}° {'S' if degrees < 0 else 'N'}"
