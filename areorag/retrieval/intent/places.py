# ruff: noqa: E501  (word lists read better on one line)
"""Named features in a question: exact, partial ("Mawrth"), misspelt ("Nilli Fosae"), in other languages, with parts.

Features named like ordinary words (Main, Cost, Green, Delta, South) need the word crater beside them, or a capital
and a place preposition. The gazetteer gives the names; this module only reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Protocol

from ...planet.lexicon import LATIN, fold
from .scan import Scan, common_words, rx


class FeatureLike(Protocol):
    """What is needed of a gazetteer feature; lengths in metres, degrees east and planetocentric."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def lat(self) -> float: ...
    @property
    def diameter_m(self) -> float | None: ...


@dataclass(frozen=True)
class Place:
    """A feature named in the question; `how` is exact, alias, partial, fuzzy or foreign."""

    name: str
    start: int
    end: int
    lat: float
    how: str
    part: str | None = None


_PREFERENCE = (
    "planitia", "planum", "terra", "vallis", "valles", "mons", "montes", "chasma", "chasmata", "fossae", "fossa",
    "chaos", "labyrinthus", "mensae", "tholus", "patera", "vastitas",
)  # fmt: skip
_LATIN_WORDS = frozenset(_PREFERENCE) | frozenset((
    "catena", "catenae", "cavi", "cavus", "colles", "collis", "dorsa", "dorsum", "fluctus",
    "labes", "lingula", "mensa", "paludes", "palus", "paterae", "rupes", "scopuli", "scopulus",
    "serpens", "sinus", "sulci", "sulcus", "tholi", "unda", "undae",
))  # fmt: skip
_CRATER = (
    r"crater|craters|impact\s+structure|krater[sn]?|cratere|cratera|crateres|撞击坑|陨石坑|环形山|クレーター|кратер\w*"
)
_PREPOSITION = r"(?:in|at|near|of|over|inside|within|around|from|to|across|on|for|into|by|beside|between|en|de|del|du|d'|dans|sur|pres\s+d[e']|im|am|bei|von|uber|nel|nella|di|da|a|em|no|na|do|в|у|около|над|от|about|and|or)\s+(?:the\s+|la\s+|el\s+|le\s+|l')?(?:(?:western|eastern|northern|southern|central)\s+)?$"
_TOKEN = rf"[{LATIN}](?:[{LATIN}]|['-](?=[{LATIN}]))*"
_DIRECTION = (
    r"(?:north|south)(?:[\s-]?(?:east|west)(?:ern)?|ern)?|(?:east|west)(?:ern)?|central|inner|outer|upper|lower|middle"
)
_PART = r"delta|fan|floor|rim|wall|walls|ejecta(?:\s+blanket)?|central\s+(?:peak|mound|uplift)|mound|basin|interior|flank|flanks|slopes?|margin|edge|caldera|summit|fan\s+front|delta\s+front|centre|center|part|half|side|portion|sector|canyon\s+walls?"


@dataclass
class PlaceIndex:
    """Names of one gazetteer, ready for reading questions. Build once per gazetteer (`place_index`)."""

    names: dict[str, FeatureLike]
    partial: dict[str, FeatureLike]
    foreign: dict[str, str]
    foreign_rx: re.Pattern[str] | None
    by_length: dict[int, list[str]] = field(default_factory=dict)
    longest: int = 5

    def get(self, name: str) -> FeatureLike | None:
        """The feature of that exact name (accents and case ignored)."""
        return self.names.get(_key(name))


def _key(name: str) -> str:
    return re.sub(r"\s+", " ", fold(name).strip(" '[]"))


def _rank(feature: FeatureLike) -> tuple[int, float]:
    last = fold(feature.name).split()
    kind = next((i for i, w in enumerate(_PREFERENCE) if w in last), len(_PREFERENCE))
    return kind, -(feature.diameter_m or 0.0)


def place_index(features: Iterable[FeatureLike]) -> PlaceIndex:
    """Index features by name, alias, distinctive first word and foreign name."""
    names: dict[str, FeatureLike] = {}
    partial: dict[str, list[FeatureLike]] = {}
    usable = [f for f in features if getattr(f, "code", "") != "XS"]  # parts of a place are read as place and part
    usable.sort(key=lambda f: ("albedo" in f.type.lower(), getattr(f, "status", "") in ("dropped", "not approved")))
    for feature in usable:
        key = _key(feature.name)
        if key not in names or _better(feature, names[key]):
            names[key] = feature
        words = key.split()
        if len(words) > 1 and "albedo" not in feature.type.lower() and set(words) & _LATIN_WORDS:
            for word_ in (words[0], words[-1] if words[0] in _PREFERENCE else ""):
                if len(word_) >= 4 and word_ not in common_words() and word_ not in _PREFERENCE:
                    partial.setdefault(word_, []).append(feature)
    for feature in usable:
        for alias in getattr(feature, "aliases", None) or ():
            if _alias_ok(feature, alias):
                names.setdefault(_key(alias), feature)
    chosen = {word_: min(found, key=_rank) for word_, found in partial.items()}
    for word_ in list(chosen):
        exact = names.get(word_)
        if exact is not None and "albedo" not in exact.type.lower():
            del chosen[word_]
        elif exact is not None:
            del names[word_]  # "Hellas" is the plain, not the albedo feature
    foreign = _foreign(names)
    glued = sorted((f for f in foreign if re.search(r"[぀-鿿]", f)), key=len, reverse=True)
    index = PlaceIndex(names, chosen, foreign, re.compile("|".join(map(re.escape, glued))) if glued else None)
    index.longest = min(8, max((len(n.split()) for n in names), default=1))
    for name in names:
        index.by_length.setdefault(len(name.split()), []).append(name)
    index.by_length.setdefault(1, []).extend(chosen)
    for key in foreign:
        if key.isascii():
            index.by_length.setdefault(len(key.split()), []).append(key)
    return index


def _alias_ok(feature: FeatureLike, alias: str) -> bool:
    """Site aliases that are a spacecraft's bare name, and descriptions in lower case, are left out."""
    code = getattr(feature, "code", "")
    if code in ("XL", "XI"):
        return bool(re.search(r"landing|site|station|field|hollow|stadium", alias, re.IGNORECASE))
    return alias[:1].isupper() or not alias.isascii() or code in ("XP", "XG", "")


def _better(new: FeatureLike, old: FeatureLike) -> bool:
    if "albedo" in old.type.lower():
        return True
    return fold(new.name) == fold(old.name) and (new.diameter_m or 0) > (old.diameter_m or 0)


def _foreign(names: dict[str, FeatureLike]) -> dict[str, str]:
    text = resources.files(__package__).joinpath("data", "exonyms.tsv").read_text("utf-8")
    out: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, others = line.split("\t")
            if _key(name) in names:
                for other in others.split(";"):
                    out[fold(other.strip())] = names[_key(name)].name
    return out


# ---------------------------------------------------------------- reading


def read_places(scan: Scan, index: PlaceIndex) -> list[Place]:
    """Features named in free words of the question, in order; their words are taken."""
    found: list[Place] = []
    if index.foreign_rx is not None:
        for match in index.foreign_rx.finditer(scan.low):
            if scan.free(*match.span()):
                _keep(scan, index, found, index.foreign[match.group()], *match.span(), "foreign")
    tokens = list(scan.iter(_TOKEN))
    i = 0
    while i < len(tokens):
        step = _at(scan, index, found, tokens, i)
        i += step or 1
    rest = [t for t in tokens if scan.free(*t.span())]
    i = 0
    while i < len(rest):
        i += _fuzzy_at(scan, index, found, rest, i) or 1
    return sorted(found, key=lambda p: p.start)


def read_long_names(scan: Scan, index: PlaceIndex) -> list[Place]:
    """Exact names of two words and more ("Phoenix landing site", "Perseverance Valley", "South pole").

    Read before instruments and platforms, which would take a word out of them.
    """
    found: list[Place] = []
    tokens = list(scan.iter(_TOKEN))
    i = 0
    while i < len(tokens):
        used = 0
        for size in range(min(index.longest, len(tokens) - i), 1, -1):
            start, end = tokens[i].start(), tokens[i + size - 1].end()
            key = re.sub(r"\s+", " ", re.sub(r"'s?\b", "", scan.low[start:end]))
            name = index.foreign.get(key) or (index.names[key].name if key in index.names else None)
            if name is not None and scan.free(start, end) and not _all_common(scan, key, start):
                _keep(scan, index, found, name, start, end, "exact")
                used = size
                break
        i += used or 1
    return found


def _all_common(scan: Scan, key: str, start: int) -> bool:
    """A name made of ordinary words only needs its capital ("Home Plate", not "home plate")."""
    words = key.split()
    polar = words[-1] in ("pole", "plains", "cap", "region", "deposits", "area", "valley", "valleys")
    return (
        not polar and all(w in common_words() for w in words) and not scan.text[start].isupper() and not scan.is_lower()
    )


def _at(scan: Scan, index: PlaceIndex, found: list[Place], tokens: list[re.Match[str]], i: int) -> int:
    """Longest exact, foreign or partial name starting at token `i`; the number of tokens used."""
    for size in range(min(index.longest, len(tokens) - i), 0, -1):
        start, end = tokens[i].start(), tokens[i + size - 1].end()
        if not scan.free(start, end) or re.search(r"[,;:.?!/()]", scan.low[start:end].replace("mt.", "mt ")):
            continue
        key = re.sub(r"\s+", " ", scan.low[start:end])
        for variant in _variants(key, plural=not _descriptor_beside(scan, tokens, i)):
            name = index.foreign.get(variant)
            how = "alias"
            if name is None and (variant in index.names):
                name, how = index.names[variant].name, "exact"
            if name is None and size == 1 and variant in index.partial:
                name, how = index.partial[variant].name, "partial"
            if name is not None and (size > 1 or _single_ok(scan, index, tokens[i], how)):
                if how == "partial" and _type_follows(scan, index, tokens, i):
                    continue
                _keep(scan, index, found, name, start, end, how)
                return size
    return 0


def _descriptor_beside(scan: Scan, tokens: list[re.Match[str]], i: int) -> bool:
    """A word like Valles stands right before: "Valles Mariners" is no plural of the crater Mariner."""
    return (
        i > 0
        and tokens[i - 1].group() in _LATIN_WORDS
        and not scan.low[tokens[i - 1].end() : tokens[i].start()].strip()
    )


def _variants(key: str, plural: bool = True) -> tuple[str, ...]:
    out = [key]
    if key.endswith("'s"):
        out.append(key[:-2])
    if key.endswith("'") or (plural and key.endswith("s") and " " not in key):
        out.append(key[:-1])
    if key.startswith(("d'", "l'")):
        out.append(key[2:])
    if "-" in key:
        out.append(key.replace("-", " "))
    return tuple(out)


def _type_follows(scan: Scan, index: PlaceIndex, tokens: list[re.Match[str]], i: int) -> bool:
    """A descriptor follows that makes another name ("Nili Tholus" misspelt): leave it to the fuzzy reader."""
    if i + 1 >= len(tokens):
        return False
    nxt = tokens[i + 1]
    if not scan.free(*nxt.span()) or scan.low[tokens[i].end() : nxt.start()].strip():
        return False
    return any(_close(nxt.group(), d) for d in (*_PREFERENCE, "dorsa", "crater")) and nxt.group() not in common_words()


def _close(a: str, b: str) -> bool:
    from rapidfuzz.distance import OSA

    return len(a) > 3 and OSA.distance(a, b, score_cutoff=2) <= (1 if len(b) < 6 else 2)


def _single_ok(scan: Scan, index: PlaceIndex, token: re.Match[str], how: str) -> bool:
    """May this one word be a feature here?"""
    text, start, end = token.group(), token.start(), token.end()
    left, right = scan.left(start, 34), scan.right(end, 24)
    if rx(rf"^(?:'s)?\s*-?\s*(?:{_CRATER})(?![a-z])").search(right) or rx(
        rf"(?:{_CRATER})\s+(?:de\s+|of\s+|named\s+|called\s+)?$"
    ).search(left):
        return (
            not rx(r"(?:\b(?:a|an|the|this|that|every|any|some|which|what|young|old|fresh|large|small)\s+)$").search(
                left
            )
            or scan.text[start].isupper()
            or text not in common_words()
        )
    capital = scan.text[start].isupper()
    shouting = scan.text[start:end].isupper() and len(text) > 1
    common = text in common_words()
    if not text.isascii():
        return True
    if how == "partial":
        return capital or text in _FAMOUS or len(text) >= 6
    if common or len(text) <= 3:
        if not capital or shouting:
            return text in _FAMOUS and bool(rx(_PREPOSITION).search(left)) and not rx(r"\b(?:a|an)\s+$").search(left)
        sentence_start = not left.strip() or left.rstrip()[-1:] in ".!?:"
        if sentence_start:
            return text in _FAMOUS and not rx(r"^\s+(?:is|are|was|force|winds?)\b").search(right)
        if rx(r"[A-Z][a-z]+\s+$").search(scan.text[max(0, start - 20) : start]) or rx(r"^\s+[A-Z]").search(
            scan.text[end : end + 3]
        ):
            return text in _FAMOUS
        return text in _FAMOUS or bool(rx(_PREPOSITION).search(left))
    if len(text) == 4 and not capital:
        return bool(rx(_PREPOSITION).search(left))
    if not capital and not rx(_PREPOSITION).search(left):
        return len(text) >= 6 or text in _FAMOUS
    return True


_FAMOUS = frozenset((
    "arabia", "argyre", "bonneville", "eagle", "eberswalde", "elysium", "endeavour", "endurance",
    "erebus", "gale", "gusev", "hale", "hellas", "holden", "huygens", "isidis", "jezero",
    "korolev", "mawrth", "meridiani", "nili", "olympus", "santa", "schiaparelli", "syrtis",
    "tharsis", "utopia", "victoria",
))  # fmt: skip


def _keep(scan: Scan, index: PlaceIndex, found: list[Place], name: str, start: int, end: int, how: str) -> None:
    feature = index.names.get(_key(name))
    crater = rx(rf"^(?:'s)?\s*-?\s*(?:{_CRATER})(?![a-z])").search(scan.right(end, 24))
    before = rx(rf"(?:{_CRATER})\s+(?:de\s+)?$").search(scan.left(start, 16))
    if crater:
        end += crater.end()
    if before:
        start -= len(scan.left(start, 16)) - before.start()
    part, start, end = _part(scan, start, end)
    scan.take(start, end, "places", name if part is None else f"{part} of {name}", "geometry")
    if part is None or all(p.name != name for p in found):
        found.append(Place(name, start, end, feature.lat if feature is not None else 0.0, how, part))


def _part(scan: Scan, start: int, end: int) -> tuple[str | None, int, int]:
    """("western delta of X", "western X delta", "floor of X"): the part and the grown span."""
    left = scan.left(start, 48)
    of = rx(rf"(?P<d>{_DIRECTION})?\s*(?P<p>{_PART})\s+(?:of|in|within|inside|de|del|du|von)\s+(?:the\s+)?$").search(
        left
    )
    if of is not None and of.group().strip():
        words = " ".join(w for w in (of["d"], of["p"]) if w)
        return words, start - (len(left) - of.start()), end
    ahead = rx(rf"(?<![a-z])(?P<d>(?:{_DIRECTION})(?<!north)(?<!south)(?<!east)(?<!west))\s+$").search(left)
    behind = rx(rf"^\s+(?P<p>{_PART})(?![a-z])").search(scan.right(end, 24))
    if ahead or behind:
        words = " ".join(w for w in (ahead and ahead["d"], behind and behind["p"]) if w)
        new_start = start - (len(left) - ahead.start()) if ahead else start
        return words, new_start, end + (behind.end() if behind else 0)
    return None, start, end


# ---------------------------------------------------------------- misspelt names


def _fuzzy_at(scan: Scan, index: PlaceIndex, found: list[Place], tokens: list[re.Match[str]], i: int) -> int:
    for size in range(min(4, len(tokens) - i), 0, -1):
        group = tokens[i : i + size]
        start, end = group[0].start(), group[-1].end()
        if not scan.free(start, end) or not scan.low[start:end].isascii():
            continue
        words = [t.group() for t in group]
        if scan.low[start:end] != " ".join(words) or not any(odd_word(w) for w in words) or not odd_word(words[0]):
            continue
        name = _nearest(" ".join(words), size, index)
        if name is None:
            continue
        feature = index.partial.get(name) or index.names.get(name) or index.names.get(_key(index.foreign.get(name, "")))
        if feature is None:
            continue
        if size == 1 and not _fuzzy_single_ok(scan, group[0], name):
            continue
        _keep(scan, index, found, feature.name, start, end, "fuzzy")
        return size
    return 0


def odd_word(word_: str) -> bool:
    """A word that may be a misspelt name: no ordinary word of English, no frequent one of another language."""
    return (
        word_ not in common_words()
        and len(word_) >= 4
        and not any(c.isdigit() for c in word_)
        and word_ not in function_words()
    )


def _fuzzy_single_ok(scan: Scan, token: re.Match[str], name: str) -> bool:
    left, right = scan.left(token.start(), 30), scan.right(token.end(), 20)
    crater = rx(rf"^\s*-?\s*(?:{_CRATER})").search(right) or rx(rf"(?:{_CRATER})\s+$").search(left)
    capital = scan.text[token.start()].isupper() and left.strip() != ""
    famous = name in _FAMOUS
    if crater or famous:
        return True
    if len(token.group()) < 6:
        return False
    return bool((capital or len(token.group()) >= 7) and rx(_PREPOSITION).search(left))


def _nearest(text: str, size: int, index: PlaceIndex) -> str | None:
    return _nearest_cached(text, size, id(index), _Hold(index))


class _Hold:
    """Lets the cache key ignore the index object itself (its id is part of the key)."""

    def __init__(self, index: PlaceIndex) -> None:
        self.index = index

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hold)


@lru_cache(maxsize=4096)
def _nearest_cached(text: str, size: int, _: int, hold: _Hold) -> str | None:
    """The name within the edit distance its length allows (1 to 7 letters: 1, then one more each 5), unique best."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    names = hold.index.by_length.get(size, [])
    allowed = 1 if len(text) <= 6 else 2 if len(text) <= 12 else 3
    hits = process.extract(text, names, scorer=OSA.distance, score_cutoff=allowed, limit=8)
    if not hits:
        return None
    best = min(h[1] for h in hits)
    if best == 0:
        return None
    tied = [str(h[0]) for h in hits if h[1] == best]
    tied.sort(key=lambda n: (n not in _FAMOUS, n[0] != text[0], _size(hold.index, n)))
    return tied[0]


def _size(index: PlaceIndex, name: str) -> float:
    feature = index.partial.get(name) or index.names.get(name)
    return -(feature.diameter_m or 0.0) if feature is not None else 0.0


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Frequent words of other languages that must not be taken for misspelt names."""
    text = resources.files(__package__).joinpath("data", "other_words.txt").read_text("utf-8")
    return frozenset(text.split())


def unresolved_names(scan: Scan, found: list[Place]) -> list[str]:
    """Capitalised free words after a place preposition that no gazetteer knows: shown, never guessed."""
    out = []
    for match in re.finditer(r"\b[A-Z][a-z]{3,}(?:\s+[A-Z][a-z]{3,})*", scan.text):
        if scan.free(*match.span()) and rx(_PREPOSITION).search(scan.left(match.start(), 24)):
            words = match.group().split()
            if not all(w.lower() in common_words() for w in words) and fold(words[0]) not in function_words():
                out.append(match.group())
    return out
