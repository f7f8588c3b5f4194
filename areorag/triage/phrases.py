"""Words for simulated claims: sizes, numbers with units and precision, and sentences around them."""

from __future__ import annotations

import math
import random

from ..planet.instruments import InstrumentSpec

_UNIT_SCALE = {  # written = base · factor + offset, base being the scenario's first unit
    ("m", "km"): (1e-3, 0.0),
    ("km", "m"): (1e3, 0.0),
    ("K", "°C"): (1.0, -273.15),
    ("Pa", "hPa"): (0.01, 0.0),
    ("Pa", "mbar"): (0.01, 0.0),
    ("ppbv", "ppb"): (1.0, 0.0),
    ("%", "ppm"): (1e4, 0.0),
    ("tiu", "J m-2 K-1 s-1/2"): (1.0, 0.0),
    ("%", "percent"): (1.0, 0.0),
    ("wt% K2O", "wt% K"): (1 / 1.2046, 0.0),
    ("wt% FeO", "wt% Fe"): (1 / 1.2865, 0.0),
    ("wt%", "%"): (1.0, 0.0),
    ("Ga", "Myr"): (1e3, 0.0),
    ("m/s", "km/h"): (3.6, 0.0),
    ("nT", "µT"): (1e-3, 0.0),
    ("mGy/day", "µGy/day"): (1e3, 0.0),
    ("um", "mm"): (1e-3, 0.0),
    ("m per year", "m per Mars year"): (1.8808, 0.0),
    ("cm", "m"): (0.01, 0.0),
    ("ppm", "%"): (1e-4, 0.0),
    ("degrees", "°"): (1.0, 0.0),
    ("pr um", "precipitable micrometres"): (1.0, 0.0),
    ("wt%", "wt% WEH"): (1.0, 0.0),
    ("wt% Cl", "wt%"): (1.0, 0.0),
}
_WORDS = (
    (1.4, "a metre"),
    (2.5, "two metres"),
    (4, "a few metres"),
    (9, "several metres"),
    (25, "ten to twenty metres"),
)
_VERBS = ("show", "reveal", "give", "record")
_NOUNS = {
    "imaging": "images",
    "spectroscopy": "spectra",
    "sounding": "profiles",
    "diffraction": "diffraction patterns",
    "radar": "radargrams",
    "meteorology": "sensor readings",
    "microscopy": "close-up images",
    "altimetry": "heights",
}


def size_text(size_m: float, rng: random.Random) -> str:
    """A size in metres as a person would write it."""
    if rng.random() < 0.35:
        for limit, words in _WORDS:
            if size_m <= limit and size_m > limit / 3:
                return words
    if size_m < 0.01:
        return f"{size_m * 1000:.0f} mm" if size_m >= 0.001 else f"{size_m * 1000:.1f} mm"
    if size_m < 0.8:
        return f"{size_m * 100:.0f} cm"
    if size_m < 2000:
        return f"{float(f'{size_m:.2g}'):g} m"
    return f"{float(f'{size_m / 1000:.2g}'):g} km"


def phrase_text(phrase: str, size_m: float, rng: random.Random) -> str:
    """A phrase with its size filled in."""
    return phrase.format(z=size_text(size_m, rng)) if "{z}" in phrase else phrase


def _noun(spec: InstrumentSpec) -> str:
    return next((noun for word, noun in _NOUNS.items() if word in spec.technique), "measurements")


def number_text(value: str, subject: str, spec: InstrumentSpec, rng: random.Random) -> str:
    """A sentence that states a presence value."""
    noun, verb = _noun(spec), rng.choice(_VERBS)
    forms = (
        f"{noun.capitalize()} of the {subject} {verb} {value}.",
        f"{value[0].upper()}{value[1:]} on the {subject}.",
        f"The {subject} is described as follows: {value}.",
        f"In the {spec.name} data the {subject} has {value}.",
        f"{noun.capitalize()} {verb} {value} at this place.",
    )
    return rng.choice(forms)


def quantity_text(value: str, subject: str, prop: str, spec: InstrumentSpec, rng: random.Random) -> str:
    """A sentence that states a numeric value."""
    noun, verb = _noun(spec), rng.choice(_VERBS)
    forms = (
        f"{noun.capitalize()} {verb} a {prop} of {value} for the {subject}.",
        f"The {prop} at the {subject} is {value}.",
        f"{noun.capitalize()} {verb} {value}.",
        f"The {subject} has a {prop} of {value} in the {spec.name} product.",
    )
    return rng.choice(forms)


def _round(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) >= 10000 or (abs(rounded) >= 1 and rounded == int(rounded)):
        return f"{int(rounded)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:.{decimals}f}"


def write_value(value: float, base: str, unit: str, digits: int, approx: str) -> str:
    """A value given in the base unit, written in `unit` with so many significant digits."""
    factor, offset = _UNIT_SCALE.get((base, unit), (1.0, 0.0))
    number = _round(value * factor + offset, digits)
    if unit in ("none", "tau", ""):
        return f"{approx}{'tau ' if unit == 'tau' and not approx else ''}{number}"
    joint = "" if unit.startswith("°") else " "
    return f"{approx}{number}{joint}{unit}"


def agreeing_values(
    value: float, other: float, units: list[str], name: str, rng: random.Random, exact: bool, same: bool
) -> list[str]:
    """Two values written out; units, precision and hedges drawn independently for each side."""
    base = units[0] if units else ""
    out = []
    for index, v in enumerate((value, other)):
        unit = rng.choice(units) if units and not exact else base
        digits = rng.choice((2, 3, 3)) if "temperature" not in name else 3
        approx = rng.choice(("", "", "about ", "near ", "roughly ", "around "))
        text = write_value(v, base, unit, digits, approx)
        if not same and not exact and rng.random() < 0.14 and value != other:
            text = _bounded(v, v > min(value, other), base, unit, rng) or text
        elif same and rng.random() < 0.3:
            text = _loosen(v, base, unit, rng) or text
        elif not exact and index and rng.random() < 0.1 and unit not in ("none", "tau"):
            low, high = sorted((v * 0.95, v * 1.05))
            text = f"{write_value(low, base, unit, 2, '')} to {write_value(high, base, unit, 2, '')}"
        out.append(text)
    return out


def _bounded(v: float, larger: bool, base: str, unit: str, rng: random.Random) -> str | None:
    """The larger of two different values as a lower limit, the smaller as an upper limit or a non-detection."""
    if unit.startswith("°") or unit in ("none", "tau", "") or v <= 0:
        return None
    factor, offset = _UNIT_SCALE.get((base, unit), (1.0, 0.0))
    if offset:
        return None
    if larger:
        return f"{rng.choice(('more than', 'above', 'at least'))} {_round(v * factor * 0.9, 2)} {unit}"
    start = rng.choice(("below", "less than", "not detected, below", "under"))
    return f"{start} {_round(v * factor * 1.1, 2)} {unit}"


def _loosen(v: float, base: str, unit: str, rng: random.Random) -> str | None:
    """A range, a limit or ± around a value."""
    if unit.startswith("°") or unit in ("none", "tau", ""):
        return None
    factor, offset = _UNIT_SCALE.get((base, unit), (1.0, 0.0))
    low, high = sorted((v * factor * 0.88 + offset, v * factor * 1.15 + offset))
    if offset or v < 0:
        return None
    kind = rng.choice(("range", "between", "plus", "below", "above"))
    if kind == "range":
        return f"{_round(low, 2)} to {_round(high, 2)} {unit}"
    if kind == "between":
        return f"between {_round(low, 2)} and {_round(high, 2)} {unit}"
    if kind == "plus":
        return f"{_round(v * factor, 2)} ± {_round(0.1 * v * factor, 1)} {unit}"
    if kind == "below":
        return f"below {_round(high * 1.3, 2)} {unit}"
    return f"more than {_round(low * 0.8, 2)} {unit}"
