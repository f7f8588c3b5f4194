"""C_k: the semantic constraints of a question as masks over the columns (Spatial-RAG Eq. 15, METHODS §2).

Each constraint stays a mask of its own, so that an explanation can say which one dropped a record, and an empty
result can say which one to relax. Unknown is not a match: a record without a season is no answer to "in spring".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import numpy.typing as npt

from ..planet.instruments import get_instrument
from ..planet.lexicon import fold
from ..planet.missions import find_mission
from .columns import Columns
from .intent.model import SpatialIntent
from .intent.sensors import PLATFORMS
from .provenance import institution_fits, level_fits

Mask = npt.NDArray[np.bool_]
SAME_RESOLUTION = 1.25
"""A resolution asked as one number matches within this factor."""
SLACK = 1.01


@dataclass(frozen=True)
class Constraint:
    """One constraint: what it is called, what it wants in words, and who meets it."""

    name: str
    wanted: str
    mask: Mask


def canonical_instrument(name: str, platform: str | None = None) -> str:
    """One name for an instrument and its aliases; the Mars Orbiter Camera's two heads count as one."""
    spec = get_instrument(name, platform)
    found = spec.name if spec is not None else name
    return "moc" if found.upper().startswith("MOC") else fold(found)


def canonical_platform(name: str) -> str:
    """One name for a platform: its code in the lexicon, else its mission's, else the folded name."""
    low = fold(name)
    for code, aliases in PLATFORMS.items():
        if low == fold(code) or low in aliases:
            return fold(code)
    mission = find_mission(name)
    return fold(mission.name) if mission is not None else low


def constraints(intent: SpatialIntent, columns: Columns) -> list[Constraint]:
    """Every constraint the reading puts on records but the place."""
    out: list[Constraint] = []

    def add(name: str, wanted: str, mask: Mask) -> None:
        out.append(Constraint(name, wanted, mask))

    def add_named(named: Sequence[_Named]) -> None:
        for name, field, mask_of in named:
            if names := getattr(intent, field):
                add(name, ", ".join(names), mask_of(columns, names))

    apart = _platforms_apart(intent)
    if apart:  # "TGO or SAM": two sources beside each other, not SAM on TGO
        rest = [p for p in intent.platforms if p not in apart]
        mask = instrument_mask(columns, intent.instruments)
        if rest:
            mask &= platform_mask(columns, rest)
        add("source", ", ".join([*intent.instruments, *apart]), mask | platform_mask(columns, apart))
    else:
        add_named(_NAMED[:2])
    add_named(_NAMED[2:])
    if intent.resolution_m is not None:
        add("resolution", _resolution_words(intent.resolution_m), resolution_mask(columns, intent.resolution_m))
    if intent.ls_windows:
        words = " or ".join(f"Ls {a:g}–{b:g}°" for a, b in intent.ls_windows)
        add("season", words, np.logical_or.reduce([ls_mask(columns, w) for w in intent.ls_windows]))
    if intent.mars_years:
        add("Mars Year", ", ".join(map(str, intent.mars_years)), np.isin(columns.mars_year, intent.mars_years))
    if intent.sols is not None:
        add("sol", _sol_words(intent), sol_mask(columns, intent))
    if intent.dates is not None:
        add("date", f"{intent.dates[0] or '…'} to {intent.dates[1] or '…'}", date_mask(columns, intent.dates))
    out += exclusions(intent, columns)
    return out


def _platforms_apart(intent: SpatialIntent) -> list[str]:
    """Platforms named beside instruments of which they carry none: they are sources of their own."""
    if not (intent.instruments and intent.platforms):
        return []
    hosts: set[str] = set()
    for name in intent.instruments:
        spec = get_instrument(name)
        if spec is None:
            return []
        hosts |= {canonical_platform(p) for p in spec.platforms}
    return [p for p in intent.platforms if canonical_platform(p) not in hosts]


def exclusions(intent: SpatialIntent, columns: Columns) -> list[Constraint]:
    """ "not from HiRISE": masks that are True for what may stay."""
    out: list[Constraint] = []
    exclude = intent.exclude
    for name, field, mask_of in _NAMED:
        if names := getattr(exclude, field):
            out.append(Constraint(f"not {name}", f"not {', '.join(names)}", ~mask_of(columns, names)))
    if exclude.ls_deg is not None:
        a, b = exclude.ls_deg
        out.append(Constraint("not season", f"not Ls {a:g}–{b:g}°", ~ls_mask(columns, exclude.ls_deg)))
    return out


def instrument_mask(columns: Columns, names: Sequence[str]) -> Mask:
    """(n,) records of one of the instruments, aliases understood."""
    wanted = {canonical_instrument(n) for n in names}
    vocabulary = columns.coded["instrument"].names
    return columns.coded["instrument"].is_in({v for v in vocabulary if canonical_instrument(v) in wanted})


def platform_mask(columns: Columns, names: Sequence[str]) -> Mask:
    """(n,) records of one of the platforms; "Viking Orbiter" takes both orbiters, "Viking" all four."""
    wanted = {canonical_platform(n) for n in names}
    vocabulary = columns.coded["platform"].names
    families = tuple(w for w in wanted if w.startswith("viking") and not w[-1].isdigit())

    def ok(value: str) -> bool:
        found = canonical_platform(value)
        return found in wanted or any(found.startswith(f) for f in families)

    return columns.coded["platform"].is_in({v for v in vocabulary if ok(v)})


def institution_mask(columns: Columns, names: Sequence[str]) -> Mask:
    """(n,) records of one of the institutions; a space agency takes the records of its missions too."""
    by_name = columns.coded["institution"]
    craft = columns.coded["platform"]
    mask = by_name.is_in({v for v in by_name.names if any(institution_fits(n, v, None) for n in names)})
    return mask | craft.is_in(
        {p for p in craft.names if any(institution_fits(n, None, canonical_platform(p)) for n in names)}
    )


def level_mask(columns: Columns, levels: Sequence[str]) -> Mask:
    """(n,) records of one of the processing levels."""
    told = columns.coded["level"]
    return told.is_in({v for v in told.names if any(level_fits(wanted, v) for wanted in levels)})


def kind_mask(columns: Columns, kinds: Sequence[str]) -> Mask:
    """(n,) records of one of the kinds."""
    return columns.coded["kind"].is_in(set(kinds))


_Named = tuple[str, str, Callable[[Columns, Sequence[str]], Mask]]
_NAMED: tuple[_Named, ...] = (
    ("instrument", "instruments", instrument_mask),
    ("platform", "platforms", platform_mask),
    ("kind", "kinds", kind_mask),
    ("institution", "institutions", institution_mask),
    ("level", "levels", level_mask),
)
"""Constraints by name: what it is called, the field of a reading and of its exclusions, who meets it."""


def resolution_mask(columns: Columns, bounds: tuple[float | None, float | None]) -> Mask:
    """(n,) known resolution inside the bounds (1 % slack; a single number matches within a factor 1.25)."""
    low, high = bounds
    ell = columns.resolution_m
    factor = SAME_RESOLUTION if low is not None and low == high else SLACK
    with np.errstate(invalid="ignore"):
        ok = np.isfinite(ell)
        if low is not None:
            ok &= ell >= low / factor
        if high is not None:
            ok &= ell <= high * factor
    return np.asarray(ok)


def ls_mask(columns: Columns, window: tuple[float, float]) -> Mask:
    """(n,) solar longitude inside the window, which may wrap; both ends count."""
    low, high = window
    if high - low >= 360:
        return np.asarray(np.isfinite(columns.ls_deg))
    width = (high - low) % 360.0 or (360.0 if high != low else 1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.mod(columns.ls_deg - low, 360.0) <= width)


def sol_mask(columns: Columns, intent: SpatialIntent) -> Mask:
    """(n,) sols of the mission inside the range."""
    assert intent.sols is not None
    sols = intent.sols
    with np.errstate(invalid="ignore"):
        ok = np.isfinite(columns.sol)
        if sols.min is not None:
            ok &= columns.sol >= sols.min
        if sols.max is not None:
            ok &= columns.sol <= sols.max
    if sols.mission is not None:
        ok &= platform_mask(columns, [sols.mission])
    return np.asarray(ok)


def date_mask(columns: Columns, dates: tuple[str | None, str | None]) -> Mask:
    """(n,) records whose time overlaps the days given, the last day included."""
    first = -np.inf if dates[0] is None else _unix(dates[0])
    last = np.inf if dates[1] is None else _unix(dates[1]) + timedelta(days=1).total_seconds()
    stop = np.where(np.isfinite(columns.stop), columns.stop, columns.start)
    with np.errstate(invalid="ignore"):
        return np.asarray((columns.start < last) & (stop >= first))


def _unix(day: str) -> float:
    return datetime.combine(date.fromisoformat(day[:10]), time(), UTC).timestamp()


def _resolution_words(bounds: tuple[float | None, float | None]) -> str:
    low, high = bounds
    if low is None:
        return f"{high:g} m or finer"
    if high is None:
        return f"{low:g} m or coarser"
    return f"{low:g} to {high:g} m"


def _sol_words(intent: SpatialIntent) -> str:
    assert intent.sols is not None
    s = intent.sols
    return f"{s.mission or 'any mission'} sol {'' if s.min is None else s.min}–{'' if s.max is None else s.max}"
