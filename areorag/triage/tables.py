"""The triage's fact tables (``data/*.tsv``), read once: properties and their sensitivities, bands, sizes, opposites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..errors import SettingsError

DIMENSIONS = ("resolution", "depth", "technique", "viewing", "coating", "diurnal", "season", "event")


@lru_cache(maxsize=16)
def read_table(name: str) -> tuple[tuple[str, ...], ...]:
    """Rows of ``data/<name>``, comment lines left out, cells stripped."""
    text = resources.files(__package__).joinpath("data", name).read_text("utf-8")
    return tuple(tuple(c.strip() for c in line.split("\t")) for line in text.splitlines() if line and line[0] != "#")


@dataclass(frozen=True)
class PropertyClass:
    """One kind of property; ``sensitivity`` runs over `DIMENSIONS`, 0..1; ``size_m`` is its usual extent, metres."""

    name: str
    sensitivity: tuple[float, ...]
    size_m: float | None
    keywords: re.Pattern[str]
    anchor: str


@dataclass(frozen=True)
class Substance:
    """A substance and the wavelengths, nanometres, that are diagnostic of it."""

    name: str
    words: re.Pattern[str]
    bands_nm: tuple[float, ...]
    note: str


@dataclass(frozen=True)
class TypicalSize:
    """The usual smallest extent of what a word names, metres; linear things are found at fractions of a pixel."""

    words: re.Pattern[str]
    size_m: float
    linear: bool
    source: str


@lru_cache(maxsize=1)
def property_classes() -> tuple[PropertyClass, ...]:
    """The rows of ``properties.tsv``."""
    out = []
    for row in read_table("properties.tsv"):
        if len(row) != 12:
            raise SettingsError(f"properties.tsv: row {row[0]!r} has {len(row)} cells, not 12")
        sensitivity = tuple(float(v) for v in row[1:9])
        size = float(row[9]) if row[9] else None
        out.append(PropertyClass(row[0], sensitivity, size, re.compile(row[10], re.IGNORECASE), row[11]))
    return tuple(out)


@lru_cache(maxsize=1)
def substances() -> tuple[Substance, ...]:
    """The rows of ``bands.tsv``."""
    out = []
    for cells in read_table("bands.tsv"):
        row = [*cells, *[""] * (4 - len(cells))]
        bands = tuple(float(v) for v in row[2].split(";") if v)
        out.append(Substance(row[0], re.compile(row[1], re.IGNORECASE), bands, row[3]))
    return tuple(out)


@lru_cache(maxsize=1)
def typical_sizes() -> tuple[TypicalSize, ...]:
    """The rows of ``sizes.tsv``."""
    return tuple(
        TypicalSize(re.compile(row[0], re.IGNORECASE), float(row[1]), row[2] == "linear", row[3])
        for row in read_table("sizes.tsv")
    )


@lru_cache(maxsize=1)
def axis_rows() -> tuple[tuple[str, str, str], ...]:
    """(axis, positive words, negative words) of ``axes.tsv``."""
    return tuple((row[0], row[1], row[2]) for row in read_table("axes.tsv"))


@lru_cache(maxsize=1)
def concept_rows() -> tuple[tuple[str, str], ...]:
    """(concept, words) from substances, sizes and properties' keywords, the first two taking precedence."""
    rows = [(s.name, s.words.pattern) for s in substances()]
    rows += [(f"form:{t.words.pattern.split('|')[0]}", t.words.pattern) for t in typical_sizes()]
    extra = {
        "water ice cloud": r"\bclouds?\b|fog|plume",
        "dust storm": r"dust storm|storm",
        "liquid": r"liquid|brine",
        "delta": r"delta",
        "lava": r"\blava",
        "reflector": r"reflector|basal (?:echo|reflection)",
        "slope": r"slope",
        "wind": r"\bwind",
        "aurora": r"aurora",
        "layers": r"layer|laminat|bedd|stratif",
        "quake": r"quake|seismic",
        "field": r"magneti[sz]|magnetic field",
        "life": r"biolog|metabol",
        "rocks": r"\brocks?\b|boulder|block",
    }
    return tuple(rows + list(extra.items()))
