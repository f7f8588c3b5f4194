"""Fault tests on numbers: datum, unit, sign, decimal shift, oxide against element, impossible values (METHODS §5).

Each test asks whether one bookkeeping error, and nothing physical, turns one value into the other.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ...planet.bodies import get_body
from ..claims import NumberMatch
from ..quantities import Quantity, quantities
from ..source import Source
from ..tables import read_table
from .base import Bridge, Pair

SPHERES_M = (3_396_000.0, 3_396_190.0, 3_389_500.0)  # heights "above the sphere" in HRSC and older products
ABSOLUTE_ZERO_C = 273.15
_FACTORS = (  # (factor, what was mixed up)
    (1000.0, "a factor of 1000 (km and m, wt% and ppm per mille, nT and µT)"),
    (100.0, "a factor of 100 (m and cm, hPa and Pa, % and fraction)"),
    (10.0, "a decimal point shifted by one place"),
    (1e4, "a factor of 10,000 (wt% and ppm)"),
    (1e6, "a factor of a million (ppb and ppm per mille, m and µm)"),
    (3.28084, "feet and metres"),
    (1.609344, "miles and kilometres"),
    (57.29578, "radians and degrees"),
    (3.6, "m/s and km/h"),
    (41840.0, "calories and joules in thermal inertia"),
    (418.4, "calories and joules in thermal inertia"),
    (4.184, "calories and joules"),
    (24.6597, "hours and sols"),
    (1.880711, "Mars years and Earth years"),
    (668.59, "sols and Mars years"),
    (365.25, "days and years"),
    (133.322, "torr and pascal"),
    (6.895, "psi and kPa"),
)
_OXIDE_FACTORS = {"K": 1.2046, "Fe": 1.2865, "S": 2.4972, "H": 8.9367, "Si": 2.1393, "Mg": 1.6583, "Ca": 1.3992, "Na": 1.3480,
                  "Al": 1.8895, "Ti": 1.6681, "Cr": 1.4616, "P": 2.2914, "Mn": 1.2912}  # fmt: skip

# (property words, dimension, low, high, source) of what Mars can show, base units
_LIMITS: tuple[tuple[str, str, float, float, str], ...] = (
    (r"elevation|areoid|height above|altitude|topograph", "length", -8300.0, 21500.0, "Smith et al. 2001: -8.2 to +21.2 km"),
    (r"surface temperature|ground temperature|soil temperature|"
     r"brightness temperature", "temperature", 125.0, 315.0, "Kieffer et al. 1977"),
    (r"air temperature|atmospheric temperature", "temperature", 100.0, 300.0, "Smith 2008"),
    (r"pressure", "pressure", 50.0, 1400.0, "Hess et al. 1980; Gomez-Elvira et al. 2014"),
    (r"optical depth|opacity|\btau\b", "number", 0.0, 13.0, "Guzewich et al. 2019: highest 10.8"),
    (r"albedo|reflectance", "number", 0.0, 0.9, "Christensen et al. 2001; fresh frost"),
    (r"albedo|reflectance", "fraction", 0.0, 0.9, "Christensen et al. 2001"),
    (r"thermal inertia", "inertia", 5.0, 3200.0, "Putzig & Mellon 2007; solid ice and rock"),
    (r"permittivity|dielectric", "number", 1.0, 16.0, "Campbell & Ulrichs 1969"),
    (r"wind speed|\bwinds?\b|gust", "speed", 0.0, 70.0, "Viking, InSight"),
    (r"water vapo|column|precipitable", "column", 0.0, 130e-6, "Smith 2004: up to 80-100 pr µm"),
    (r"methane", "fraction", 0.0, 50e-9, "Webster et al. 2018; Mumma et al. 2009 (45 ppb)"),
    (r"slope", "angle", 0.0, 90.0, "geometry"),
    (r"thickness of the crust|crustal thickness|moho", "length", 1e3, 1.2e5, "Wieczorek et al. 2022"),
    (r"\bage\b|exposure age|model age|formation age", "duration", 0.0, 1.44e17, "age of the Solar System, 4.567 Ga"),
    (r"potassium|K2O", "fraction", 0.0, 0.10, "Stolper et al. 2013; sanidine-rich rocks"),
    (r"relative humidity|humidity", "fraction", 0.0, 1.05, "saturation"),
    (r"sio2|silica", "fraction", 0.0, 1.0, "mass balance"),
    (r"abundance|content|coverage|fraction|mineral|hematite|clay", "fraction", 0.0, 1.0, "mass balance"),
    (r"dose", "dose", 0.0, 1e9, ""),
    (r"magnetic|field", "field", 0.0, 2e-5, "Johnson et al. 2020: 2 µT at InSight; 10x local"),
    (r"density", "density", 300.0, 8000.0, "rock and iron"),
)  # fmt: skip
_LOW_PLACES = re.compile(
    r"hellas|argyre|utopia|isidis|acidalia|vastitas|amazonis|arcadia|chryse|valles marineris floor|basin floor|"
    r"floor of|northern plains|lowlands?|jezero|gale|gusev|phoenix|landing site|planitia",
    re.I,
)
_HIGH_PLACES = re.compile(
    r"olympus|ascraeus|pavonis|arsia|\bmons\b|summit|tharsis|syria|polar layered|highlands|sacra|daedalia", re.I
)


@dataclass(frozen=True)
class _Odd:
    """Which side's number looks wrong and why."""

    side: str | None
    why: str


def sphere_offset_m(lat_deg: float, sphere_m: float = SPHERES_M[0]) -> float:
    """Height above a sphere minus height above the areoid, metres, at a planetocentric latitude.

    The areoid follows the reference ellipsoid to about 1 km (Smith et al. 2001); its radius at latitude φ is
    ab/√(b² cos² φ + a² sin² φ).

    >>> round(sphere_offset_m(68.22), -3)
    -17000.0
    """
    body = get_body("Mars")
    a, b = body.equatorial_radius_m, body.polar_radius_m
    phi = math.radians(lat_deg)
    radius = a * b / math.sqrt((b * math.cos(phi)) ** 2 + (a * math.sin(phi)) ** 2)
    return radius - sphere_m


def outside_limits(source: Source) -> str | None:
    """Why a claimed number cannot be on Mars, or None."""
    words = f"{source.property} {source.value} {source.subject}".lower()
    for q in quantities(source.value):
        for pattern, dimension, low, high, why in _LIMITS:
            if q.dimension == dimension and re.search(pattern, words):
                slack = 0.03 * (high - low)
                if q.low < low - slack or (q.high > high + slack and q.limit != "upper"):
                    return f"{q.text} lies outside what Mars shows ({why})"
                break
    return None


def _limit_penalty(pair: Pair) -> _Odd | None:
    wa, wb = outside_limits(pair.a), outside_limits(pair.b)
    if wa and not wb:
        return _Odd("a", wa)
    if wb and not wa:
        return _Odd("b", wb)
    return _Odd(None, f"{wa}; {wb}") if wa and wb else None


def oddness(source: Source) -> float:
    """How far a claim's main number lies outside the usual range of its property, natural-log units; 0 inside or unknown."""
    words = f"{source.property} {source.subject} {source.value}".lower()
    numbers = quantities(source.value)
    for pattern, dimension, low, high, _ in read_table("typical.tsv"):
        for q in numbers[:1]:
            if q.dimension == dimension and re.search(pattern, words):
                lo, hi, mid = float(low), float(high), abs(q.mid)
                if dimension == "temperature":
                    return max(0.0, (lo - q.mid) / 40.0, (q.mid - hi) / 40.0)
                if mid <= 0:
                    return 3.0 if q.mid < 0 else 0.5
                return max(0.0, math.log(lo / mid), math.log(mid / hi))
    return 0.0


def _less_usual(pair: Pair) -> _Odd:
    oa, ob = oddness(pair.a), oddness(pair.b)
    if abs(oa - ob) < 0.25:
        return _Odd(None, "")
    letter = "a" if oa > ob else "b"
    return _Odd(letter, f"{pair.side(letter).value} lies outside what is usual for {pair.side(letter).property}")


def unusual(pair: Pair) -> Bridge | None:
    """One value lies outside the usual range of its property, the other inside."""
    main = pair.comparison.main
    if main is None or main.compatible:
        return None
    if pair.profile.weight("elevation") > 0.4 and main.a.mid * main.b.mid < 0:
        by_place = _odd_by_sense(pair, main)
        if by_place.side is not None:
            return Bridge(
                "unusual value", "noise", "processing", 0.7, by_place.why, {}, "Smith et al. 2001", by_place.side
            )
    odd = _less_usual(pair)
    if odd.side is None:
        return None
    gap = abs(oddness(pair.a) - oddness(pair.b))
    return Bridge(
        "unusual value",
        "noise",
        "processing",
        0.8 * min(1.0, gap / 2.0),
        odd.why,
        {"gap": gap},
        "typical.tsv",
        odd.side,
    )


def _expected_sign(source: Source, question: str) -> int:
    words = f"{source.subject} {source.property} {question}"
    if _HIGH_PLACES.search(words):
        return 1
    return -1 if _LOW_PLACES.search(words) else 0


def own_text_disagrees(source: Source) -> str | None:
    """Value and text of one claim give different numbers: a copying fault within the side."""
    for x in quantities(source.value, bare=False):
        same = [y for y in quantities(source.text, bare=False) if y.dimension == x.dimension and y.species == x.species]
        if same and all(abs(x.mid - y.mid) > 0.5 * max(abs(x.mid), abs(y.mid)) for y in same):
            return f"its value says {x.text}, its text {same[0].text}"
    return None


def _odd_by_sense(pair: Pair, match: NumberMatch) -> _Odd:
    limit = _limit_penalty(pair)
    if limit is not None and limit.side is not None:
        return limit
    for letter, source in (("a", pair.a), ("b", pair.b)):
        why = own_text_disagrees(source)
        if why:
            return _Odd(letter, why)
    sign = _expected_sign(pair.a, pair.question) or _expected_sign(pair.b, pair.question)
    if sign and match.a.dimension == "length" and match.a.mid * match.b.mid < 0:
        odd = "a" if match.a.mid * sign < 0 else "b"
        return _Odd(odd, "the place is a lowland" if sign < 0 else "the place is high ground")
    return _less_usual(pair)


def impossible(pair: Pair) -> Bridge | None:
    """One value cannot be on Mars at all."""
    odd = _limit_penalty(pair)
    if odd is None:
        return None
    return Bridge(
        "impossible value", "noise", "processing", 0.9 if odd.side else 0.5, odd.why, {}, "limits table", odd.side
    )


def datum(pair: Pair) -> Bridge | None:
    """Heights above a sphere given as heights above the areoid: does the offset equal the one expected there?"""
    if pair.profile.weight("elevation") < 0.4 or pair.a.lat_deg is None:
        return None
    for match in pair.comparison.matches:
        if match.compatible or match.a.dimension != "length":
            continue
        offset = match.a.mid - match.b.mid
        for sphere in SPHERES_M:
            expected = sphere_offset_m(pair.a.lat_deg, sphere)
            if abs(expected) < 1200.0:
                continue
            for sign, odd in ((1.0, "a"), (-1.0, "b")):
                miss = abs(offset - sign * expected)
                if miss <= max(900.0, 0.1 * abs(expected)) + match.a.sigma + match.b.sigma:
                    text = (
                        f"the values differ by {offset / 1000:+.1f} km; a sphere of {sphere / 1000:.1f} km lies "
                        f"{expected / 1000:+.1f} km from the areoid at {pair.a.lat_deg:.1f}°: one height is above the sphere"
                    )
                    numbers = {"offset_m": offset, "expected_m": expected}
                    return Bridge("datum", "noise", "calibration", 0.95, text, numbers, "Smith et al. 2001", odd)
    return None


def sign_flip(pair: Pair) -> Bridge | None:
    """Equal magnitude, opposite sign."""
    for match in pair.comparison.matches:
        if match.sign_flip and not match.compatible:
            odd = _odd_by_sense(pair, match)
            text = f"{match.a.text} and {match.b.text} differ by their sign only" + (f"; {odd.why}" if odd.why else "")
            return Bridge("sign", "noise", "processing", 0.95, text, {}, "test", odd.side)
    return None


def _ratio_test(match: NumberMatch) -> tuple[float, str] | None:
    a, b = abs(match.a.mid), abs(match.b.mid)
    if min(a, b) <= 0 or match.a.mid * match.b.mid < 0:
        return None
    ratio = max(a, b) / min(a, b)
    loose = (match.a.sigma / a if a else 0.0) + (match.b.sigma / b if b else 0.0)
    for factor, what in _FACTORS:
        off = abs(math.log(ratio / factor))
        if off <= min(0.14, 0.03 + loose):
            exact = 1.0 - off / 0.15
            return (0.95 if factor in (100.0, 1000.0, 1e4, 1e6, 41840.0) else 0.75) * (0.7 + 0.3 * exact), what
    return None


def _digits(q: Quantity) -> str:
    """Significant digits of a number as written, without sign, point and zeros at the ends."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", q.text)
    return number[0].replace(",", "").replace(".", "").strip("0") if number else ""


def shifted(match: NumberMatch) -> bool:
    """The very same two or more digits, with the decimal point (or the unit's prefix) in another place."""
    a, b = _digits(match.a), _digits(match.b)
    if len(a) < 2 or a != b or match.a.mid * match.b.mid <= 0:
        return False
    power = math.log10(abs(match.a.mid / match.b.mid))
    return abs(power) > 0.5 and abs(power - round(power)) < 0.01


def unit_mixup(pair: Pair) -> Bridge | None:
    """Does one common factor turn one value into the other?"""
    for match in pair.comparison.matches:
        if match.compatible or match.a.limit or match.b.limit:
            continue
        if match.a.dimension == "temperature":
            bridge = _temperature_mixup(pair, match)
            if bridge:
                return bridge
            continue
        if shifted(match):
            odd = _odd_by_sense(pair, match)
            text = f"{match.a.text} and {match.b.text} have the same digits with the decimal point shifted"
            return Bridge(
                "decimal shift", "noise", "processing", 0.97, text, {"log_ratio": match.log_ratio}, "test", odd.side
            )
        found = _ratio_test(match)
        if found is not None:
            odd = _odd_by_sense(pair, match)
            text = f"{match.a.text} against {match.b.text}: the ratio is that of {found[1]}"
            return Bridge(
                "unit", "noise", "processing", found[0], text, {"log_ratio": match.log_ratio}, "test", odd.side
            )
    return None


def _temperature_mixup(pair: Pair, match: NumberMatch) -> Bridge | None:
    a, b = match.a.mid, match.b.mid
    odd = _odd_by_sense(pair, match)
    for x, y in ((a, b), (b, a)):
        tests = {
            "Celsius read as kelvin": abs((x - y) - ABSOLUTE_ZERO_C),
            "Fahrenheit read as Celsius": abs(((x - ABSOLUTE_ZERO_C) - 32.0) / 1.8 - (y - ABSOLUTE_ZERO_C)),
            "kelvin and Celsius exchanged in sign": abs((x - ABSOLUTE_ZERO_C) + (y - ABSOLUTE_ZERO_C))
            if abs(x - y) > 8
            else 99.0,
        }
        for what, miss in tests.items():
            if miss <= 3.0 + min(4.0, match.a.sigma + match.b.sigma):
                text = f"{match.a.text} against {match.b.text}: {what}"
                return Bridge("unit", "noise", "processing", 0.85, text, {"miss_k": miss}, "test", odd.side)
    return None


def oxide(pair: Pair) -> Bridge | None:
    """An oxide given as its element or the reverse: does undoing the conversion bring the values together?"""
    for match in pair.comparison.matches:
        species = match.a.species or match.b.species
        if match.compatible or match.a.limit or match.b.limit or species not in _OXIDE_FACTORS:
            continue
        if min(match.a.mid, match.b.mid) <= 0:
            continue
        ratio = max(match.a.mid, match.b.mid) / min(match.a.mid, match.b.mid)
        factor = _OXIDE_FACTORS[species]
        if factor > 1.15 and abs(math.log(ratio / factor)) < 0.07:
            text = f"{match.a.text} against {match.b.text}: the ratio {ratio:.2f} is that of {species} oxide to element"
            return Bridge("oxide", "noise", "processing", 0.75, text, {"ratio": ratio}, "atomic weights", None)
    return None


def magnitude(pair: Pair) -> float:
    """Size of the main disagreement in natural-log units or 5 for a change of sign; 0 without numbers."""
    main = pair.comparison.main
    return 0.0 if main is None or main.compatible else min(main.log_ratio, 5.0)
