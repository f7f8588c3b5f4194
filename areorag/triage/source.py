"""One side of a pair of claims: what was claimed, by which instrument, under which observation constraints Ω.

AreoRAG §III-D, Eq. 17: everything the triage may look at. `Source` is built from the evaluation contract's JSON or
from an `Observation` and one of its claims; nothing else (label, rationale, noisy side) is ever read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from ..errors import UsageError
from ..graph.model import Claim, Observation
from ..planet.instruments import InstrumentSpec, get_instrument
from ..planet.marstime import ltst, mars_time

TROPICAL_YEAR_SOLS = 668.5921  # Allison & McEwen (2000), Planet. Space Sci. 48, 215


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _time(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        parsed = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _band(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    low, high = _number(value[0]), _number(value[-1])
    return None if low is None or high is None else (min(low, high), max(low, high))


@dataclass(frozen=True)
class Source:
    """A claim and the constraints it was observed under. Lengths metres, angles degrees, wavelengths nanometres."""

    data_id: str
    subject: str
    property: str
    value: str
    text: str
    platform: str = ""
    instrument: str = ""
    institution: str = ""
    kind: str = ""
    lon_deg: float | None = None
    lat_deg: float | None = None
    footprint_radius_m: float | None = None
    resolution_m: float | None = None
    band_nm: tuple[float, float] | None = None
    penetration_depth_m: float | None = None
    incidence_deg: float | None = None
    emission_deg: float | None = None
    phase_deg: float | None = None
    start: datetime | None = None
    stated_ls_deg: float | None = None
    stated_mars_year: int | None = None
    sol: int | None = None
    processing_level: str = ""
    quality_flags: tuple[str, ...] = ()
    authority: float = 0.5
    claim_id: str | None = None
    warnings: tuple[str, ...] = ()
    supersedes: bool = False

    @classmethod
    def from_pair_json(cls, side: Mapping[str, Any]) -> Source:
        """Build from side ``a`` or ``b`` of a pair (contract: ``eval conflict``); missing fields are None.

        Raises
        ------
        UsageError
            The side has no claim.
        """
        claim = side.get("claim")
        if not isinstance(claim, Mapping):
            raise UsageError("a pair's side needs a 'claim' object with subject, property, value and text")
        authority = _number(side.get("authority"))
        sol = _number(side.get("sol"))
        year = _number(side.get("mars_year"))
        return cls(
            data_id=str(side.get("data_id") or ""),
            subject=str(claim.get("subject") or ""),
            property=str(claim.get("property") or ""),
            value=str(claim.get("value") if claim.get("value") is not None else ""),
            text=str(claim.get("text") or ""),
            platform=str(side.get("platform") or ""),
            instrument=str(side.get("instrument") or ""),
            institution=str(side.get("institution") or ""),
            kind=str(side.get("kind") or ""),
            lon_deg=_number(side.get("lon_deg_east")),
            lat_deg=_number(side.get("lat_deg")),
            footprint_radius_m=_number(side.get("footprint_radius_m")),
            resolution_m=_number(side.get("resolution_m")),
            band_nm=_band(side.get("band_nm")),
            penetration_depth_m=_number(side.get("penetration_depth_m")),
            incidence_deg=_number(side.get("incidence_deg")),
            emission_deg=_number(side.get("emission_deg")),
            phase_deg=_number(side.get("phase_deg")),
            start=_time(side.get("start_time")),
            stated_ls_deg=_number(side.get("ls_deg")),
            stated_mars_year=None if year is None else int(year),
            sol=None if sol is None else int(sol),
            processing_level=str(side.get("processing_level") or ""),
            quality_flags=tuple(str(f) for f in side.get("quality_flags") or ()),
            authority=0.5 if authority is None else min(1.0, max(0.0, authority)),
        )

    @classmethod
    def from_observation(cls, obs: Observation, claim: Claim, authority: float | None = None) -> Source:
        """Build from a graph observation and one of its claims; `authority` overrides the observation's own."""
        value = claim.value
        if not value and (claim.low is not None or claim.high is not None):
            ends = [v for v in (claim.low, claim.high) if v is not None]
            value = " to ".join(f"{v:g}" for v in dict.fromkeys(ends)) + (f" {claim.unit}" if claim.unit else "")
        if not value or (claim.polarity and value.strip().casefold() == claim.property.strip().casefold()):
            value = claim.polarity or ""  # "olivine: olivine, absent" states absence, not olivine
        band = obs.band
        has_band = band is not None and band.min_nm is not None and band.max_nm is not None
        return cls(
            data_id=obs.product.data_id or obs.id,
            subject=claim.subject,
            property=claim.property,
            value=value,
            text=claim.text or value,
            platform=obs.platform or "",
            instrument=obs.instrument or "",
            institution=obs.institution or "",
            kind=obs.kind,
            lon_deg=obs.position_lon_deg,
            lat_deg=obs.position_lat_deg,
            footprint_radius_m=_number(obs.meta.get("footprint_radius_m")),
            resolution_m=obs.resolution_m,
            band_nm=(band.min_nm, band.max_nm) if band and has_band else None,  # type: ignore[arg-type]
            penetration_depth_m=obs.penetration_depth_m,
            incidence_deg=obs.incidence_deg,
            emission_deg=obs.emission_deg,
            phase_deg=obs.phase_deg,
            start=obs.start,
            stated_ls_deg=obs.ls_deg if obs.ls_deg is not None else obs.ls_label_deg,
            stated_mars_year=obs.mars_year,
            sol=obs.sol,
            processing_level=obs.processing_level or "",
            quality_flags=tuple(obs.quality_flags),
            authority=obs.authority if authority is None else authority,
            claim_id=claim.id,
            warnings=tuple(obs.warnings),
        )

    @cached_property
    def spec(self) -> InstrumentSpec | None:
        """What the registry knows of the instrument."""
        return get_instrument(self.instrument, self.platform) if self.instrument else None

    @cached_property
    def technique(self) -> str:
        """The registry's word for how the instrument senses; empty when unknown."""
        return self.spec.technique if self.spec else ""

    @cached_property
    def scale_m(self) -> float | None:
        """Resolution of the product, else the registry's geometric mean, metres."""
        if self.resolution_m is not None and self.resolution_m > 0:
            return self.resolution_m
        if self.spec is not None:
            return math.sqrt(self.spec.resolution_m[0] * self.spec.resolution_m[1])
        return None

    @cached_property
    def depth_m(self) -> float | None:
        """Sensing depth of the product, else the registry's, metres."""
        if self.penetration_depth_m is not None:
            return self.penetration_depth_m
        return self.spec.penetration_depth_m if self.spec else None

    @cached_property
    def bands(self) -> tuple[float, float] | None:
        """Spectral range of the product, else the registry's, nanometres."""
        return self.band_nm or (self.spec.band_nm if self.spec else None)

    @cached_property
    def ls_deg(self) -> float | None:
        """Solar longitude, degrees: as stated, else computed from the start time."""
        if self.stated_ls_deg is not None:
            return self.stated_ls_deg % 360.0
        return None if self.start is None else mars_time(self.start).ls_deg

    @cached_property
    def mars_year(self) -> int | None:
        """Mars Year: as stated, else computed from the start time."""
        if self.stated_mars_year is not None:
            return self.stated_mars_year
        return None if self.start is None else mars_time(self.start).mars_year

    @cached_property
    def cumulative_ls_deg(self) -> float | None:
        """Mars Year x 360 + L_s, degrees: the clock of Eq. 20."""
        if self.mars_year is None or self.ls_deg is None:
            return None
        return 360.0 * self.mars_year + self.ls_deg

    @cached_property
    def local_hour(self) -> float | None:
        """Local true solar time, hours in [0, 24); None without a clock time (midnight stamps are dates)."""
        if self.start is None or self.lon_deg is None:
            return None
        if self.start.hour == self.start.minute == self.start.second == 0:
            return None
        return float(ltst(self.start, self.lon_deg))
