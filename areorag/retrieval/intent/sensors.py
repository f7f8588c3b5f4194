# ruff: noqa: E501  (word lists read better on one line)
"""Instruments, platforms and kinds of data named in a question, ordinary words that only look like them left alone.

"Out of curiosity", "the opportunity to", "insight into" name no rover; "sam" and "rise" name no instrument unless
written as one. Misspelt instrument names are found by edit distance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...planet.instruments import all_instruments
from ...planet.lexicon import LATIN, fold
from .scan import B0, B1, Scan, common_words, rx, word

ItemKind = Literal["instruments", "platforms", "kinds", "places", "properties", "institutions", "levels"]


@dataclass(frozen=True)
class Item:
    """One thing named: its field, canonical name and place in the question."""

    field: ItemKind
    name: str
    start: int
    end: int


PLATFORMS: dict[str, tuple[str, ...]] = {
    "MRO": ("mro", "mars reconnaissance orbiter", "reconnaissance orbiter"),
    "MGS": ("mgs", "mars global surveyor", "global surveyor"),
    "Mars Odyssey": ("mars odyssey", "2001 mars odyssey", "odyssey", "ody"),
    "Mars Express": ("mars express", "mex", "mars-express"),
    "TGO": ("tgo", "trace gas orbiter", "exomars tgo", "exomars trace gas orbiter", "exomars"),
    "MAVEN": ("maven",),
    "Hope": ("hope", "hope probe", "hope orbiter", "emirates mars mission", "emm", "al-amal", "al amal"),
    "Tianwen-1": ("tianwen-1", "tianwen 1", "tianwen", "天问一号", "天问1号"),
    "Zhurong": ("zhurong", "zhu rong", "祝融号", "祝融", "чжужун"),
    "MSL": ("curiosity", "msl", "mars science laboratory", "好奇号", "キュリオシティ", "кьюриосити"),
    "M2020": ("perseverance", "m2020", "mars 2020", "mars2020", "percy", "毅力号", "パーサヴィアランス", "персеверанс"),
    "Ingenuity": ("ingenuity",),
    "MER-A": ("spirit", "mer-a", "mera", "mer a", "勇气号", "スピリット"),
    "MER-B": ("opportunity", "mer-b", "merb", "mer b", "oppy", "机遇号", "オポチュニティ", "оппортьюнити"),
    "Phoenix": ("phoenix", "phx", "凤凰号", "フェニックス"),
    "InSight": ("insight", "洞察号", "インサイト"),
    "Pathfinder": ("mars pathfinder", "pathfinder", "mpf"),
    "Sojourner": ("sojourner",),
    "Viking Orbiter 1": ("viking orbiter 1", "viking 1 orbiter", "vo1"),
    "Viking Orbiter 2": ("viking orbiter 2", "viking 2 orbiter", "vo2"),
    "Viking Lander 1": ("viking lander 1", "viking 1 lander", "vl1", "viking 1"),
    "Viking Lander 2": ("viking lander 2", "viking 2 lander", "vl2", "viking 2"),
    "Viking Orbiter": ("viking orbiter", "viking orbiters"),
    "Viking Lander": ("viking lander", "viking landers"),
    "Viking": ("viking",),
    "Mariner 9": ("mariner 9",),
    "Phobos 2": ("phobos 2",),
    "Mars Orbiter Mission": ("mars orbiter mission", "mangalyaan"),
    "LRO": ("lro", "lunar reconnaissance orbiter"),
    "Kaguya": ("kaguya", "selene"),
    "Chandrayaan-1": ("chandrayaan-1", "chandrayaan 1"),
}
"""Platforms by the code this project writes, with the names people use."""
_WORDS = frozenset(
    [
        "curiosity",
        "perseverance",
        "ingenuity",
        "spirit",
        "opportunity",
        "phoenix",
        "insight",
        "hope",
        "odyssey",
        "viking",
        "exomars",
    ]
)
_EVIDENCE_AFTER = (
    r"^(?:'s\b|\s+(?:rover|lander|mission|orbiter|helicopter|probe|spacecraft|sols?\b|team|landing|traverse|drive|drill|data|images?|imag(?:ed|ing)|"
    r"observ\w+|measure\w*|found|find|saw|see|detect\w*|drove|look\w*|record\w*|instrument\w*|photograph\w*|analy[sz]\w*|camera\w*|"
    r"before|after|during|between|on\s+sol|at\s+gale|or\b|and\b|but\b|versus|vs\b))"
)
_AGAINST_BEFORE = r"(?:\b(?:out\s+of|my|your|his|her|our|their|some|any|much|an?|with|further|little|great|good|the|this|that|every|each|in|sheer|idle|mere|i|we|of|to|for|more|deep|new)\s+)$"
_AGAINST_AFTER = r"^\s*(?:to\s+(?!sol)|into\b|that\b|for\b|about\b|of\b|rises?\b|is\s+a\b|we\b|you\b|i\b)"
_KINDS = {
    "orbital": r"orbital|orbiters?|(?:from|in)\s+orbit|orbit|satellites?|from\s+space|remote[\s-]sens\w+|orbitales?|orbitale[rsn]?|orbitali|orbitais|en\s+orbite|aus\s+dem\s+orbit|dall'orbita|轨道器?|軌道|周回機|орбитальн\w+|с\s+орбиты",
    "insitu": r"in[\s-]?situ|insitu|rovers?|landers?|ground[\s-]+truth|ground[\s-]based|(?:on|from)\s+the\s+ground|surface\s+missions?|landed\s+(?:missions?|assets?)|astromobile|atterrisseur|vor\s+ort|atterrizador|原位|就位|その場|着陸機|ローバー|巡视器|ровер\w*|марсоход\w*|посадочн\w+",
    "derived": r"derived|dtms?|dems?|digital\s+(?:terrain|elevation)\s+models?|mosaics?|map\s+products?|mosaicos?|mosaiques?|mosaike|mosaici|镶嵌图?|モザイク|мозаик\w*",
}
_TECHNIQUES = {
    "radar": r"radars?|sounders?|雷达|レーダー|радар\w*",
    "imaging spectroscopy": r"spectromet\w+|hyperspectral|imaging\s+spectro\w+|spectral\s+data",
    "thermal infrared": r"thermal\s+(?:infrared|emission|ir)|tir\b",
    "visible imaging": r"photographs?|photos?|pictures?",
    "altimetry": r"altimet\w+",
}


@lru_cache(maxsize=8)
def _instrument_aliases(extra: tuple[str, ...] = ()) -> tuple[tuple[re.Pattern[str], str, bool], ...]:
    """(pattern, name, exact case needed) longest alias first."""
    rows: list[tuple[str, str]] = []
    for spec in all_instruments():
        name = "MOC" if spec.name.startswith("MOC-") else spec.name
        rows += [(alias, name) for alias in (spec.name, *spec.aliases)]
    rows += [
        ("Mars Orbiter Camera", "MOC"),
        ("navigation cameras", "Navcam"),
        ("Mini TES", "Mini-TES"),
        ("mastcam z", "Mastcam-Z"),
    ]
    rows += [(name, name) for name in extra]
    rows = [
        (a, n)
        for a, n in dict.fromkeys(rows)
        if fold(a) not in _platform_names() and fold(a) not in ("mariner 9", "tv cameras", "hubble")
    ]
    rows.sort(key=lambda r: -len(r[0]))
    out = []
    for alias, name in rows:
        exact = _needs_case(alias)
        body = re.escape(alias if exact else fold(alias))
        body = re.sub(r"(?:\\ |\\-)+", r"[\\s-]?", body)
        plural = "" if exact or alias[-1] in "sS" else "s?"
        out.append((re.compile(f"(?<![{LATIN}])(?<!mini-)(?<!Mini-){body}{plural}(?![{LATIN}])"), name, exact))
    return tuple(out)


def _needs_case(alias: str) -> bool:
    low = fold(alias)
    return len(low) <= 2 or (" " not in low and (low in common_words() or low in _CASED))


_CASED = frozenset(
    [
        "sam",
        "rat",
        "rad",
        "dan",
        "rise",
        "mast",
        "imp",
        "acs",
        "lr",
        "mb",
        "vis",
        "met",
        "mag",
        "seis",
        "rac",
        "icc",
        "ssi",
        "rmi",
        "tls",
        "mms",
        "idc",
        "ns",
        "meca",
        "lidar",
        "mons",
    ]
)


@lru_cache(maxsize=1)
def _platform_names() -> frozenset[str]:
    return frozenset(a for aliases in PLATFORMS.values() for a in aliases)


def read_platforms(scan: Scan) -> list[Item]:
    """Platforms; a name that is also a word must show that it is meant."""
    out: list[Item] = []
    rows = sorted(((a, code) for code, aliases in PLATFORMS.items() for a in aliases), key=lambda r: -len(r[0]))
    for alias, code in rows:
        body = re.sub(r"(?:\\ |\\-)+", r"[\\s-]?", re.escape(alias))
        for match in scan.iter(f"(?<![{LATIN}]){body}(?![{LATIN}])"):
            if alias in _WORDS and not _meant(scan, match):
                scan.take(*match.span(), "word")
                continue
            end = match.end()
            tail = rx(r"^(?:'s)?\s+(?:rover|lander|orbiter|mission|helicopter|probe|spacecraft)\b").search(
                scan.right(end, 16)
            )
            end += tail.end() if tail else 0
            head = rx(r"(?:rover|lander|марсоход\w*|ровер\w*)\s+$").search(scan.left(match.start(), 12))
            start = match.start() - (len(head.group()) if head else 0)
            scan.take(start, end, "platforms", code)
            out.append(Item("platforms", code, start, end))
    return out + _misspelt_platforms(scan)


def _misspelt_platforms(scan: Scan) -> list[Item]:
    """Spacecraft of one long word with a typing error ("Perserverance")."""
    from rapidfuzz.distance import OSA

    names = {
        a: code for code, aliases in PLATFORMS.items() for a in aliases if a.isascii() and a.isalpha() and len(a) >= 7
    }
    out = []
    for match in scan.iter(rf"{B0}[a-z]{{6,}}{B1}"):
        if match.group() in common_words():
            continue
        best = min(names, key=lambda a: (OSA.distance(match.group(), a), a))
        if OSA.distance(match.group(), best) <= (1 if len(best) < 9 else 2):
            scan.take(*match.span(), "platforms", names[best])
            out.append(Item("platforms", names[best], *match.span()))
    return out


def _meant(scan: Scan, match: re.Match[str]) -> bool:
    name = match.group()
    left, right = scan.left(match.start(), 18), scan.right(match.end(), 24)
    capital = scan.text[match.start()].isupper()
    inner_capital = name == "insight" and scan.text[match.start() : match.end()] == "InSight"
    if inner_capital or rx(r"^(?:'s)?\s+(?:rover|lander|mission|sols?\b|orbiter|helicopter|probe|spacecraft)").search(
        right
    ):
        return True
    if rx(r"(?:rover|lander|марсоход\w*|orbiter)\s+$").search(left):
        return True
    if rx(_AGAINST_AFTER).search(right):
        return False
    if capital:
        sentence_start = not left.strip() or left.rstrip()[-1:] in ".!?"
        if name == "hope":
            return bool(rx(_EVIDENCE_AFTER).search(right)) and not sentence_start
        figure = rx(r"(?:out\s+of|satisfy\s+(?:my|your|our)|in|sheer|an?|with)\s+$").search(left)
        return figure is None or name not in ("curiosity", "perseverance", "opportunity", "spirit", "ingenuity")
    if rx(_AGAINST_BEFORE).search(left):
        return False
    return bool(
        rx(_EVIDENCE_AFTER).search(right) or (rx(r"(?:by|from|did|has|can)\s+$").search(left) and name not in ("hope",))
    )


def read_instruments(scan: Scan, extra: tuple[str, ...] = ()) -> list[Item]:
    """Instruments by name or alias, then misspelt ones; `extra` names come from the graph."""
    out: list[Item] = []
    for pattern, name, exact in _instrument_aliases(extra):
        for match in pattern.finditer(scan.text if exact else scan.low):
            if not scan.free(*match.span()) or (exact and not cased_ok(scan, match)):
                continue
            _add(scan, out, name, match.start(), match.end())
    for match in scan.iter(rf"{B0}[a-z][a-z]+(?:-[a-z]+)?{B1}"):
        found = _fuzzy(match.group(), extra)
        if found is not None:
            _add(scan, out, found, match.start(), match.end())
    return sorted(out, key=lambda i: i.start)


def _add(scan: Scan, out: list[Item], name: str, start: int, end: int) -> None:
    tail = rx(r"^\s+(?:narrow|wide)[\s-]+angle").search(scan.right(end, 16)) if name == "MOC" else None
    end += tail.end() if tail else 0
    scan.take(start, end, "instruments", name)
    out.append(Item("instruments", name, start, end))


def cased_ok(scan: Scan, match: re.Match[str]) -> bool:
    """An all-capitals name counts, unless the whole question is in capitals."""
    letters = [c for c in scan.text if c.isalpha()]
    return not (len(letters) > 12 and all(c.isupper() for c in letters))


@lru_cache(maxsize=4096)
def _fuzzy(token: str, extra: tuple[str, ...]) -> str | None:
    from rapidfuzz.distance import OSA

    plain = token.replace("-", "")
    if len(plain) < 4 or plain in common_words() or token in common_words():
        return None
    best: tuple[int, str] | None = None
    for spec in all_instruments():
        for alias in (spec.name, *spec.aliases):
            low = fold(alias).replace("-", "")
            if len(low) < 5 or " " in low or not low.isalpha() or low in common_words():
                continue
            if low[0] != plain[0] and len(low) < 7:
                continue
            allowed = 1 if len(low) < 8 else 2
            distance = OSA.distance(plain, low, score_cutoff=allowed)
            if distance <= allowed and (best is None or distance < best[0]):
                best = (distance, "MOC" if spec.name.startswith("MOC-") else spec.name)
    return best[1] if best else None


def read_kinds(scan: Scan) -> list[Item]:
    """orbital, insitu, derived."""
    out = []
    for kind, pattern in _KINDS.items():
        for match in scan.iter(word(pattern)):
            if kind == "derived" and (
                scan.left(match.start(), 1) == "-" or rx(r"^\s*from").search(scan.right(match.end(), 8))
            ):
                continue
            if match.group() == "orbit" and not rx(
                r"(?:orbit\s*(?:and|or|versus|vs|/|&)|(?:between|and|vs\.?)\s+(?:the\s+)?orbit\b)"
            ).search(scan.low):
                continue
            scan.take(*match.span(), "kinds", kind)
            out.append(Item("kinds", kind, *match.span()))
    return out


def read_techniques(scan: Scan) -> list[str]:
    """Measuring techniques named without an instrument; they rank, they do not filter."""
    return [name for name, pattern in _TECHNIQUES.items() if rx(word(pattern)).search(scan.low)]


def mission_of(platforms: list[str], instruments: list[str], places: list[str]) -> str | None:
    """The mission whose sols are meant: the platform named, else the instrument's only lander, else the place's."""
    from ...planet.instruments import get_instrument
    from ...planet.missions import find_mission

    for platform in platforms:
        mission = find_mission(platform)
        if mission is not None:
            return mission.name
    options: list[set[str]] = []
    for name in instruments:
        spec = get_instrument(name)
        if spec is None or spec.kind != "insitu":
            continue
        options.append({m.name for p in spec.platforms if (m := find_mission(p)) is not None})
    here = next((_SITES[fold(p)] for p in places if fold(p) in _SITES), None)
    if options:
        common = set.intersection(*options) or set.union(*options)
        if here in common:
            return here
        if len(common) == 1:
            return next(iter(common))
        return here if not common else _first(common)
    return here


def _first(options: set[str]) -> str | None:
    """MSL before the older rovers where an instrument flew on several and nothing else tells."""
    return next((m for m in ("MSL", "M2020", "MER-A", "MER-B") if m in options), None)


_SITES = {
    "gale": "MSL", "aeolis mons": "MSL", "aeolis palus": "MSL", "yellowknife bay": "MSL", "bradbury landing": "MSL",
    "pahrump hills": "MSL", "jezero": "M2020", "gusev": "MER-A", "columbia hills": "MER-A", "home plate": "MER-A",
    "meridiani planum": "MER-B", "endeavour": "MER-B", "victoria": "MER-B", "eagle": "MER-B", "endurance": "MER-B",
    "elysium planitia": "InSight", "utopia planitia": "Zhurong",
}  # fmt: skip
