"""Whose record it is and how far it is processed: what a question's words mean for what labels say (CONTRACTS, Observation).

Labels write levels on several scales: PDS product types (EDR, RDR …), CODMAC numbers 1–8, NASA or national numbers with
letters (2B), and words. A level asked matches a record that says it on any scale on which the record is told.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..planet.lexicon import fold
from .intent.origins import INSTITUTIONS
from .intent.scan import rx, word

AGENCY_CRAFT: dict[str, frozenset[str]] = {
    "NASA": frozenset({
        "mro", "mgs", "mars odyssey", "maven", "msl", "m2020", "ingenuity", "mer-a", "mer-b", "phoenix", "insight",
        "pathfinder", "mpf", "sojourner", "mariner 9", "lro", "viking orbiter 1", "viking orbiter 2",
        "viking lander 1", "viking lander 2", "vl1", "vl2",
    }),
    "ESA": frozenset({"mars express", "tgo"}),
    "Roscosmos": frozenset({"tgo", "phobos 2"}),
    "CNSA": frozenset({"tianwen-1", "zhurong"}),
    "UAE": frozenset({"hope"}),
    "ISRO": frozenset({"mars orbiter mission", "chandrayaan-1"}),
    "JAXA": frozenset({"kaguya"}),
}  # fmt: skip
"""Space agency → its missions (`filters.canonical_platform`): "NASA images" are those of MRO, whoever keeps them."""


@lru_cache(maxsize=4096)
def institution_fits(wanted: str, told: str | None, craft: str | None) -> bool:
    """Is a record of institution `told`, or of the platform `craft`, one of the institution asked for?

    >>> institution_fits("DLR", "DLR/FU Berlin", None), institution_fits("NASA", None, "mro")
    (True, True)
    """
    if craft is not None and craft in AGENCY_CRAFT.get(wanted, ()):
        return True
    if told is None:
        return False
    acronym, words = INSTITUTIONS.get(wanted, (re.escape(wanted), ""))
    if fold(told) == fold(wanted) or rx(rf"\b(?:{acronym.split('(?!')[0]})\b").search(told):
        return True
    return bool(words) and rx(word(words)).search(fold(told)) is not None


@lru_cache(maxsize=4096)
def level_fits(wanted: str, told: str) -> bool:
    """Is a record whose label says `told` of the level asked for?

    >>> [level_fits("raw", x) for x in ("EDR (CODMAC 2)", "Calibrated")], level_fits("level 2", "level 2B (calibrated)")
    ([True, False], True)
    """
    return fold(wanted) in levels_of(told)


@lru_cache(maxsize=1024)
def levels_of(told: str) -> frozenset[str]:
    """Every level a label's words stand for, folded: type, number on its scale, and raw, calibrated or derived."""
    low = fold(told)
    out: set[str] = set()
    numbers = [int(n) for m in re.finditer(r"codmac (\d)(?:/(\d))?", low) for n in m.groups() if n]
    for n in numbers:
        out |= {f"codmac {n}", f"level {n}", "raw" if n <= 2 else "calibrated" if n <= 4 else "derived"}
    for match in re.finditer(r"(?:\blevel\s*|^)(\d)\s?([a-d])?\b", low):
        out |= {f"level {match[1]}", f"level {match[1]}{match[2] or ''}"}
    out |= {stage for stage in ("raw", "calibrated", "derived") if re.search(rf"\b{stage}\b", low)}
    for code in re.findall(r"\b[a-z]*dr(?=v?\d*\b)", low):
        out.add(code)
        if code.endswith("rdr") or code == "refdr":
            out.add("rdr")
    if not out & {"raw", "calibrated", "derived"}:
        out |= {"raw"} if "edr" in out else {"calibrated"} if "rdr" in out else set()
    return frozenset(out)
