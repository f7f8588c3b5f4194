"""Numbers with units in free text, as intervals in base units (claim comparison, AreoRAG §III-D stage 1).

``quantities("about −4.1 km")`` gives one length of −4100 m with the half-width that its precision allows. Ranges,
limits ("below 0.05 ppbv"), uncertainties (±), rough words ("several hundred metres") and oxides (K2O → K) are read.
Units are converted by pint.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# written unit -> (dimension, pint expression); longest alias wins
_UNITS: dict[str, tuple[str, str]] = {}


def _add(dimension: str, expression: str, *aliases: str) -> None:
    for alias in aliases:
        _UNITS[alias] = (dimension, expression)


_add("length", "kilometer", "km", "kms", "kilometre", "kilometer", "kilometres", "kilometers")
_add("length", "meter", "m", "metre", "meter", "metres", "meters")
_add("length", "decimeter", "decimetre", "decimetres", "dm")
_add("length", "centimeter", "cm", "centimetre", "centimeter", "centimetres", "centimeters")
_add("length", "millimeter", "mm", "millimetre", "millimeter", "millimetres", "millimeters")
_add("length", "micrometer", "um", "µm", "μm", "micron", "microns", "micrometre", "micrometres", "micrometers")
_add("length", "nanometer", "nm", "nanometre", "nanometres")
_add("length", "foot", "ft", "feet")
_add("column", "micrometer", "pr µm", "pr. µm", "pr um", "pr-um", "pr-µm", "pr μm", "precipitable microns")
_add("column", "micrometer", "precipitable micrometres", "precipitable um", "precipitable µm")
_add("temperature", "kelvin", "K", "kelvin", "kelvins")
_add("temperature", "degC", "°C", "C", "deg C", "degC", "degrees C", "degrees Celsius", "celsius", "℃", "º C")
_add("temperature", "degF", "°F", "degrees F", "degrees Fahrenheit")
_add("fraction", "percent", "wt%", "wt %", "wt.%", "wt. %", "weight percent", "weight per cent", "weight-percent")
_add("fraction", "percent", "%", "percent", "per cent", "vol%", "vol %", "vol.%", "mol%", "percent by weight")
_add("fraction", "ppm", "ppm", "ppmv", "parts per million", "mg/kg")
_add("fraction", "1e-3 ppm", "ppb", "ppbv", "parts per billion", "parts per billion by volume")
_add("fraction", "1e-6 ppm", "pptv", "ppt")
_add("permil", "dimensionless", "per mil", "permil", "‰")
_add("duration", "second", "s", "sec", "seconds")
_add("duration", "minute", "min", "minutes")
_add("duration", "hour", "h", "hr", "hours", "hour")
_add("duration", "1.0274912517 day", "sols", "martian days")
_add("duration", "day", "days", "day", "d")
_add("duration", "year", "years", "yr", "yrs", "year", "Earth years")
_add("duration", "686.98 day", "Mars years", "Mars year", "martian years")
_add("duration", "1e6 year", "Ma", "Myr", "million years", "My")
_add("duration", "1e9 year", "Ga", "Gyr", "billion years", "Gy")
_add("angle", "degree", "°", "deg", "degree", "degrees")
_add("pressure", "pascal", "Pa")
_add("pressure", "hectopascal", "hPa", "mbar", "millibar", "millibars", "mb")
_add("inertia", "dimensionless", "tiu", "TIU", "J m-2 K-1 s-1/2", "J m^-2 K^-1 s^-1/2", "J m−2 K−1 s−1/2")
_add("inertia", "dimensionless", "SI units", "thermal inertia units", "J m-2 K-1 s-0.5", "J m^-2 s^-0.5 K^-1")
_add("speed", "meter/second", "m/s", "m s-1", "m s^-1", "m s−1", "metres per second")
_add("speed", "kilometer/hour", "km/h", "km per hour")
_add("rate", "meter/year", "m/yr", "m per year", "metres per year", "metres per Earth year", "m per Earth year")
_add("rate", "0.00145565 meter/day", "m per Mars year", "metres per Mars year", "m/MY")
_add("rate", "centimeter/year", "cm/yr", "cm per year")
_add("field", "nanotesla", "nT", "nanotesla")
_add("field", "microtesla", "µT", "uT", "microtesla")
_add("density", "kilogram/meter**3", "kg/m3", "kg m-3", "kg/m^3", "kg m^-3", "kg m−3")
_add("density", "gram/centimeter**3", "g/cm3", "g cm-3", "g/cm^3", "g cm^-3", "g cm−3")
_add("dose", "milligray/day", "mGy/day", "mGy/d", "mGy per day")
_add("dose", "microgray/day", "µGy/day", "uGy/day")
_add("dose", "millisievert/day", "mSv/day", "mSv per day")
_add("conductivity", "watt/meter/kelvin", "W/m/K", "W m-1 K-1", "W m−1 K−1", "W/(m K)")
_add("flux", "watt/meter**2", "W/m2", "W m-2", "W m−2")
_add("area", "kilometer**2", "km2", "km^2", "square kilometres", "km²")
_add("area", "meter**2", "m2", "m^2", "m²", "square metres")
_add("frequency", "megahertz", "MHz")
_add("mass", "gram", "g", "grams")
_add("mass", "kilogram", "kg")
_add("opacity", "dimensionless", "optical depth", "optical depths")

_OXIDES = {  # factor: oxide mass per element mass (IUPAC 2021 atomic weights)
    "K2O": ("K", 1.2046), "Na2O": ("Na", 1.3480), "FeO": ("Fe", 1.2865), "FeOT": ("Fe", 1.2865),
    "FeO(T)": ("Fe", 1.2865), "Fe2O3": ("Fe", 1.4297), "MgO": ("Mg", 1.6583), "CaO": ("Ca", 1.3992),
    "Al2O3": ("Al", 1.8895), "SiO2": ("Si", 2.1393), "TiO2": ("Ti", 1.6681), "MnO": ("Mn", 1.2912),
    "P2O5": ("P", 2.2914), "Cr2O3": ("Cr", 1.4616), "SO3": ("S", 2.4972), "NiO": ("Ni", 1.2726), "ZnO": ("Zn", 1.2447),
    "H2O": ("H", 8.9367), "WEH": ("H", 8.9367), "water-equivalent": ("H", 8.9367), "water": ("H", 8.9367),
}  # fmt: skip
_ELEMENTS = ("K", "Na", "Fe", "Mg", "Ca", "Al", "Si", "Ti", "Mn", "P", "Cr", "S", "Cl", "Br", "Ni", "Zn", "Th", "H")
_ELEMENT_WORDS = {
    "potassium": "K", "sodium": "Na", "iron": "Fe", "magnesium": "Mg", "calcium": "Ca", "aluminium": "Al",
    "aluminum": "Al", "silicon": "Si", "titanium": "Ti", "manganese": "Mn", "phosphorus": "P", "sulfur": "S",
    "sulphur": "S", "chlorine": "Cl", "bromine": "Br", "nickel": "Ni", "zinc": "Zn", "thorium": "Th", "hydrogen": "H",
}  # fmt: skip

_NUMBER = (
    r"(?<![A-Za-z0-9.,_])(?P<sign>[-−–+]\s?)?(?P<num>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s?(?:[x×]\s?10\s?\^?\s?|e)(?P<exp>[-−+]?\d{1,2}))?"
)
_UNIT = "|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
_AFTER = r"(?![A-Za-z0-9µμ/^²³])"
_RANGE = re.compile(
    rf"{_NUMBER}(?:\s?(?P<unit1>{_UNIT}){_AFTER})?\s?(?:to|and|or|–|—|-|−)\s?"
    rf"(?P<sign2>[-−+]\s?)?(?P<num2>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)[ -]?(?P<unit>{_UNIT}){_AFTER}"
)
_CENTRED = re.compile(rf"{_NUMBER}\s?(?:±|\+/-|\+-|\+/−)\s?(?P<pm>\d+(?:\.\d+)?)(?:[ -]?(?P<unit>{_UNIT}){_AFTER})?")
_PLACE = re.compile(r"(?<![A-Za-z0-9.])(?P<num>\d{1,3}(?:\.\d+)?)\s?°?\s?(?P<way>[NSEW])(?![A-Za-z0-9])")
_SINGLE = re.compile(rf"{_NUMBER}[ -]?(?P<unit>{_UNIT}){_AFTER}")
_BARE_RANGE = re.compile(rf"{_NUMBER}\s?(?:to|–|—|-)\s?(?P<num2>\d+(?:\.\d+)?){_AFTER}")
_BARE = re.compile(rf"(?<!:){_NUMBER}(?![A-Za-z0-9:])")
_YEAR = re.compile(r"(?:19[6-9]\d|20[0-4]\d)")
_PLUS_MINUS = re.compile(rf"\s?(?:±|\+/-|\+-|\+/−)\s?(\d+(?:\.\d+)?)[ -]?(?:{_UNIT})?")

_WORD_NUMBERS: dict[str, tuple[float, float]] = {
    "a few": (2, 6), "few": (2, 6), "several": (3, 9), "a couple of": (2, 3), "tens of": (10, 90), "a dozen": (11, 13),
    "dozens of": (20, 90), "a few tens of": (20, 60), "several tens of": (30, 90), "a few hundred": (200, 600),
    "several hundred": (300, 900), "hundreds of": (100, 900), "many hundreds of": (300, 900), "a hundred": (90, 110),
    "a few thousand": (2000, 6000), "several thousand": (3000, 9000), "thousands of": (1000, 9000),
    "many thousands of": (3000, 9000), "a thousand": (900, 1100), "one": (1, 1), "two": (2, 2), "three": (3, 3),
    "four": (4, 4), "five": (5, 5), "six": (6, 6), "seven": (7, 7), "eight": (8, 8), "nine": (9, 9), "ten": (10, 10),
    "twelve": (12, 12), "fifteen": (15, 15), "twenty": (20, 20), "thirty": (30, 30), "fifty": (50, 50), "half a": (0.5, 0.5),
    "one hundred": (100, 100), "two hundred": (200, 200), "five hundred": (500, 500), "a": (0.7, 1.4), "four to six": (4, 6),
    "two to three": (2, 3), "three to five": (3, 5), "a tenth of a": (0.1, 0.1), "a quarter": (0.25, 0.25),
    "two to four": (2, 4), "one to two": (1, 2), "five to ten": (5, 10), "ten to twenty": (10, 20),
}  # fmt: skip
_LENGTH_WORDS = (
    "kilometres?|kilometers?|metres?|meters?|decimetres?|centimetres?|centimeters?|"
    "millimetres?|millimeters?|micrometres?|microns?|km|cm|mm"
)
_WORDS = re.compile(
    r"\b(?P<word>" + "|".join(sorted(map(re.escape, _WORD_NUMBERS), key=len, reverse=True))
    + rf")[ -](?P<unit>{_LENGTH_WORDS}|degrees|kelvins?|percent|per cent|wt%|hours|sols|years|pixels)\b",
    re.IGNORECASE,
)  # fmt: skip
_SCALE_WORD = re.compile(
    r"(?<![A-Za-z])(?P<sub>sub-?)?(?P<unit>kilometre|kilometer|decametre|hectometre|metre|meter|decimetre|centimetre|"
    r"centimeter|"
    r"millimetre|millimeter|micrometre|micron)[ -](?:scale|sized?|wide|thick|high|deep|long|across)\b|"
    r"(?<![A-Za-z])(?P<sub2>sub-?)(?P<unit2>metre|meter|kilometre|centimetre|millimetre|micron)\b",
    re.IGNORECASE,
)
_SCALE_M = {
    "kilometre": 1e3, "kilometer": 1e3, "decametre": 10.0, "hectometre": 100.0, "metre": 1.0, "meter": 1.0,
    "decimetre": 0.1, "centimetre": 0.01, "centimeter": 0.01, "millimetre": 1e-3, "millimeter": 1e-3,
    "micrometre": 1e-6, "micron": 1e-6,
}  # fmt: skip

_UPPER = re.compile(
    r"(?:<|≤|below|less than|under|at most|no more than|not more than|fewer than|upper limit(?: of| near)?|limit of|"
    r"limit near|smaller than|lower than|within|not exceeding|shallower than|thinner than|colder than|cooler than|"
    r"younger than|detection limit(?: of| near)?|limit(?: is| was)?)\s*(?:about|roughly|~|around|near)?\s*(?:a|an|the)?\s*$",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"\bup to\s*(?:about|~)?\s*$", re.IGNORECASE)
_ASPECTS = (
    (r"long\b|length", "long"),
    (r"wide|across|in diameter|diameter|width", "wide"),
    (r"high\b|tall|height|relief", "high"),
    (r"deep|depth|below", "deep"),
    (r"thick", "thick"),
    (r"apart|spacing|between", "apart"),
)
_CONTEXT = re.compile(
    r"^\s*(?:baselines?|pixels?|resolution|footprints?|scale|samples?|spots?|cells?|wavelengths?)\b", re.IGNORECASE
)
_LOWER = re.compile(
    r"(?:>|≥|above|more than|over|at least|exceeding|exceeds|greater than|not less than|no less than|in excess of|"
    r"lower limit(?: of)?|beyond|deeper than|thicker than|larger than|higher than|older than|warmer than|"
    r"minimum(?: of)?)\s*(?:about|roughly|~|around)?\s*(?:a|an|the)?\s*$",
    re.IGNORECASE,
)
_APPROX = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|near|close to|circa|c\.|ca\.?|~|≈|some|of order|"
    r"order of)\s*(?:a|an|the)?\s*$",
    re.IGNORECASE,
)
_NOT_A_VALUE = re.compile(
    r"(?:\b(?:MY|Ls|L_s|sols?|orbit|site|Mars Year|Martian year|year|band at|bands at|bands near|feature at|"
    r"figure|sample|band|line|scale|degree|version|v|MHz|λ|wavelengths? of|absorptions? at|absorptions? near)\s*)$",
    re.IGNORECASE,
)
_MINUS_WORDS = re.compile(
    r"\b(?:below (?:the )?(?:areoid|datum|zero|reference|mean|sea)|beneath the (?:areoid|datum)|depression)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quantity:
    """An interval [low, high] in base units (pint's SI; fractions are dimensionless; inertia in tiu).

    ``sigma`` is the half-width that precision, "about" and ± allow; ``limit`` is ``upper`` for "below x" and ``lower``
    for "above x"; ``species`` is the element the number counts, after oxides were converted; ``label`` the word before.
    """

    low: float
    high: float
    sigma: float
    dimension: str
    limit: str | None
    species: str | None
    text: str
    start: int
    written: float
    unit: str
    label: str = ""
    oxide: str | None = None
    aspect: str = ""
    oxide_factor: float = 1.0

    @property
    def mid(self) -> float:
        """Middle of the interval; the bound itself for a limit."""
        if self.limit == "upper":
            return self.high
        if self.limit == "lower":
            return self.low
        return 0.5 * (self.low + self.high)


@lru_cache(maxsize=1)
def _pint() -> Any:
    import pint

    return pint.UnitRegistry(cache_folder=None)


@lru_cache(maxsize=512)
def to_base(unit: str) -> tuple[float, float]:
    """(factor, offset) with base = written · factor + offset, by pint, for a written unit."""
    dimension, expression = _UNITS[unit]
    if dimension in ("permil", "inertia", "opacity"):
        return 1.0, 0.0
    registry = _pint()
    match = re.fullmatch(r"([0-9.e+-]+) (.+)", expression)
    scale, name = (float(match[1]), match[2]) if match else (1.0, expression)
    if dimension == "temperature":
        zero = registry.Quantity(0.0, name).to("kelvin").magnitude
        one = registry.Quantity(1.0, name).to("kelvin").magnitude
        return float(one - zero), float(zero)
    base = registry.Quantity(1.0, name).to_base_units().magnitude
    if dimension == "angle":
        base = 1.0
    return float(base) * scale, 0.0


_SPECTRAL = re.compile(r"\b(?:bands?|features?|absorptions?|lines?|wavelengths?)\b", re.IGNORECASE)
_ANY = re.compile(
    r"\d|(?:metre|meter|micron|degree|kelvin|percent|per cent|wt%|hours|sols|years|pixels|\bkm\b|\bcm\b|\bmm\b)",
    re.IGNORECASE,
)


def _to_float(sign: str | None, num: str, exp: str | None) -> float:
    value = float(num.replace(",", ""))
    if exp:
        value *= 10.0 ** int(exp.replace("−", "-"))
    return -value if sign and sign.strip() in "-−–" else value


def _precision(num: str, exp: str | None) -> float:
    """Half a unit of the last digit that carries meaning."""
    digits = num.replace(",", "")
    if "." in digits:
        step = 10.0 ** -len(digits.split(".")[1])
    else:
        zeros = len(digits) - len(digits.rstrip("0"))
        step = min(10.0**zeros, 0.1 * max(1.0, float(digits)))  # "1000 km" is not a number good to 500 km
    return 0.5 * step * (10.0 ** int(exp.replace("−", "-")) if exp else 1.0)


def _species(before: str, after: str) -> tuple[str | None, float, str | None]:
    """Element counted, oxide factor and oxide name, from the words right around a mass fraction."""
    chunk_after = re.match(r"\s*(?:of\s+)?\(?([A-Za-z][A-Za-z0-9()-]*)", after)
    chunk_before = re.search(
        r"([A-Za-z][A-Za-z0-9()-]*)\s*(?:is|of|near|about|at|above|below|=|content|abundance|from|[:~<>≈,(]|\s)*$",
        before,
    )
    for chunk in (chunk_after, chunk_before):
        if chunk is None:
            continue
        word = chunk[1].rstrip("-")
        if word in _OXIDES:
            element, factor = _OXIDES[word]
            return element, factor, word
        if word in _ELEMENTS:
            return word, 1.0, None
        if word.lower() in _ELEMENT_WORDS:
            return _ELEMENT_WORDS[word.lower()], 1.0, None
    return None, 1.0, None


def _label(before: str) -> str:
    words = re.findall(r"[A-Za-z]{3,}", before[-40:])
    stop = {"about", "around", "near", "with", "and", "above", "below", "some", "than", "from", "between", "roughly"}
    words = [w.lower() for w in words if w.lower() not in stop]
    return words[-1] if words else ""


def _make(text: str, m: re.Match[str], bare: bool = False) -> Quantity | None:
    before, groups = text[: m.start()], m.groupdict()
    spectral = groups.get("unit") in ("nm", "um", "µm", "μm", "MHz") and _SPECTRAL.search(before[-40:])
    if _NOT_A_VALUE.search(before[-24:]) and (bare or spectral):
        return None
    if _CONTEXT.match(text[m.end() :]):
        return None
    first = _to_float(groups["sign"], groups["num"], groups["exp"])
    second = first
    if groups.get("num2"):
        second = _to_float(groups.get("sign2"), groups["num2"], None)
        if first < 0 <= second and not groups.get("sign2") and groups["sign"] and second > -first * 0.2:
            second = -second if second >= -first else second
    unit = groups.get("unit")
    dimension = _UNITS[unit][0] if unit else "number"
    factor, offset = to_base(unit) if unit else (1.0, 0.0)
    sigma = _precision(groups["num"], groups["exp"])
    if groups.get("num2"):
        sigma = min(sigma, _precision(groups["num2"], None))
    tail = text[m.end() :]
    plus_minus = _PLUS_MINUS.match(tail)
    if groups.get("pm") or plus_minus:
        sigma = 2.0 * float(groups.get("pm") or plus_minus[1])  # type: ignore[index]
    factor1 = to_base(groups["unit1"])[0] if groups.get("unit1") else factor
    low, high = sorted((first * factor1 + offset, second * factor + offset))
    approx = bool(_APPROX.search(before[-24:]))
    species, oxide_factor, oxide = (None, 1.0, None)
    if dimension == "fraction":
        species, oxide_factor, oxide = _species(before, tail)
        low, high = low / oxide_factor, high / oxide_factor
    if dimension == "length" and re.match(r"\s*(?:of )?(?:precipitable|column water|pr\b)", tail):
        dimension = "column"
    if _UP_TO.search(before[-16:]) and low == high and low > 0:
        low = 0.5 * high  # "up to x" names the largest of many, it is no limit of what could be seen
    limit = "upper" if _UPPER.search(before[-40:]) else "lower" if _LOWER.search(before[-40:]) else None
    if dimension == "length" and low > 0 and _MINUS_WORDS.match(tail.lstrip()):
        low, high = -high, -low
    return Quantity(
        low=low,
        high=high,
        sigma=sigma * factor / oxide_factor * (2.0 if approx else 1.0),
        dimension=dimension,
        limit=limit,
        species=species,
        text=m.group(0).strip(),
        start=m.start(),
        written=first,
        unit=unit or "",
        label=_label(before),
        oxide=oxide,
        oxide_factor=oxide_factor,
        aspect=_aspect(tail) if dimension == "length" else "",
    )


def _aspect(tail: str) -> str:
    """Which extent a length is: the word within the next two words says so."""
    near = " ".join(tail.lower().split()[:2])
    return next((name for pattern, name in _ASPECTS if re.search(pattern, near)), "")


def _word_quantity(m: re.Match[str], start: int) -> Quantity:
    low, high = _WORD_NUMBERS[m["word"].lower()]
    unit = m["unit"].lower()
    dimension, factor = "count", 1.0
    if unit in _UNITS:
        dimension, (factor, _) = _UNITS[unit][0], to_base(unit)
    return Quantity(low * factor, high * factor, 0.0, dimension, None, None, m.group(0), start, low, unit)


@lru_cache(maxsize=8192)
def quantities(text: str, bare: bool = True) -> tuple[Quantity, ...]:
    """Every quantity of a text in order; `bare` also takes numbers without a unit (dimension ``number``).

    >>> q = quantities("about -4.1 km")[0]
    >>> round(q.low), round(q.sigma)
    (-4100, 100)
    """
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    if not _ANY.search(text):
        return ()

    def free(m: re.Match[str]) -> bool:
        return all(m.end() <= s or m.start() >= e for s, e in taken)

    for m in _PLACE.finditer(text):
        taken.append((m.start(), m.end()))
        value = float(m["num"]) * (-1.0 if m["way"] in "SW" else 1.0)
        sigma = _precision(m["num"], None)
        dimension = "latitude" if m["way"] in "NS" else "longitude"
        found.append(Quantity(value, value, sigma, dimension, None, None, m[0], m.start(), value, m["way"]))
    passes: list[tuple[re.Pattern[str], bool]] = [(_CENTRED, False), (_RANGE, False), (_SINGLE, False)]
    if bare:
        passes += [(_BARE_RANGE, True), (_BARE, True)]
    for pattern, is_bare in passes:
        for m in pattern.finditer(text):
            if not free(m) or (is_bare and _YEAR.fullmatch(m.group(0))):
                continue
            taken.append((m.start(), m.end()))
            quantity = _make(text, m, is_bare)
            if quantity is not None and math.isfinite(quantity.low) and math.isfinite(quantity.high):
                found.append(quantity)
    for m in _SCALE_WORD.finditer(text):
        if free(m):
            taken.append((m.start(), m.end()))
            metres = _SCALE_M[(m["unit"] or m["unit2"]).lower()]
            low, high = (0.1 * metres, metres) if m["sub"] or m["sub2"] else (0.5 * metres, 5.0 * metres)
            found.append(Quantity(low, high, 0.0, "length", None, None, m.group(0), m.start(), low, "m", "scale"))
    for m in _WORDS.finditer(text):
        if free(m):
            taken.append((m.start(), m.end()))
            found.append(_word_quantity(m, m.start()))
    return tuple(sorted(found, key=lambda q: q.start))
