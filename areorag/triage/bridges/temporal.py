"""Season, time of day and secular change: did the thing itself change between the observations (AreoRAG §III-D)?

Rates and windows, each with its source, are in the tables below. Differences of time alone say nothing: a bridge needs
a property that changes on the time scale that separates the observations.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..source import Source
from .base import Bridge, Pair, metres, ramp

# planet-encircling dust storms: (Mars Year, Ls onset, Ls clear again); Kass et al. 2016 GRL 43, 6111; Cantor 2007
# Icarus 186, 60; Guzewich et al. 2019 GRL 46, 71; Strausberg et al. 2005 JGR 110, E02006
STORMS = ((12, 204.0, 330.0), (25, 185.0, 265.0), (28, 262.0, 320.0), (34, 186.0, 270.0))


@dataclass(frozen=True)
class Rate:
    """A secular change: metres per Earth year between `low` and `high`, with source."""

    words: str
    low: float
    high: float
    what: str
    source: str


RATES = (
    Rate(r"dune|lee face|crest|slip face", 0.1, 1.5, "dune fronts advance", "Chojnacki et al. 2019 Geology 47, 427"),
    Rate(r"ripple", 0.2, 4.0, "sand ripples migrate", "Bridges et al. 2012 Nature 485, 339"),
    Rate(
        r"swiss|scarp|residual|polar|cap", 1.0, 2.5, "south polar scarps retreat", "Malin et al. 2001 Science 294, 2146"
    ),
    Rate(
        r"dust|track",
        0.0,
        0.0,
        "tracks are dusted over in one to a few Mars years",
        "Malin & Edgett 2001 JGR 106, 23429",
    ),
)
FADE_SOLS = {  # e-folding times of what fades
    "ice": (120.0, "exposed mid-latitude ice sublimes in weeks to months (Byrne et al. 2009, Science 325, 1674)"),
    "slope streak": (20000.0, "slope streaks fade over decades (Bergonio et al. 2013, Icarus 225, 194)"),
    "slope lineae": (150.0, "slope lineae fade within the cold season (McEwen et al. 2011, Science 333, 740)"),
    "dust devil": (500.0, "dust devil tracks are erased within a Mars year (Balme et al. 2003, JGR 108, 5086)"),
    "impact": (5000.0, "dark blast zones fade over years to decades (Daubar et al. 2016, Icarus 267, 86)"),
}


def seasonal_frost_expected(lat_deg: float, ls_deg: float) -> bool:
    """Is seasonal CO2 frost expected at a latitude and L_s? Edges after Piqueux et al. (2015), Icarus 251, 164.

    >>> seasonal_frost_expected(-80.0, 90.0), seasonal_frost_expected(-80.0, 300.0)
    (True, False)
    """
    phase = math.cos(math.radians(ls_deg - (270.0 if lat_deg > 0 else 90.0)))
    edge = 68.0 - 18.0 * phase  # 50° at solstice, 68° at the equinoxes
    if phase < -0.2:
        edge = 90.0
    return abs(lat_deg) >= edge


def in_global_storm(mars_year: int | None, ls_deg: float | None) -> bool:
    """Is a time inside one of the planet-encircling storms of `STORMS`?"""
    if mars_year is None or ls_deg is None:
        return False
    return any(year == mars_year and low <= ls_deg <= high for year, low, high in STORMS)


def lineae_active(lat_deg: float, ls_deg: float) -> bool:
    """Season in which slope lineae grow: southern summer in the south, northern spring to summer in Acidalia and Chryse.

    Stillman et al. (2014, 2016), Icarus 233, 328 and 265, 125.
    """
    return ls_deg >= 230.0 or ls_deg <= 25.0 if lat_deg < 0 else 20.0 <= ls_deg <= 200.0


def displacement_m(rate_m_per_year: float, days: float) -> float:
    """Metres moved in `days` at a rate per Earth year."""
    return rate_m_per_year * days / 365.25


def _order(pair: Pair) -> tuple[Source, Source]:
    first_is_a = pair.a.start is None or pair.b.start is None or pair.a.start <= pair.b.start
    return (pair.a, pair.b) if first_is_a else (pair.b, pair.a)


def _when(source: Source) -> str:
    if source.mars_year is None or source.ls_deg is None:
        return "an unknown date"
    return f"MY {source.mars_year} Ls {source.ls_deg:.0f}°"


def season(pair: Pair) -> Bridge | None:
    """Different seasons, and a property that follows the season."""
    gap = pair.delta_ls_deg
    if gap is None:
        return None
    score = pair.profile.of("season") * ramp(gap, 8.0, 60.0)
    notes, numbers = [f"the seasons differ by {gap:.0f}° of Ls ({_when(pair.a)}, {_when(pair.b)})"], {"d_ls_deg": gap}
    lat = pair.a.lat_deg if pair.a.lat_deg is not None else pair.b.lat_deg
    if lat is not None and pair.a.ls_deg is not None and pair.b.ls_deg is not None:
        if pair.profile.weight("frost", "polar cap", "spring activity") > 0.4:
            fa, fb = seasonal_frost_expected(lat, pair.a.ls_deg), seasonal_frost_expected(lat, pair.b.ls_deg)
            if fa != fb:
                score = max(score, 0.9)
                notes.append(f"seasonal CO2 frost is expected at {lat:.0f}° in one of them only")
        if pair.profile.weight("slope lineae") > 0.4:
            ra, rb = lineae_active(lat, pair.a.ls_deg), lineae_active(lat, pair.b.ls_deg)
            if ra != rb:
                score = max(score, 0.9)
                notes.append("slope lineae grow in one of the two seasons only")
    if score <= 0.02:
        return None
    return Bridge(
        "season", "temporal", "season", score, "; ".join(notes), numbers, "Piqueux et al. 2015; McEwen et al. 2011"
    )


def time_of_day(pair: Pair) -> Bridge | None:
    """Different local times, and a property that follows the Sun."""
    gap = pair.delta_hours
    words = bool(
        re.search(r"night|pre-?dawn|afternoon|morning|noon|sunrise|sunset|dawn|dusk|evening|\d{1,2}:\d\d", pair.text)
    )
    if gap is None:
        return None
    score = pair.profile.of("diurnal") * ramp(gap, 1.0, 5.0) * (1.0 if words else 0.7)
    if score <= 0.02:
        return None
    text = f"local solar times are {pair.a.local_hour:.1f} h and {pair.b.local_hour:.1f} h, {gap:.1f} h apart"
    return Bridge("time of day", "temporal", "diurnal", score, text, {"d_hours": gap}, "Allison & McEwen 2000")


def storm(pair: Pair) -> Bridge | None:
    """One observation inside a planet-encircling dust storm, the other outside."""
    sa, sb = in_global_storm(pair.a.mars_year, pair.a.ls_deg), in_global_storm(pair.b.mars_year, pair.b.ls_deg)
    touched = pair.profile.weight(
        "dust opacity", "albedo", "surface temperature", "radiation", "cloud", "water vapour", "escape"
    )
    mentions = "storm" in pair.text
    if sa == sb or max(touched, float(mentions)) < 0.2:
        return None
    inside = pair.a if sa else pair.b
    score = 0.9 * max(touched, 0.8 * float(mentions)) * max(pair.profile.of("event"), 0.4)
    text = f"{_when(inside)} lies in the planet-encircling dust storm of MY {inside.mars_year}; the other time does not"
    return Bridge("dust storm", "temporal", "storm", score, text, {}, "Kass et al. 2016; Guzewich et al. 2019")


def secular(pair: Pair) -> Bridge | None:
    """An event or a steady change between two dates, for things that do change."""
    days, sols = pair.days, pair.sols
    if days is None or sols is None or sols < 0.3:
        return None
    event = pair.profile.of("event")
    first, last = _order(pair)
    grown = ramp(math.log10(max(sols, 0.3)), 0.0, 2.3)
    score = event * (0.35 + 0.65 * grown)
    notes, numbers = [f"{sols:.0f} sols lie between {_when(first)} and {_when(last)}"], {"sols": sols}
    if pair.profile.weight("aeolian motion", "polar cap") > 0.35:
        for rate in RATES:
            if rate.high > 0 and re.search(rate.words, pair.text):
                low, high = displacement_m(rate.low, days), displacement_m(rate.high, days)
                numbers |= {"moved_low_m": low, "moved_high_m": high}
                notes.append(
                    f"{rate.what} at {rate.low}-{rate.high} m a year: {metres(low)} to {metres(high)} ({rate.source})"
                )
                if pair.scales_m and high < 0.3 * pair.scales_m[1]:
                    score *= 0.7  # the motion is smaller than the coarser camera shows
                break
    for kind, (sols_fade, note) in FADE_SOLS.items():
        name = {"ice": "exposed ice"}.get(kind, kind)
        if pair.profile.weight(name) > 0.35:
            left = math.exp(-sols / sols_fade)
            numbers["left"] = left
            notes.append(f"{note}: {100 * left:.0f} % would be left")
            break
    if score <= 0.02:
        return None
    return Bridge("secular change", "temporal", "event", score, "; ".join(notes), numbers, "rates in the module")
