"""From what an adapter read to an `Observation`: time, season, place, authority, text, and every warning (AreoRAG Eq. 4).

An adapter fills a `Draft` with plain values; ``finish`` does what is the same for every product. A loss of something
important makes the file ``partial`` (``problems``); a repair is a ``warning``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from ..errors import RejectedFileError
from ..graph.model import Band, Claim, Kind, Observation, ProductRef
from ..planet.bodies import Body, get_body
from ..planet.instruments import InstrumentSpec
from . import names
from .authority import authority
from .describe import describe
from .footprint import Place
from .normalise import hours_to_hms

LS_TOLERANCE_DEG = 0.1
MARS_YEAR_SECONDS = 686.98 * 86_400.0


@dataclass(slots=True)
class Draft:
    """What an adapter found, in label terms or already canonical; everything optional but the id."""

    id: str
    kind: Kind = "orbital"
    platform_names: list[str | None] = field(default_factory=list)
    instrument_names: list[str | None] = field(default_factory=list)
    institution_names: list[str | None] = field(default_factory=list)
    body: str | None = None
    place: Place | None = None
    lon: float | None = None
    lat: float | None = None
    resolution_m: float | None = None
    band: Band | None = None
    start: datetime | None = None
    stop: datetime | None = None
    ls_label_deg: float | None = None
    sol: int | None = None
    lmst: str | None = None
    incidence_deg: float | None = None
    emission_deg: float | None = None
    phase_deg: float | None = None
    targets: list[str] = field(default_factory=list)
    quality_flags: list[str] = field(default_factory=list)
    level: str | None = None
    derived_from: list[str] = field(default_factory=list)
    lid: str | None = None
    version: str | None = None
    rationale: str | None = None
    title: str | None = None
    text: str | None = None
    claims: list[Claim] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)

    def warn(self, message: str) -> None:
        """Add a warning once."""
        if message not in self.warnings:
            self.warnings.append(message)


@dataclass(frozen=True, slots=True)
class Season:
    """L_s, Mars Year and the sol of one instant (computed in bulk for index tables)."""

    ls_deg: float
    mars_year: int
    msd: float


def season(moment: datetime) -> Season:
    """L_s and Mars Year of an instant."""
    from ..planet.marstime import mars_time

    t = mars_time(moment)
    return Season(t.ls_deg % 360.0, t.mars_year, t.msd)


def band(
    name: str | None, centers_nm: list[float] | None = None, widths_nm: list[float] | None = None,
    low_nm: float | None = None, high_nm: float | None = None,
) -> Band | None:  # fmt: skip
    """Band from centres (and widths, when each has one) or limits, nanometres; None where nothing is known."""
    centers = [c for c in centers_nm or [] if c > 0]
    widths = widths_nm or []
    if centers and (low_nm is None or high_nm is None):
        half = [w / 2.0 for w in widths] if len(widths) == len(centers) else [0.0] * len(centers)
        low_nm = round(max(0.0, min(c - h for c, h in zip(centers, half, strict=True))), 6)
        high_nm = round(max(c + h for c, h in zip(centers, half, strict=True)), 6)
    if name is None and not centers and low_nm is None and high_nm is None:
        return None
    return Band(name=name, min_nm=low_nm, max_nm=high_nm, centers_nm=centers or None)


def body_of(draft: Draft, platform: str | None, spec: InstrumentSpec | None) -> str:
    """The body observed: the first target that is one, else the draft's own, else that of the mission, else the target."""
    from ..errors import UnknownNameError

    for name in [draft.body, *draft.targets]:
        if name:
            try:
                return get_body(name).name
            except UnknownNameError:
                continue
    if draft.body:
        return names.target(draft.body)
    if spec is not None or names.is_in_situ(platform):
        return "Mars"
    return names.target(draft.targets[0]) if draft.targets else "Mars"


@lru_cache(maxsize=512)
def known_body(name: str) -> Body | None:
    """The body of that name, or None."""
    from ..errors import UnknownNameError

    try:
        return get_body(name)
    except UnknownNameError:
        return None


def finish(draft: Draft, *, source_file: str | None, sha256: str | None, computed: Season | None = None) -> Observation:
    """Complete a draft.

    Parameters
    ----------
    draft
        What the adapter read; its ``warnings`` are extended.
    source_file, sha256
        The file it was read from, relative to the ingest root, and its digest.
    computed
        L_s and Mars Year of ``draft.start``, when they were computed for many rows at once.
    """
    platform = names.platform(*draft.platform_names)
    instrument, spec = _instrument(draft, platform)
    if platform is None and spec is not None and len(spec.platforms) == 1:
        platform = spec.platforms[0]
    institution = names.institution(*draft.institution_names) or (spec.institution if spec is not None else None)
    if draft.kind == "orbital" and (names.is_in_situ(platform) or (spec is not None and spec.kind == "insitu")):
        draft.kind = "insitu"
    targets = _targets(draft)
    draft.targets = targets
    body = body_of(draft, platform, spec)
    if known_body(body) is None:
        body = _primary(draft, platform, body)
    if draft.body is None and not targets and spec is None and not names.is_in_situ(platform):
        draft.warn("no target in the source: Mars assumed")
    _order_times(draft)
    lon, lat = _position(draft, platform, body)
    if computed is None and draft.start is not None:
        computed = season(draft.start)
    ls_deg, year = _season(draft, body, computed)
    sol, lmst = _local(draft, platform, body, lon, computed)
    place = draft.place
    if place is not None:
        for warning in place.warnings:
            draft.warn(warning)
    observation = Observation(
        id=draft.id,
        kind=draft.kind,
        body=body,
        platform=platform,
        instrument=instrument,
        institution=institution,
        footprint=place.geometry if place is not None else None,
        footprint_source=place.source if place is not None and (place.geometry or lon is not None) else None,
        position_lon_deg=None if lon is None else round(lon, 9) + 0.0,
        position_lat_deg=None if lat is None else round(lat, 9) + 0.0,
        resolution_m=draft.resolution_m,
        band=draft.band,
        start=draft.start,
        stop=draft.stop,
        ls_deg=ls_deg,
        ls_label_deg=draft.ls_label_deg,
        mars_year=year,
        sol=sol,
        lmst=lmst,
        incidence_deg=draft.incidence_deg,
        emission_deg=draft.emission_deg,
        phase_deg=draft.phase_deg,
        penetration_depth_m=spec.penetration_depth_m if spec is not None else None,
        targets=targets,
        quality_flags=list(dict.fromkeys(draft.quality_flags)),
        authority=authority(spec, draft.level, institution, draft.quality_flags),
        processing_level=draft.level,
        derived_from=[d for d in dict.fromkeys(draft.derived_from) if d and d != draft.id],
        product=ProductRef(
            data_id=draft.id, lid=draft.lid, version=draft.version, source_file=source_file, sha256=sha256
        ),
        warnings=list(draft.warnings),
        claims=draft.claims,
        meta={k: v for k, v in draft.meta.items() if v not in (None, [], {}, "")},
    )
    observation.text = draft.text or describe(observation, spec, draft.title, draft.rationale)
    return observation


def _primary(draft: Draft, platform: str | None, body: str) -> str:
    """A target that is no body with coordinates (sky, a star, rings) is filed under the mission's planet, without a place.

    Raises
    ------
    RejectedFileError
        The mission's planet is not known either: nothing here can be put on a map.
    """
    if names.is_in_situ(platform):
        return "Mars"
    primary = names.PRIMARY.get(platform or "")
    if primary is None:
        raise RejectedFileError(
            "; ".join([f"the target {body} is no body known here: no observation", *draft.problems[:1]])
        )
    draft.warn(f"the target {body} is no body with coordinates: filed under {primary}, without a place")
    draft.place, draft.lon, draft.lat = None, None, None
    return primary


def _instrument(draft: Draft, platform: str | None) -> tuple[str | None, InstrumentSpec | None]:
    given = [n for n in draft.instrument_names if n]
    best: tuple[str | None, InstrumentSpec | None] = (None, None)
    for name in given:
        found = names.instrument(name, platform)
        if found[1] is not None:
            return found
        if best[0] is None:
            best = found
    return best


def _targets(draft: Draft) -> list[str]:
    out: list[str] = []
    for name in draft.targets:
        tidy = names.target(name)
        known = known_body(tidy)
        tidy = known.name if known is not None else tidy
        if tidy and tidy not in out:
            out.append(tidy)
    return out


def _order_times(draft: Draft) -> None:
    if draft.start is not None and draft.stop is not None and draft.stop < draft.start:
        if draft.meta.pop("zones_differ", False):
            draft.warn(
                "stop time lies before start time; they are written in different time zones and kept as converted"
            )
        else:
            draft.warn(f"stop time {draft.stop.isoformat()} lies before start time: left out")
            draft.stop = None
    draft.meta.pop("zones_differ", None)
    if draft.start is None and draft.stop is not None:
        draft.warn("no start time in the source, only a stop time")


def _position(draft: Draft, platform: str | None, body: str) -> tuple[float | None, float | None]:
    if draft.lon is not None and draft.lat is not None:
        return draft.lon, draft.lat
    if draft.place is not None and draft.place.lon is not None and draft.place.lat is not None:
        return draft.place.lon, draft.place.lat
    if platform in names.LANDERS and body == "Mars":
        site = landing_site(platform)
        if site is not None:
            draft.place = Place({"type": "Point", "coordinates": [site[0], site[1]]}, "landing site", *site)
            return site
    return None, None


def landing_site(platform: str) -> tuple[float, float] | None:
    """(east longitude ±180, planetocentric latitude) where a platform came down, or None."""
    from ..planet.missions import find_mission

    mission = find_mission(names.MISSION_OF.get(platform, platform))
    if mission is None:
        return None
    return round((mission.lon_deg + 180.0) % 360.0 - 180.0, 9), mission.lat_deg


def _season(draft: Draft, body: str, computed: Season | None) -> tuple[float | None, int | None]:
    if body not in ("Mars", "Phobos", "Deimos"):
        draft.ls_label_deg = None
        return None, None
    moment = draft.start or draft.stop
    if moment is None:
        return None, None
    if draft.start and draft.stop and (draft.stop - draft.start).total_seconds() >= MARS_YEAR_SECONDS:
        draft.warn("the product spans a Mars year or more: no single solar longitude")
        return None, None
    if computed is None or draft.start is None:
        computed = season(moment)
    ls, year = computed.ls_deg % 360.0, computed.mars_year
    if draft.stop and draft.start and (draft.stop - draft.start).total_seconds() > 2 * 86_400:
        end = season(draft.stop)
        draft.meta.setdefault("solar_longitude_range_deg", [round(ls, 4), round(end.ls_deg, 4)])
    if draft.ls_label_deg is not None:
        difference = abs((ls - draft.ls_label_deg + 180.0) % 360.0 - 180.0)
        if difference > LS_TOLERANCE_DEG:
            draft.warn(
                f"solar longitude of the label {draft.ls_label_deg:g}° differs by {difference:.2f}° from the computed"
                f" {ls:.3f}°"
            )
    return round(ls, 4) % 360.0, year


def _local(
    draft: Draft, platform: str | None, body: str, lon: float | None, computed: Season | None
) -> tuple[int | None, str | None]:
    """Sol and local mean solar time: the label's own, else computed; a sol that disagrees is named."""
    if body != "Mars":
        return draft.sol, draft.lmst
    sol, clock = draft.sol, draft.lmst
    mission = names.MISSION_OF.get(platform or "")
    if draft.start is not None and mission is not None and draft.kind == "insitu":
        from ..planet.missions import mission_sol

        own = mission_sol(mission, draft.start)
        if sol is None:
            sol = own
        elif abs(own - sol) > 1:
            draft.warn(f"sol {sol} of the label does not fit its start time (sol {own})")
    if (
        clock is None
        and computed is not None
        and draft.start is not None
        and lon is not None
        and draft.kind != "derived"
    ):
        clock = hours_to_hms((24.0 * (computed.msd + lon / 360.0)) % 24.0)
    return sol, clock
