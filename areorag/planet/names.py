"""Folding and splitting of place names, shared by the gazetteer's index and its lookup."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPECIAL = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"})
_APOSTROPHES = re.compile(r"['’‘ʼ´`ʿʾ]s?\b|['’‘ʼ´`ʿʾ]")
_NOT_WORD = re.compile(r"[^\w]+|_+")

LATIN_TYPES: dict[str, str] = {
    "albedo": "AL", "catena": "CA", "catenae": "CA", "cavus": "CB", "cavi": "CB", "chaos": "CH", "chaoses": "CH",
    "chasma": "CM", "chasmata": "CM", "collis": "CO", "colles": "CO", "dorsum": "DO", "dorsa": "DO", "fluctus": "FL",
    "fossa": "FO", "fossae": "FO", "labes": "LA", "labyrinthus": "LB", "lacus": "LC", "lingula": "LN", "macula": "MA",
    "mare": "ME", "maria": "ME", "mensa": "MN", "mensae": "MN", "mons": "MO", "montes": "MO", "oceanus": "OC",
    "palus": "PA", "paludes": "PA", "patera": "PE", "paterae": "PE", "planitia": "PL", "planitiae": "PL",
    "planum": "PM", "plana": "PM", "promontorium": "PR", "rima": "RI", "rimae": "RI", "rupes": "RU", "scopulus": "SC",
    "scopuli": "SC", "serpens": "SE", "serpentes": "SE", "sinus": "SI", "sulcus": "SU", "sulci": "SU", "terra": "TA",
    "terrae": "TA", "tholus": "TH", "tholi": "TH", "unda": "UN", "undae": "UN", "vallis": "VA", "valles": "VA",
    "vastitas": "VS",
}  # fmt: skip
"""Latin descriptor terms of the IAU and their codes."""

TYPE_WORDS: dict[str, frozenset[str]] = {
    word: frozenset(codes.split())
    for words, codes in (
        ("crater craters crater's cratere cratère cráter krater кратер 陨石坑 クレーター", "AA SF"),
        ("basin basins cuenca bassin becken", "PL AA ME XG"),
        ("valley valleys channel channels valle vallée tal outflow", "VA CM XR"),
        ("canyon canyons chasm trough troughs graben", "CM FO VA"),
        ("mount mt mountain mountains mtn peak massif hills hill monte berg", "MO TH CO XR"),
        ("volcano volcanoes volcanic vulkan volcán volcan", "MO TH PE"),
        ("caldera", "PE MO TH"),
        ("plain plains planitia llanura plaine ebene lowlands", "PL PM VS ME"),
        ("plateau highland highlands land upland uplands mesa mesas", "PM TA MN"),
        ("dune dunes erg sand sea", "UN XR ME"),
        ("ridge ridges", "DO XR"),
        ("scarp scarps cliff cliffs escarpment", "RU SC XR"),
        ("region area province zone región région gebiet terrain site outcrop formation", ""),
        ("landing-site lander", "XL"),
    )
    for word in words.split()
}
"""Everyday words that say what kind of feature is meant; an empty set means any kind."""


@lru_cache(maxsize=65536)
def fold(name: str) -> str:
    """Lower case, no accents, no possessive, punctuation to single spaces.

    >>> fold("Séítah"), fold("Al-Qahira Vallis"), fold("Jezero's  delta"), fold("Artist’s Drive")
    ('seitah', 'al qahira vallis', 'jezero delta', 'artist drive')
    """
    text = unicodedata.normalize("NFKD", name.casefold()).translate(_SPECIAL)
    text = "".join(c for c in text if not unicodedata.combining(c))
    return " ".join(_NOT_WORD.sub(" ", _APOSTROPHES.sub("", text)).split())


def without_type(folded: str) -> tuple[str, str] | None:
    """(rest, code) of a folded IAU name less its Latin descriptor, which stands first or last; None without one."""
    words = folded.split()
    if len(words) < 2:
        return None
    if words[-1] in LATIN_TYPES:
        return " ".join(words[:-1]), LATIN_TYPES[words[-1]]
    if words[0] in LATIN_TYPES:
        return " ".join(words[1:]), LATIN_TYPES[words[0]]
    return None


def split_type_word(folded: str) -> tuple[str, frozenset[str]] | None:
    """(rest, codes) of a folded phrase less an everyday type word first or last ("crater jezero", "hellas basin")."""
    words = folded.split()
    while words and words[0] in {"the", "el", "la", "le", "il", "der", "die", "das"}:
        words = words[1:]
    if len(words) < 2:
        return (words[0], frozenset()) if words and " ".join(words) != folded else None
    if words[-1] in TYPE_WORDS:
        return " ".join(words[:-1]), TYPE_WORDS[words[-1]]
    if words[0] in TYPE_WORDS:
        rest = words[1:]
        while len(rest) > 1 and rest[0] in {"of", "de", "du", "del", "di", "von"}:
            rest = rest[1:]
        return " ".join(rest), TYPE_WORDS[words[0]]
    stripped = " ".join(words)
    return (stripped, frozenset()) if stripped != folded else None
