"""Element mentions: names and symbols of chemical elements, told apart from formulae, initials, units and labels.

A symbol inside a formula (SiO2, MgSO4, (Mg,Fe)2SiO4) names a compound and is not a mention; a single letter is one
only where its neighbours say so, because "K" is also a kelvin, an initial and a panel of a figure.
"""

from __future__ import annotations

import re
from functools import cache

from .lexicons import element_names, element_symbols
from .spans import Span, Zones

#: Symbols that are English words, abbreviations or labels: accepted only next to another element.
_AMBIGUOUS = frozenset(
    {"As", "At", "Be", "He", "I", "In", "La", "V", "U", "W", "Y", "B", "N", "O", "Ir", "Sn", "Te", "Th", "Ga", "Ne"}
)
#: Those of them that are no words: "U and Th" needs no list, "As and when" does.
_NO_WORD = frozenset({"U", "Th", "La", "Ga", "Y", "Ir", "Te"})
_SINGLE = frozenset({"H", "C", "F", "P", "S", "K"})
_AFTER = (
    r"rich|poor|bearing|enriched|depleted|free|containing|sulfates?|sulphates?|felds?pars?|spar|jarosites?|phosphates?|"
    r"chlorides?|fluorides?|peaks?|lines?|emissions?|signals?|signature|SBR|contents?|abundances?|concentrations?|"
    r"enrichments?|depletions?|intensity|intensities|isotopes?|isotopic|wt|wt\.%|ppm|components?|levels?|ratios?|"
    r"detections?|atoms?|mole|molar|score|scores|loss|variation|variations|variability|values?|compositions?|species|"
    r"concentration|correlation|correlations|predictions?|budget|estimates?|maps?|mobility|content|increases?|"
    r"decreases?|standards?|addition|doped|cation|anion|cycling|and|or|are|is|were|was|but|with|in|to|from|versus|vs"
)
_BEFORE = (
    r"of|in|high|low|higher|lower|highest|lowest|increased|decreased|the|strong|weak|elevated|by|for|with|enhanced|"
    r"versus|vs\.?|and|or|no|more|less|as|both|abundant|excess|total|soluble|elemental|unless|averaged|average|mean|"
    r"additional|only|contains?|containing|detected|detects?|detecting|minor|moderate|significant|between|like|"
    r"relative|wt\.?\s?%|ppm|contain|detect|quantifying|optimal|anticipated|peaks|normalized|normalised|unnormalized|including|e\.g\.|i\.e\.|major|trace|volatile|enriched|depleted"
)
_GLUED = r"rich|poor|bearing|enriched|depleted|sulfates?|sulphates?|feldspars?|oxides?|oxide|replacement|containing"
_SEPARATOR = r"(?:\s*[,/+&–—:;-]\s*|\s*,?\s+(?:and|or|vs\.?|versus|&|plus)\s+|\s+)"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    symbols = "|".join(sorted(element_symbols(), key=len, reverse=True))
    names = "|".join(sorted(element_names(), key=len, reverse=True))
    any_element = rf"(?:{symbols}|{names})"
    return {
        "symbol": re.compile(rf"(?<![A-Za-z0-9])({symbols})(?=$|[^A-Za-z0-9]|[12]?\d?\+|(?:{_GLUED})(?![a-z]))"),
        "name": re.compile(rf"(?<![A-Za-z])({names})(?=$|[^A-Za-z]|(?:bearing|rich|poor)(?![a-z]))", re.I),
        "left": re.compile(rf"(?<![A-Za-z0-9]){any_element}(?:\s?\[\d+\])?{_SEPARATOR}$"),
        "right": re.compile(rf"^(?:\s?\[\d+\])?{_SEPARATOR}{any_element}(?![a-z0-9])"),
        "upper": re.compile(
            rf"(?<![A-Za-z])(?:(?:{symbols.upper()}),\s*){{2,}}(?:AND\s+)?(?:{symbols.upper()})(?![A-Za-z])"
        ),
        "upper_one": re.compile(rf"(?<![A-Za-z])({symbols.upper()})(?![A-Za-z])"),
        "pair": re.compile(rf"(?<![A-Za-z0-9])({symbols})({symbols})-(?:rich|poor|bearing)"),
        "after": re.compile(rf"^[- ]?(?:{_AFTER})(?![A-Za-z])"),
        "before": re.compile(rf"(?:^|[\s(\[])(?:{_BEFORE})[\s(-]+$", re.I),
    }


def _formula(text: str, start: int, end: int) -> bool:
    """True when the characters around [start, end) spell a compound."""
    left, right = start, end
    while left > 0 and not text[left - 1].isspace() and start - left < 60:
        left -= 1
    while right < len(text) and not text[right].isspace() and right - end < 60:
        right += 1
    token = text[left:right].strip(".,;:")
    if re.search(r"[A-Za-z)]\d*\((?:[A-Z][a-z]?[,;]?)+|\)[\dxn]|\)\d*\(", token) and "/(" not in token:
        return True
    after = text[end : end + 12]
    if re.match(r"\s?[2-7]\+|\s?\((?:I{1,3}|IV|VI?)\)", after):  # an oxidation state
        return not re.match(r"[12]\+ (?:lines?|peaks?|emission)", after)
    before = text[max(0, start - 12) : start]
    if re.search(r"(?:\d\+\s?,?|[A-Za-z]\d\(|\(\(|\d\))$", before) and re.match(r"[,;)]", after):
        return True
    return bool(re.match(r"-O(?:H)?(?![a-z])|:[A-Z]{3}|[,;]?\s?(?:OH|CO3|SO4)\)", after)) or bool(
        re.search(r"(?:OH|[\])]\d?)[,;]\s?$", before)
    )


def _initial(text: str, start: int, end: int) -> bool:
    """True for an initial of a person's name or of a journal."""
    after, before = text[end : end + 6], text[max(0, start - 8) : start]
    if re.match(r"\.\s?-?[A-Z][.a-z]|\.-[A-Z]|\.,? (?:et|and|&)|\. ?[A-Z]\.", after) and re.match(
        r"\.\s?[A-Z]\.|\.\s?-?[A-Z][a-z]|\.-|\.,? (?:et|and|&)", after
    ):
        if re.search(r"[A-Z]\.\s?-?[A-Z][\w'’-]+,? and\s$", text[max(0, start - 40) : start]):
            return True  # "K. Herkenhoff and S. Maurice"
        return not re.search(r"(?:of|in|and|for|or)\s$", before) or bool(re.match(r"\.\s?[A-Z]\.", after))
    return bool(re.search(r"[A-Z]\.\s?-?$", before) and after.startswith((".", ",")))


def _accept_symbol(text: str, m: re.Match[str], zones: Zones) -> bool:
    symbol, start, end = m[1], m.start(1), m.end(1)
    people = zones.in_authors(start) or zones.in_references(start)
    if people and (len(symbol) == 1 or symbol == "Co") and not re.match(r"-(?:rich|bearing)", text[end : end + 9]):
        return False
    if _formula(text, start, end):
        return False
    p = _patterns()
    before, after = text[max(0, start - 30) : start], text[end : end + 30]
    beside = bool(p["left"].search(before) or p["right"].match(after))
    if symbol in _AMBIGUOUS:
        if re.search(r"\d\s?$|°\s?$", before) or _initial(text, start, end):
            return False
        close = re.search(r"[,/+]\s?$|and $", before) or re.match(
            r"[,/+]| and " if symbol in _NO_WORD else r"[,/+]", after
        )
        return bool(beside and close)
    if symbol in _SINGLE:
        return _accept_single(text, start, end, beside)
    if symbol in ("Co", "Ca", "Nd", "Cs", "Os") and re.match(r"\.[/ ,]|-[a-z]|ï|\. ", after):
        return bool(re.match(r"-(?:rich|bearing|poor|sulfate|sulphate|feld|enrich|pyrox|phosph)", after)) or beside
    return True


def _accept_single(text: str, start: int, end: int, beside: bool) -> bool:
    p = _patterns()
    before, after = text[max(0, start - 30) : start], text[end : end + 30]
    if re.search(r"(?:\d|°|º|˚)\s?$", before) and not re.match(r"-(?:rich|bearing)", after):
        return False
    if re.search(r"\($", before) and re.match(r"\)", after):
        return bool(re.search(r"(?:phosph|sulf|potas|hydro|fluor|carb)[a-z]+ \($", before))
    if _initial(text, start, end) and not beside:
        return False
    if re.match(r"\s(?:is|was)\s[~<>]?\d", after):  # "in this soil, K is 0.3 wt%"
        return not re.search(r"\d\s?$", before)
    if re.search(r"[A-Z]\.$|I/$|Part $|Acta $|, $", before) and not beside:
        return False
    if beside:
        return not re.match(r"\.\s?[A-Z]\.", after)
    if p["after"].match(after) and not re.match(r" (?:and|in|to|from|is|with|or|but) ", after):
        return True
    if re.match(r"\s(?:has|ranks?|is|was|are|were|emission|line|alpha)\s|\s\(\d+\.\d+ ?nm", after):
        return not re.search(r"\d\s?$", before)
    return bool(p["before"].search(before)) and not re.match(r"[.]\s?[A-Z]\.|['’/]", after)


def find_elements(text: str, zones: Zones | None = None) -> list[Span]:
    """All element mentions of `text`, sorted by offset.

    Parameters
    ----------
    text : document; zones : its `Zones` (made when not given).
    """
    zones = zones or Zones(text)
    p = _patterns()
    found: set[Span] = set()
    for m in p["symbol"].finditer(text):
        if _accept_symbol(text, m, zones):
            found.add(Span(m.start(1), m.end(1), "Element", m[1]))
    for m in p["name"].finditer(text):
        if m[1].lower() not in {"lead", "tin", "potassic", "sodic"}:
            found.add(Span(m.start(1), m.end(1), "Element", m[1]))
    for m in p["upper"].finditer(text):
        for one in p["upper_one"].finditer(text, m.start(), m.end()):
            found.add(Span(one.start(1), one.end(1), "Element", one[1]))
    for m in p["pair"].finditer(text):
        for group in (1, 2):
            found.add(Span(m.start(group), m.end(group), "Element", m[group]))
    return sorted(found)
