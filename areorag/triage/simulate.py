"""Simulated pairs: claims made to follow the physics of the registry and the bridges, with distractors (METHODS §5).

Every pair differs in several dimensions at once; only one of them is the reason for its label. Distractors are drawn
independently of the label: other instruments, years between harmless observations, harmless flags, authorities that
overlap between all labels. Scenarios are tables (``data/scenarios_*.tsv``); the seed fixes everything.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..planet.instruments import InstrumentSpec, get_instrument
from ..planet.marstime import from_ls
from .bridges.numeric import sphere_offset_m
from .literature import LABELS, build_side, observation_time
from .phrases import agreeing_values, number_text, phrase_text, quantity_text
from .tables import read_table

FAULT_FLAGS = (
    "SATURATED",
    "SUPERSEDED_CALIBRATION",
    "BAD_COLUMN",
    "STRAY_LIGHT",
    "UNCALIBRATED",
    "DROPOUT",
    "SPIKE_NOISE",
    "LOW_SNR",
    "MISREGISTERED",
    "DETECTOR_ARTIFACT",
    "CALIBRATION_SUSPECT",
    "CROSSTALK",
    "DEGRADED_FOCUS",
    "CONTAMINATED",
    "BACKGROUND_NOT_REMOVED",
    "CLUTTER_UNCORRECTED",
    "DARK_NOT_SUBTRACTED",
    "BLURRED",
    "COSMIC_RAY_HIT",
    "COREGISTRATION_RESIDUAL",
    "TIME_TAG_SUSPECT",
    "OUT_OF_RANGE",
    "GAIN_ERROR",
    "TELEMETRY_GAP",
)
FAULT_LEVELS = (
    "preliminary", "quicklook", "superseded version", "scanned report table", "transcribed table", "uncalibrated EDR", "draft",
    "automatic pipeline, unvalidated", "re-keyed spreadsheet", "browse product", "first release", "converted by third party",
    "digitised plot", "OCR of printed table", "summary sheet", "regridded copy",
)  # fmt: skip
FAULT_INSTITUTIONS = (
    "literature compilation",
    "data portal mirror",
    "press release",
    "third-party aggregator",
    "student report",
)
VIEWING = ("shallow relief", "surface brightness")
DAILY = ("water ice clouds", "water frost")
YEARS = (24, 36)


@dataclass(frozen=True)
class Scenario:
    """One row of a scenario table, cells split."""

    cells: tuple[str, ...]

    def many(self, column: int) -> list[str]:
        """Cell as a list; "-" and "" give an empty one."""
        cell = self.cells[column] if column < len(self.cells) else ""
        return [] if cell in ("", "-") else [part.strip() for part in cell.split(";") if part.strip()]

    def span(self, column: int, separator: str = " ") -> tuple[float, float]:
        """Cell as (low, high)."""
        low, high = self.cells[column].rsplit(separator, 1)
        return float(low), float(high)

    @property
    def name(self) -> str:
        """Property."""
        return self.cells[0]


def presence_scenarios() -> list[Scenario]:
    """Rows of ``scenarios_presence.tsv``."""
    return [Scenario(tuple(row)) for row in read_table("scenarios_presence.tsv")]


def number_scenarios() -> list[Scenario]:
    """Rows of ``scenarios_number.tsv``."""
    return [Scenario(tuple(row)) for row in read_table("scenarios_number.tsv")]


def _spec(names: list[str], rng: random.Random) -> InstrumentSpec | None:
    specs = [s for s in (get_instrument(n) for n in names) if s is not None]
    return rng.choice(specs) if specs else None


def _when(rng: random.Random, ls: tuple[float, float] | None = None, inside: bool = True) -> datetime:
    """A time in the years of modern missions; with a (wrapping) Ls window inside or outside of it."""
    year = rng.randint(*YEARS)
    for _ in range(200):
        value = rng.uniform(0, 360)
        if ls is None:
            break
        within = ls[0] <= value <= ls[1] if ls[0] <= ls[1] else value >= ls[0] or value <= ls[1]
        edge = min(abs((value - e + 180) % 360 - 180) for e in ls)
        if within == inside and (inside or edge > 20):
            break
    return from_ls(year, value)


def _clocked(
    spec: InstrumentSpec, when: datetime, lon: float, rng: random.Random, hour: float | None = None
) -> datetime:
    if hour is None:
        usual = {"MRO": 15.0, "MGS": 14.0, "Mars Odyssey": 16.5}.get(spec.platform)
        hour = rng.gauss(usual, 0.3) if usual else rng.uniform(8.0, 16.5)
    stamp = f"{when:%Y-%m-%d}"
    return observation_time(stamp, hour % 24.0, lon, rng)


@dataclass
class _Draft:
    """A pair while it is made: per side instrument, time, value, text and options."""

    question: str
    subject: str
    prop: str
    lon: float
    lat: float
    sides: list[dict[str, Any]]
    noisy: int | None = None

    def finish(self, label: str, number: int, rng: random.Random) -> dict[str, Any]:
        order = [0, 1]
        rng.shuffle(order)
        built = []
        for index in order:
            side = self.sides[index]
            claim = {"subject": self.subject, "property": self.prop, "value": side["value"], "text": side["text"]}
            built.append(build_side(side["spec"], side["when"], self.lon, self.lat, claim, side["options"], rng))
        pair = {
            "id": f"sim-{number:04d}",
            "question": self.question,
            "a": built[0],
            "b": built[1],
            "label": LABELS[label],
        }
        if label == "N" and self.noisy is not None:
            pair["noisy_side"] = "ab"[order.index(self.noisy)]
        return pair


def _place(span: tuple[float, float], rng: random.Random) -> tuple[float, float]:
    return round(rng.uniform(0, 360), 3), round(rng.uniform(*span), 3)


def _later(when: datetime, rng: random.Random, low_days: float, high_days: float) -> datetime:
    days = math.exp(rng.uniform(math.log(low_days), math.log(high_days)))
    return when + timedelta(days=days * rng.choice((-1, 1)))


def _spoil(options: dict[str, str], spec: InstrumentSpec, rng: random.Random, need: bool) -> None:
    """Mark a side as real faulty products are marked: a flag, a level, a source, an authority — or nothing."""
    roll = rng.random()
    if need and roll > 0.92:
        roll *= 0.9
    if roll < 0.45:
        options["flags"] = rng.choice(FAULT_FLAGS)
    elif roll < 0.75:
        options["lvl"] = rng.choice(FAULT_LEVELS)
        if rng.random() < 0.5:
            options["inst"] = rng.choice(FAULT_INSTITUTIONS)
    if (roll < 0.75 and rng.random() < 0.8) or (need and rng.random() < 0.7):
        options["auth"] = f"{min(spec.authority, rng.uniform(0.5, 0.8)):.2f}"


def presence_pair(scenario: Scenario, label: str, number: int, rng: random.Random) -> dict[str, Any] | None:
    """One pair about something present or absent; None when the scenario has no instrument for the label."""
    subject = rng.choice(scenario.many(1))
    question = rng.choice(scenario.many(2)).format(s=subject)
    lon, lat = _place(scenario.span(10), rng)
    low, high = scenario.span(8, "-")
    size = math.exp(rng.uniform(math.log(low), math.log(high)))
    window = None if scenario.cells[11] == "-" else scenario.span(11, "-")
    yes, no = scenario.many(3), scenario.many(4)
    seers, coarse, blind = scenario.many(5), scenario.many(6), scenario.many(7)
    first = _spec(seers, rng)
    second = {"S": _spec(coarse, rng), "I": _spec(blind, rng)}.get(label) or (
        _spec(seers, rng) if rng.random() < 0.65 else first
    )
    relief = scenario.name in VIEWING
    if first is None or second is None or (label == "S" and not coarse) or (label == "I" and not blind and not relief):
        return None
    words = [phrase_text(rng.choice(yes), size, rng), phrase_text(rng.choice(no), size, rng)]
    options: list[dict[str, str]] = [{}, {}]
    t0 = _when(rng, window)
    noisy = None
    if label == "=":
        both = yes if rng.random() < 0.65 else no
        words = [phrase_text(p, size, rng) for p in (rng.sample(both, 2) if rng.random() < 0.85 else [both[0]] * 2)]
        t0 = _when(rng, window, inside=both is yes)
        t1 = _when(rng, window, inside=both is yes) if window else _later(t0, rng, 1, 4000)
    elif label == "T":
        t1 = _when(rng, window, inside=False) if window else _later(t0, rng, 30, 4000)
    elif label == "N":
        t1 = _later(t0, rng, 0.5, 3.0 if window or rng.random() < 0.6 else 900.0)
        noisy = rng.choice((0, 1))
        if rng.random() < 0.15:
            options[noisy] |= {"lon": f"{(-lon) % 360:.3f}"} if rng.random() < 0.6 else {"lat": f"{-lat:.3f}"}
        else:
            _spoil(options[noisy], (first, second)[noisy], rng, need=True)
    else:
        t1 = _when(rng, window) if window else _later(t0, rng, 1, 3500)
    if label == "S":
        options[0]["r"] = f"{min(first.resolution_m[1], max(first.resolution_m[0], size / rng.uniform(4, 15))):.3g}"
        options[1]["r"] = f"{min(second.resolution_m[1], max(second.resolution_m[0], size * rng.uniform(1.5, 8))):.3g}"
        if float(options[1]["r"]) < 1.2 * size or float(options[0]["r"]) > size:
            return None
    elif label in "T=N" and high < 1e4:
        for index, spec in enumerate((first, second)):
            options[index]["r"] = (
                f"{min(spec.resolution_m[1], max(spec.resolution_m[0], size / rng.uniform(4, 12))):.3g}"
            )
    hours: list[float | None] = [None, None]
    if label in "N=" and scenario.name in ("water ice clouds", "water frost", "aurora"):
        hours = [rng.uniform(6, 16)] * 2
    if label == "T" and scenario.name in DAILY and rng.random() < 0.45:  # gone by noon, or formed by then
        t1 = t0 + timedelta(days=rng.uniform(0, 2))
        hours = [rng.uniform(5.8, 8.2), rng.uniform(12.5, 16.0)]
    if relief and label == "I":
        second, t1 = (first if rng.random() < 0.6 else second), _later(t0, rng, 1, 900)
        options[0] |= {"i": f"{rng.uniform(66, 80):.1f}", "e": "3.0", "p": "72.0"}
        options[1] |= {"i": f"{rng.uniform(15, 35):.1f}", "e": "2.0", "p": "27.0"}
    sides = [
        {
            "spec": s,
            "when": _clocked(s, t, lon, rng, h),
            "value": w,
            "text": number_text(w, subject, s, rng),
            "options": o,
        }
        for s, t, w, o, h in zip((first, second), (t0, t1), words, options, hours, strict=True)
    ]
    return _Draft(question, subject, scenario.name, lon, lat, sides, noisy).finish(label, number, rng)


def _wrong(value: float, unit: str, kind: str, lat: float, rng: random.Random) -> tuple[float, str] | None:
    """The value after a bookkeeping fault, with the unit it is then given in; None when the fault does not apply."""
    table = {
        "decimal": lambda: (value * rng.choice((0.1, 10.0)), unit),
        "feet": lambda: (value * 3.28084, unit),
        "mile": lambda: (value / 1.609344, unit),
        "radian": lambda: (math.radians(value), unit),
        "calorie": lambda: (value / 418.4, unit),
        "oxide": lambda: (value * rng.choice((1 / 1.2046, 1 / 2.497)), unit),
        "flip": lambda: ((-value) % 360.0, unit),
        "offset": lambda: (value * rng.choice((rng.uniform(1.6, 3.5), rng.uniform(0.2, 0.6))), unit),
    }
    if kind == "sign":
        return (-value, unit) if abs(value) > 50 or unit != "m" else None
    if kind == "datum":
        offset = sphere_offset_m(lat)
        return (value + offset, unit) if abs(offset) > 2500 else None
    if kind == "kelvin":
        return (value - 273.15, unit) if unit == "K" else None
    if kind == "unit":
        return value * rng.choice((1000.0, 0.001, 100.0)), unit
    return table[kind]() if kind in table else None


def number_pair(scenario: Scenario, label: str, number: int, rng: random.Random) -> dict[str, Any] | None:
    """One pair of numbers; None when scenario and label do not go together."""
    subject = rng.choice(scenario.many(1))
    question = scenario.cells[2].format(s=subject)
    units = scenario.many(3)
    low, high = scenario.span(4)
    value = (
        math.exp(rng.uniform(math.log(low), math.log(high))) if scenario.cells[5] == "log" else rng.uniform(low, high)
    )
    lon, lat = _place(scenario.span(11), rng)
    specs = [_spec(scenario.many(7), rng), _spec(scenario.many(7), rng)]
    if rng.random() < 0.35:
        specs[1] = specs[0]
    if label == "S":
        specs = [_spec(scenario.many(8), rng), _spec(scenario.many(9), rng)]
    elif label == "I":
        specs[1] = _spec(scenario.many(10), rng)
    if specs[0] is None or specs[1] is None or (label in "SI" and specs[0] is specs[1]):
        return None
    options: list[dict[str, str]] = [{}, {}]
    t0 = _when(rng)
    other, noisy, fault = value * (1.0 + rng.gauss(0, 0.02)), None, ""
    t1 = _later(t0, rng, 1, 3500)
    hours: list[float | None] = [None, None]
    swinging = scenario.name in (
        "surface temperature",
        "air temperature",
        "relative humidity",
        "wind speed",
        "surface pressure",
    )
    if label in "=N" and any(
        w in scenario.name
        for w in ("temperature", "humidity", "wind", "pressure", "opacity", "optical", "column", "ratio", "albedo")
    ):
        t1 = _later(t0, rng, 0.4, 4.0)
        hours = [rng.uniform(5, 17)] * 2 if swinging else hours
    if label in "TSI":
        other = _changed(scenario.name, value, rng)
    if label == "T":
        t1, hours = _other_time(t0, swinging, rng)
    if label == "N":
        kinds = scenario.many(12)[0].split() if scenario.many(12) else ["offset"]
        fault = rng.choice(kinds)
        wrong = _wrong(value, units[0] if units else "", fault, lat, rng)
        if wrong is None or wrong[0] == 0 or abs(wrong[0] / value - 1) < 0.15:
            return None
        other, noisy = wrong[0], 1
        _spoil(options[1], specs[1], rng, need=fault == "offset")
    texts = agreeing_values(value, other, units, scenario.name, rng, exact=label == "N", same=label == "=")
    sides = [
        {
            "spec": s,
            "when": _clocked(s, t, lon, rng, h),
            "value": w,
            "text": quantity_text(w, subject, scenario.name, s, rng),
            "options": o,
        }
        for s, t, w, o, h in zip(specs, (t0, t1), texts, options, hours, strict=True)
        if s is not None
    ]
    return _Draft(question, subject, scenario.name, lon, lat, sides, noisy).finish(label, number, rng)


def _changed(name: str, value: float, rng: random.Random) -> float:
    if "temperature" in name:
        moved = value + rng.choice((-1, 1)) * rng.uniform(30, 75)
        return min(300.0, max(145.0, moved if abs(moved - value) > 20 else value - 45))
    if name == "surface pressure":
        return value * rng.choice((rng.uniform(0.75, 0.88), rng.uniform(1.15, 1.3)))
    return value * rng.choice((rng.uniform(1.7, 5.0), 1.0 / rng.uniform(1.7, 5.0)))


def _other_time(t0: datetime, swinging: bool, rng: random.Random) -> tuple[datetime, list[float | None]]:
    if swinging and rng.random() < 0.5:
        early = rng.uniform(2, 6)
        return t0 + timedelta(days=rng.uniform(0, 6)), [early, early + rng.uniform(6, 10)]
    days = rng.uniform(110, 560) + 687 * rng.randint(0, 4)
    return t0 + timedelta(days=days), [13.0, 13.5] if swinging else [None, None]


def simulated_pairs(count: int = 1600, seed: int = 20260802) -> list[dict[str, Any]]:
    """`count` simulated pairs, labels in the shares none 1/3 and the four conflicts 1/6 each, presence and number mixed."""
    rng = random.Random(seed)
    presence, numbers = presence_scenarios(), number_scenarios()
    out: list[dict[str, Any]] = []
    labels = "TSIN=="
    tries = 0
    while len(out) < count and tries < count * 60:
        tries += 1
        label = labels[len(out) % len(labels)]
        share = 0.45 if label in "N=" else 0.3
        table, make, column = (numbers, number_pair, 6) if rng.random() < share else (presence, presence_pair, 9)
        scenario = rng.choice([s for s in table if label in s.cells[column]])
        pair = make(scenario, label, len(out) + 1, rng)
        if pair is not None:
            pair["source"] = f"simulated: {scenario.name}"
            out.append(pair)
    return out
