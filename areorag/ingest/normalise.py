"""Scalars of labels to the normal form: units, sentinels, angles, times, names (AreoRAG §III-B, Definition 1).

Unknown becomes ``None``: UNK, N/A, NULL, "", -1e32, -9.99e31, -9998, xsi:nil and their kin. A number keeps its meaning
whatever the spelling of its unit; a number without a unit is judged only where its size leaves no doubt, and a
warning says so. Nothing here raises on bad input: a value that makes no sense is unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from .readers.odl import Block, Empty, Quantity, ValueSet

_NULL_WORDS = {
    "", "UNK", "UNKNOWN", "N/A", "NA", "NULL", "NONE", "NIL", "NAN", "TBD", "UNDEFINED", "NOT_APPLICABLE", "MISSING",
    "NOT APPLICABLE", "-", "--", "---", "UNSPECIFIED", "INAPPLICABLE", "ANTICIPATED", "INF", "-INF", "X'FFFFFFFF'",
    "NO DESCRIPTION GIVEN", "NOT AVAILABLE", "UNAVAILABLE", "?",
}  # fmt: skip
_SENTINELS = {-9998.0, -9999.0, -99999.0, -999999.0, -9999999.0, -32768.0, -2147483648.0, 9.9e20, -9998.99}
_HUGE = 1e29


def is_null_word(text: str) -> bool:
    """True for the words that labels use for "no value"."""
    return text.strip().strip("\"'").strip().upper() in _NULL_WORDS


def plain(value: Any) -> Any:
    """A value without its units; empty and block values are None."""
    if isinstance(value, Quantity):
        return plain(value.value)
    if isinstance(value, Empty | Block):
        return None
    return value


def units_of(value: Any) -> str | None:
    """The units written with a value, or None."""
    return value.units if isinstance(value, Quantity) else None


def items(value: Any) -> list[Any]:
    """A scalar, sequence or set as a list of plain values without nulls, in the order written."""
    value = value if not isinstance(value, Quantity) else value.value
    if value is None or isinstance(value, Empty | Block):
        return []
    if isinstance(value, list | tuple | ValueSet | set | frozenset):
        out: list[Any] = []
        for item in value:
            out += items(item)
        return out
    if isinstance(value, str) and is_null_word(value):
        return []
    return [value]


def text(value: Any, limit: int = 4000) -> str | None:
    """One line of text, or None when the value says nothing. A sequence of one is its member."""
    value = plain(value)
    if isinstance(value, list | tuple):
        parts = [t for t in (text(v, limit) for v in value) if t]
        return ", ".join(parts)[:limit] if parts else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if value is None or isinstance(value, bool):
        return None
    out = " ".join(str(value).replace("\x00", " ").split()).strip("\"'").strip()
    return None if is_null_word(out) else out[:limit]


def texts(value: Any) -> list[str]:
    """Every non-null text of a scalar, sequence or set; order kept, repeats dropped."""
    out: list[str] = []
    for item in items(value):
        one = text(item)
        if one and one not in out:
            out.append(one)
    return out


def number(value: Any, low: float | None = None, high: float | None = None) -> float | None:
    """A finite number inside [low, high], or None: sentinels, words and infinities are unknown."""
    value = plain(value)
    if isinstance(value, list | tuple) and len(value) == 1:
        value = plain(value[0])
    if value is None or isinstance(value, bool | datetime | date):
        return None
    if isinstance(value, str):
        word = value.strip().strip("\"'").strip()
        match = re.match(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=\s|$|<|%|°|[A-Za-z])", word)
        if not match or len(word) > 200:
            return None
        value = match.group()
    try:
        out = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(out) or abs(out) >= _HUGE or out in _SENTINELS:
        return None
    if (low is not None and out < low) or (high is not None and out > high):
        return None
    return out


def integer(value: Any, low: int = -(10**15), high: int = 10**15) -> int | None:
    """A whole number ("00081" is 81, 72.0 is 72), or None."""
    out = number(value, low, high)
    return int(out) if out is not None and out == int(out) else None


def numbers(value: Any) -> list[float]:
    """The finite numbers of a scalar, sequence or set, in order; units inside are ignored."""
    return [n for n in (number(v) for v in _flat(value)) if n is not None]


def _flat(value: Any) -> Iterator[Any]:
    value = value.value if isinstance(value, Quantity) else value
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _flat(item)
    else:
        yield value


# ---------------------------------------------------------------- lengths and angles

_PER_PIXEL_M = {
    "KM": 1000.0, "KILOMETER": 1000.0, "KILOMETERS": 1000.0, "KILOMETRE": 1000.0, "KILOMETRES": 1000.0,
    "M": 1.0, "METER": 1.0, "METERS": 1.0, "METRE": 1.0, "METRES": 1.0, "MM": 1e-3, "MILLIMETER": 1e-3,
    "MILLIMETERS": 1e-3, "CM": 1e-2, "CENTIMETER": 1e-2, "CENTIMETERS": 1e-2, "UM": 1e-6, "MICRON": 1e-6,
    "MICRONS": 1e-6, "MICROMETER": 1e-6, "MICROMETERS": 1e-6, "NM": 1e-9,
}  # fmt: skip
_PIXEL = {"PIXEL", "PIXELS", "PX", "PIX", "SAMPLE", "PIXEL-1", "PIXEL**-1"}
_DEGREE = {"DEG", "DEGREE", "DEGREES", "DEGREES_OF_LATITUDE"}


def _unit_parts(units: str | None) -> list[str]:
    return [p for p in re.split(r"[/\s]+|PER", (units or "").upper().replace("<", "").replace(">", "")) if p]


def resolution_m(value: Any, units: str | None = None, *, metres_per_degree: float) -> tuple[float | None, str | None]:
    """Ground sampling in metres per pixel, and a warning when the unit had to be judged.

    Understands KM/PIXEL, km/pixel, METERS/PIXEL, m/px, PIXEL/DEGREE and DEGREE/PIXEL in any case. Without a unit, a
    map scale below 0.2 is in km/pixel (the finest orbital product has 0.2 m/pixel), anything else in m/pixel.
    """
    amount = number(value, low=0.0)
    if amount is None or amount == 0.0:
        return None, None
    parts = _unit_parts(units or units_of(value))
    if not parts:
        return (amount * 1000.0, "map scale has no unit: read as km/pixel") if amount < 0.2 else (amount, None)
    if parts[0] in _PER_PIXEL_M and (len(parts) == 1 or parts[1] in _PIXEL):
        return amount * _PER_PIXEL_M[parts[0]], None
    if parts[0] in _PIXEL and len(parts) > 1 and parts[1] in _DEGREE:
        return metres_per_degree / amount, None
    if parts[0] in _DEGREE and len(parts) > 1 and parts[1] in _PIXEL:
        return metres_per_degree * amount, None
    return None, f"unit {units or units_of(value)!r} of a map scale is not understood"


_WAVE_NM = {
    "NM": 1.0, "NANOMETER": 1.0, "NANOMETERS": 1.0, "NANOMETRE": 1.0, "NANOMETRES": 1.0, "UM": 1e3, "MICRON": 1e3,
    "MICRONS": 1e3, "MICROMETER": 1e3, "MICROMETERS": 1e3, "MICROMETRE": 1e3, "MICROMETRES": 1e3, "ΜM": 1e3,
    "ANGSTROM": 0.1, "ANGSTROMS": 0.1, "M": 1e9, "METER": 1e9, "METERS": 1e9, "MM": 1e6, "CM": 1e7,
}  # fmt: skip


def wavelength_nm(value: Any, units: str | None = None) -> float | None:
    """A wavelength in nanometres. Without a unit: below 30 it is micrometres, else nanometres."""
    amount = number(value, low=0.0)
    if amount is None or amount == 0.0:
        return None
    unit = (units or units_of(value) or "").strip().upper().replace("µ", "U").replace("μ", "U")
    if unit:
        factor = _WAVE_NM.get(unit)
        return None if factor is None else round(amount * factor, 6)
    return round(amount * 1e3, 6) if amount < 30.0 else amount


def angle_deg(value: Any, low: float = 0.0, high: float = 180.0) -> float | None:
    """An angle in degrees inside [low, high]; radians are converted; UNIT-less is degrees."""
    amount = number(value)
    if amount is None:
        return None
    unit = (units_of(value) or "").strip().upper()
    if unit in {"RAD", "RADIAN", "RADIANS"}:
        amount = math.degrees(amount)
    return amount if low <= amount <= high else None


def latitude(value: Any) -> float | None:
    """A latitude in [-90, 90] degrees; a rounding overshoot of 0.001° is brought back."""
    amount = number(value)
    if amount is None or abs(amount) > 90.001:
        return None
    return max(-90.0, min(90.0, amount))


def longitude(value: Any) -> float | None:
    """A longitude in [-360, 720] degrees as written; anything else is unknown."""
    return number(value, -360.0, 720.0)


def solar_longitude(value: Any) -> float | None:
    """L_s in [0, 360); 360 is 0."""
    amount = angle_deg(value, 0.0, 360.0)
    return None if amount is None else amount % 360.0


# ---------------------------------------------------------------- times

_ISO = re.compile(
    r"^\s*(\d{4})-(?:(\d{2})-(\d{2})|(\d{3}))"
    r"(?:(?:T|\s+(?://\s*)?)(\d{1,2})(?::(\d{2}))?(?::(\d{2})(?:[.:](\d+))?)?)?\s*(Z|UTC|[+-]\d{2}:?(?:\d{2})?)?\s*$",
    re.I,
)
_EARLIEST, _LATEST = 1900, 2200


def time_utc(value: Any) -> datetime | None:
    """An instant in UTC, or None: ISO 8601 with calendar or day-of-year dates, a trailing Z, an offset, or neither (UTC).

    A leap second (…:60) is the instant one second after …:59. A date alone is its beginning. Years outside 1900-2200
    are no observation times.
    """
    value = plain(value)
    if isinstance(value, datetime):
        moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        return moment if _EARLIEST <= moment.year <= _LATEST else None
    if isinstance(value, date):
        return time_utc(datetime(value.year, value.month, value.day, tzinfo=UTC))
    if not isinstance(value, str):
        return None
    match = _ISO.match(value.strip().strip("\"'"))
    if not match:
        return None
    year, month, day, doy, hour, minute, second, fraction, zone = match.groups()
    if not _EARLIEST <= int(year) <= _LATEST:
        return None
    try:
        if doy:
            if not 1 <= int(doy) <= 366:
                return None
            moment = datetime(int(year), 1, 1, tzinfo=UTC) + timedelta(days=int(doy) - 1)
        else:
            moment = datetime(int(year), int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None
    hours, minutes, seconds = int(hour or 0), int(minute or 0), int(second or 0)
    if hours > 24 or minutes > 59 or seconds > 60:
        return None
    micro = round(float("0." + fraction) * 1e6) if fraction else 0
    moment += timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micro)
    if zone and zone.upper() not in {"Z", "UTC"}:
        sign = -1 if zone[0] == "-" else 1
        digits = zone[1:].replace(":", "").ljust(4, "0")
        moment -= sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
    return moment


def local_time(value: Any) -> tuple[int | None, str | None]:
    """(sol, HH:MM:SS[.fff]) of ``Sol-01614M15:56:24.253``, ``15:56:24``, decimal hours, or (None, None)."""
    if isinstance(plain(value), int | float) and not isinstance(plain(value), bool):
        hours = number(value, 0.0, 24.9999)
        return None, None if hours is None else hours_to_hms(hours)
    words = text(value)
    if not words:
        return None, None
    match = re.search(r"(?:sol[-_ ]?(\d{1,5})\s*[MAT]?\s*)?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.:](\d+))?)?", words, re.I)
    if match:
        sol, hour, minute, second, fraction = match.groups()
        if int(hour) < 25 and int(minute) < 60 and int(second or 0) < 61:
            clock = f"{int(hour):02d}:{minute}:{second or '00'}" + (f".{fraction}" if fraction else "")
            return (int(sol) if sol else None), clock
    hours = number(words, 0.0, 24.9999)
    return (None, hours_to_hms(hours)) if hours is not None else (None, None)


def hours_to_hms(hours: float) -> str:
    """``HH:MM:SS`` of decimal (Mars) hours."""
    seconds = round(hours * 3600.0) % 86_400
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


# ---------------------------------------------------------------- identifiers


def identifier(value: Any) -> str | None:
    """A product id, or None when it is empty or a placeholder ("TBD", "UNK", "urn:nasa:pds:none", …)."""
    out = text(value, 500)
    if out is None:
        return None
    tail = out.rsplit(":", 1)[-1].strip().upper()
    if tail in _NULL_WORDS and tail != "-":
        return None
    return out


def first(values: Iterable[Any]) -> Any:
    """The first value that is not None, or None."""
    return next((v for v in values if v is not None), None)
