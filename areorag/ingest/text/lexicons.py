"""Word lists of the model-free extractor: elements, minerals, instruments, names of places and targets.

Lists are plain text files in ``data/`` (facts: names of minerals, of instruments, of rover targets). The project's own
vocabulary and gazetteer extend them where they are installed.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources


def _lines(name: str) -> list[str]:
    text = (resources.files(__package__) / "data" / name).read_text("utf-8")
    return [line.rstrip("\n") for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def element_names() -> dict[str, str]:
    """Lower-case element name -> symbol."""
    out: dict[str, str] = {}
    for line in _lines("elements.txt"):
        symbol, _, names = line.partition("\t")
        for name in names.split(","):
            if name.strip():
                out[name.strip()] = symbol
    return out


@cache
def element_symbols() -> frozenset[str]:
    """Symbols of the elements met in planetary surface work."""
    return frozenset(line.partition("\t")[0].strip() for line in _lines("elements.txt"))


@cache
def minerals() -> frozenset[str]:
    """Lower-case mineral species and groups."""
    return frozenset(line.strip() for line in _lines("minerals.txt"))


@cache
def known_targets() -> frozenset[str]:
    """Names rover teams gave to rocks, soils and drill holes (as written, spaces for underscores)."""
    return frozenset(line.strip() for line in _lines("targets.txt"))


@cache
def known_places() -> frozenset[str]:
    """Names of regions, craters, outcrops and units that are places and not targets."""
    return frozenset(line.strip() for line in _lines("places.txt"))


@cache
def instruments() -> dict[str, str]:
    """Alias (as written) -> canonical instrument name."""
    out: dict[str, str] = {}
    for line in _lines("instruments.txt"):
        names = [n.strip() for n in line.split(",") if n.strip()]
        for name in names:
            out[name] = names[0]
    return out


@cache
def word_set(name: str) -> frozenset[str]:
    """Words of a data file, as written."""
    return frozenset(w for line in _lines(name) for w in line.split())


def fingerprint(text: str) -> str:
    """12 hexadecimal digits that name a text whatever its white space: which documents the shipped weights know."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:12]


@cache
def trained_on() -> frozenset[str]:
    """Fingerprints of the documents the shipped weights were fitted to."""
    return word_set("trained_on.txt")
