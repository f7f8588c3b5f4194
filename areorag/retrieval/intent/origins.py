"""Whose records and how far processed: institutions, space agencies and processing levels in a question."""

from __future__ import annotations

import re

from .limits import outside
from .scan import B1, Scan, rx, word
from .sensors import Item, cased_ok

INSTITUTIONS: dict[str, tuple[str, str]] = {
    "USGS": ("USGS", r"(?:u\.?s\.?\s+)?geological\s+survey|astrogeology(?:\s+science\s+center)?"),
    "ESA": ("ESA", r"european\s+space\s+agency"),
    "JPL": ("JPL", r"jet\s+propulsion\s+lab(?:oratory)?"),
    "NASA GSFC": ("GSFC", r"goddard(?:\s+space\s+flight\s+center)?"),
    "NASA Ames": ("NASA Ames", r"ames\s+research\s+center"),
    "NASA": ("NASA(?! GSFC| Ames)", ""),
    "DLR": ("DLR", r"german\s+aerospace\s+cent(?:er|re)|deutsches\s+zentrum\s+fur\s+luft-?\s*und\s+raumfahrt"),
    "FU Berlin": ("FU Berlin", r"freie\s+universitat\s+berlin"),
    "Arizona State University": ("ASU", r"arizona\s+state(?:\s+university)?"),
    "University of Arizona": ("UofA", r"university\s+of\s+arizona"),
    "CNSA": ("CNSA", r"china\s+national\s+space\s+administration|国家航天局"),
    "JHU/APL": ("JHU/APL|JHUAPL|APL", r"(?:johns\s+hopkins\s+)?applied\s+physics\s+lab(?:oratory)?"),
    "MSSS": ("MSSS", r"malin\s+space\s+science\s+systems"),
    "LANL": ("LANL", r"los\s+alamos(?:\s+national\s+laboratory)?"),
    "Caltech": ("Caltech", ""),
    "Roscosmos": ("Roscosmos", r"роскосмос\w*"),
    "IKI": ("IKI", ""),
    "UAE": ("UAE|MBRSC", r"emirates\s+mars\s+mission\s+team"),
    "JAXA": ("JAXA", ""),
    "ISRO": ("ISRO", ""),
}
"""Institution → (acronyms, exact case; full names, folded). What a record says is matched with the same two."""


def read_institutions(scan: Scan) -> list[Item]:
    """Institutions and agencies by acronym (as written in capitals) or full name.

    "NASA's MRO" and "the ESA orbiter Mars Express" say whose craft it is, which the craft's name says already.
    """
    found: list[Item] = []
    for name, (acronym, words) in INSTITUTIONS.items():
        hits = [m for m in rx(rf"\b(?:{acronym})\b").finditer(scan.text) if scan.free(*m.span()) and cased_ok(scan, m)]
        hits += scan.iter(word(words)) if words else []
        found += [Item("institutions", name, *m.span()) for m in hits]
    out = []
    for item in sorted(found, key=lambda i: i.start):
        if not _owns_a_craft(scan, item):
            scan.take(item.start, item.end, "institutions", item.name)
            out.append(item)
    return out


def _owns_a_craft(scan: Scan, item: Item) -> bool:
    """The name stands before a platform's, as its owner's."""
    if not rx(r"^(?:'s?\b|\s+(?:orbiter|rover|lander|spacecraft|mission|probe)s?\b)").search(
        scan.low[item.end : item.end + 20]
    ):
        return False
    gaps = [scan.low[item.end : s] for s, _, what in scan.taken if what == "platforms" and 0 <= s - item.end < 30]
    return any(not re.search(r"[,;?.]", gap) for gap in gaps)


def read_levels(scan: Scan) -> list[Item]:
    """Processing levels: EDR, RDR …, raw, calibrated, "level 2B", "CODMAC 3"."""
    out: list[Item] = []

    def add(match: re.Match[str], name: str) -> None:
        scan.take(*match.span(), "levels", name)
        out.append(Item("levels", name, *match.span()))

    for match in rx(r"\b(EDR|RDR|DDR|REDR|TRDR|MRDR|MTRDR|REFDR|MEGDR|GDR)s?\b").finditer(scan.text):
        if scan.free(*match.span()):
            add(match, match[1])
    number = r"(?P<scale>codmac(?:\s+levels?)?|(?:processing\s+)?level)[\s-]*(?P<n>\d+)\s?(?P<part>[a-d])?"
    for match in scan.iter(word(number)):
        if rx(r"(?:sea|ground|water|surface|datum|zero|confidence)[\s-]+$").search(scan.left(match.start(), 12)):
            continue
        reason = outside("processing level", int(match["n"]))
        if reason is not None:
            scan.refuse(*match.span(), "levels", reason)
            continue
        scale = "CODMAC" if match["scale"].startswith("codmac") else "level"
        add(match, f"{scale} {int(match['n'])}{(match['part'] or '').upper()}")
    what = r"(?:data|images?|imagery|frames?|products?|spectra|observations?|records?|radiances?|reflectances?|versions?|ones)"
    joined = r"(?:(?:and|or|not|but\s+not)\s+\w+\s+)?"
    for name, words in (("raw", r"raw|uncalibrated|unprocessed"), ("calibrated", r"(?:fully\s+)?calibrated")):
        for match in scan.iter(word(rf"(?:{words})(?=,?\s+{joined}(?:[a-z0-9-]+\s+)?{what}{B1})")):
            add(match, name)
    return sorted(out, key=lambda i: i.start)
