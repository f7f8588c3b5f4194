# ruff: noqa: E501  (word lists read better on one line)
"""Time in a question: solar longitude, seasons of either hemisphere, Mars Years, sols, storms (METHODS §2 intent)."""

from __future__ import annotations

import re

from ...planet.lexicon import SEASON_LS
from .limits import outside
from .model import Sols
from .scan import B0, B1, NUM, Scan, number, rx, word

Window = tuple[float, float]

_TO = r"\s*(?:°|deg(?:rees?)?)?\s*(?:-|to|through|thru|until|till|and|\.\.\.?|…|bis|hasta|a|ate|au?|e|y|et|und|и|до|по|~|至|到|から)\s*"
_LS = r"l[\s_]?s|solar\s+longitudes?|longitud(?:es)?\s+solar(?:es)?|longitudes?\s+solaires?|longitudine\s+solare|solare?n?\s+lange|sonnenlange|солнечн\w+\s+долгот\w+|太阳黄经|太陽黄経|太阳经度"
_MY = (
    r"m\.?y\.?|mars(?:ian)?[\s-]+years?|martian\s+years?|anos?\s+marcianos?|annees?\s+martiennes?|marsjahr(?:e|en|es)?|"
    r"ann[oi]\s+marzian[oi]|марсианск\w+\s+год\w*|火星年"
)
STORMS: dict[int, tuple[int, str, str]] = {
    2018: (34, "2018-05-30", "2018-09-15"),
    2007: (28, "2007-06-22", "2007-10-01"),
    2001: (25, "2001-06-26", "2001-10-15"),
    1977: (12, "1977-05-27", "1977-10-01"),
    1973: (10, "1973-10-13", "1973-12-15"),
    1971: (9, "1971-09-22", "1972-01-15"),
    1956: (1, "1956-08-19", "1956-11-01"),
}
"""Planet-encircling dust storms by Earth year: Mars Year, first and last day of the event (rounded to days)."""
CURRENT_MARS_YEAR = 38
SINGLE_LS_HALF_DEG = 10.0
"""Half width of "around Ls 90" and of "around the equinox", degrees."""


# ---------------------------------------------------------------- solar longitude


def read_ls(scan: Scan) -> list[Window]:
    """Windows given as numbers; ``±``, open ends and wraps included."""
    out: list[Window] = []
    lead = rf"{B0}(?P<lead>around|about|near|approximately|~|circa|from|between)?\s*(?:{_LS})(?![a-z])\s*(?P<op>=|:|of|from|between|range|is|in|>=?|<=?|~|around|about|above|below|after|before|entre|de|von|zwischen|от|с|\[|\()*\s*(?:between|from|about)?\s*"
    rng = rf"(?P<a>{NUM})(?:{_TO}(?:(?:{_MY})\s*\d{{1,2}},?\s*)?(?:(?:{_LS})\s*=?\s*)?(?P<b>{NUM})(?![\d.]*\s*(?:km|m\b|[nsew]\b)))?(?:\s*(?:°|deg(?:rees?)?))?(?:\s*(?:±|\+/?-|\+-)\s*(?P<pm>{NUM}))?\s*°?"
    for match in scan.iter(lead + rng):
        values = [number(v) for v in re.split(r",(?=\d)", match["a"])]  # "Ls 90,180" is two
        values += [number(match["b"])] if match["b"] else []
        half = number(match["pm"]) if match["pm"] else None
        reason = outside("solar longitude", *values) or outside("half width of a season", half)
        if reason is not None:
            scan.refuse(*match.span(), "ls_deg", reason)
            continue
        window = _ls_window(match, values, half)
        out.append(window)
        scan.take(*match.span(), "ls_deg", f"{window[0]:g}..{window[1]:g}")
    negative = (
        rf"{B0}(?:{_LS})(?![a-z])\s*(?:=|:|of|at|is|between|from)?\s*(?<=[\s=:])(?P<a>-{NUM})(?:{_TO}-?{NUM})?\s*°?"
    )
    for match in scan.iter(negative):
        scan.refuse(*match.span(), "ls_deg", outside("solar longitude", float(match["a"])) or "it is negative")
    return out


def _ls_window(match: re.Match[str], values: list[float], half: float | None) -> Window:
    a = values[0]
    if len(values) > 1:
        return a, values[-1]
    if half is not None:
        return ((a - half) % 360, (a + half) % 360)
    words = match.group()
    if re.search(r">|above|after", words):
        return (a, 360.0)
    if re.search(r"<|below|before", words):
        return (0.0, a)
    if match["lead"] in ("around", "about", "near", "approximately", "~", "circa") or "~" in words:
        return ((a - SINGLE_LS_HALF_DEG) % 360, (a + SINGLE_LS_HALF_DEG) % 360)
    return (a, a)


# ---------------------------------------------------------------- seasons

_SEASONS = {
    "spring": r"spring(?:time)?|srping|sping|sprng|sprign|primavera|printemps|fruhling|fruhjahr|весн\w*|春季|春天|春",
    "summer": r"summer(?:time)?|sumer|summr|sumemr|summre|verano|ete|sommer|estate|verao|летом|лета|лето|летн\w+|夏季|夏天|夏",
    "autumn": r"autumn|autum|autunm|fall|otono|automne|herbst|autunno|outono|осен\w*|秋季|秋天|秋",
    "winter": r"winter(?:time)?|wintr|witner|wniter|wintre|invierno|hiver|inverno|зим\w*|冬季|冬天|冬",
}
_NORTH = r"(?:north(?:ern)?|northen|nothern|norhern|noerthern|norther|northren|nortern)(?:\s+hemispher(?:e|ic))?|boreal(?:es)?|nh|n\.|del?\s+norte|norteno|septentrional\w*|du\s+nord|nordliche[nrsm]?|nord|boreale|settentrional\w*|do\s+norte|(?:d?el\s+)?hemisferio\s+norte|hemisphere\s+nord|emisfero\s+nord|(?:auf\s+der\s+)?nordhalbkugel|nordhemisphare|北半球の?|北方|北部の?|北|северн\w+(?:\s+полушари\w+)?"
_SOUTH = r"(?:south(?:ern)?|southen|sothern|souhtern|southren|sourthern|suthern|soutern)(?:\s+hemispher(?:e|ic))?|austral(?:es)?|sh|s\.|del?\s+sur|meridional\w*|du\s+sud|sudliche[nrsm]?|sud|australe|meridionale|do\s+sul|(?:d?el\s+)?hemisferio\s+su[rl]|hemisphere\s+sud|emisfero\s+sud|(?:auf\s+der\s+)?sudhalbkugel|sudhemisphare|南半球の?|南方|南部の?|南|южн\w+(?:\s+полушари\w+)?"
_PHASE = r"early|mid(?:dle)?|late|beginning\s+of|end\s+of|start\s+of|inicio|finales|debut|fin|anfang|ende|初|晩|晚"
_LINK = r"(?:\s|-|の|的|季|时|,\s?)*(?:of\s+the\s+|in\s+the\s+|of\s+|in\s+|on\s+the\s+|for\s+the\s+|im\s+|en\s+el\s+|dans\s+l'|nell'|no\s+|в\s+|der\s+|auf\s+der\s+|d'|l'|the\s+)?"


def read_seasons(scan: Scan, default_north: bool | None) -> tuple[list[Window], list[Window]]:
    """Season windows (wanted, excluded). A season without a hemisphere takes that of the place, else the north's."""
    wanted = _marked_points(scan)
    excluded: list[Window] = []
    for season, words in _SEASONS.items():
        ascii_words = "|".join(w for w in words.split("|"))
        patterns = (
            rf"(?:{B0}(?P<p>{_PHASE})[\s-]*(?:the\s+)?)?(?:{B0}(?P<n>{_NORTH})|{B0}(?P<s>{_SOUTH}))(?:\s|-|の|的)*(?:{ascii_words}){B1}",
            rf"(?:{B0}(?P<p>{_PHASE})[\s-]*(?:the\s+)?)?{B0}(?:{ascii_words}){B1}{_LINK}(?:(?P<n>{_NORTH})|(?P<s>{_SOUTH})){B1}",
            rf"(?:{B0}(?P<p>{_PHASE})[\s-]*(?:the\s+)?)?{B0}(?P<n>(?P<s>(?!))|(?:{ascii_words}))(?:s|zeit|时)?{B1}",
        )
        for i, pattern in enumerate(patterns):
            for match in scan.iter(pattern):
                north = default_north if i == 2 else match["s"] is None
                if i == 2 and not _is_season(match, scan, season):
                    continue
                window = _phase(SEASON_LS["south" if north is False else "north", season], match["p"])
                negative = rx(_NEGATED).search(scan.left(match.start(), 26))
                (excluded if negative else wanted).append(window)
                scan.take(*match.span(), "ls_deg", f"{season}, {'south' if north is False else 'north'}: {window}")
    return wanted, excluded


_NEGATED = r"(?:not|except|excluding|without|but\s+not|other\s+than|outside|sauf|excepto|salvo|ausser|nicht|tranne|exceto|кроме)\s+(?:in|during|for|en|durante|im|d'|the|in\s+the|pendant|dans)?\s*(?:l'|el|la|the|den)?\s*$"


def _is_season(match: re.Match[str], scan: Scan, season: str) -> bool:
    """A bare word: "fall" the verb and one-character Chinese words in compounds do not count."""
    word_ = match["n"]
    left, right = scan.left(match.start(), 20), scan.right(match.end(), 20)
    if word_ == "fall" and not rx(r"(?:in|during|the|of|early|late|mid|this|every)[\s-]+$|^$").search(left):
        return False
    if word_ == "fall" and rx(r"^\s*(?:of|on|in\s+the\s+range|into|below|within|under)\b").search(right):
        return False
    if word_ == "spring" and rx(r"^s?\s*(?:deposit|mound|water)").search(right):
        return False
    if word_ == "ete" and not rx(r"(?:en|l'|d'|cet|pendant\s+l'|dans\s+l')\s*$").search(left):
        return False
    return not (word_ == "estate" and not rx(r"(?:in|d'|l'|durante\s+l'|nell')\s*$").search(left))


def _phase(window: Window, phase: str | None) -> Window:
    a, b = window
    third = (b - a) / 3
    if not phase:
        return window
    if re.match(r"early|beginning|start|inicio|debut|anfang|初", phase):
        return (a, a + third)
    if re.match(r"late|end|finales|fin|晩|晚", phase):
        return (b - third, b)
    return (a + third, b - third)


def _marked_points(scan: Scan) -> list[Window]:
    """Equinoxes, solstices, perihelion, aphelion: the point ± `SINGLE_LS_HALF_DEG`."""
    names = {
        r"(?:vernal|spring|march)\s+equinox|equinoccio\s+(?:vernal|de\s+primavera)|equinoxe\s+(?:vernal|de\s+printemps)|fruhlingsaquinoktium|春分": 0.0,
        r"(?:northern\s+)?summer\s+solstice|solsticio\s+de\s+verano|solstice\s+d'ete|sommersonnenwende|夏至": 90.0,
        r"(?:autumnal|fall|autumn|september)\s+equinox|equinoccio\s+de\s+otono|equinoxe\s+d'automne|herbstaquinoktium|秋分": 180.0,
        r"(?:northern\s+)?winter\s+solstice|solsticio\s+de\s+invierno|solstice\s+d'hiver|wintersonnenwende|冬至": 270.0,
        r"(?<!ap)perihelion|perihelio|perihelie|perihel|近日点|перигели\w*": 251.0,
        r"aphelion|afelio|aphelie|aphel|远日点|遠日点|афели\w*": 71.0,
    }
    out = []
    for pattern, centre in names.items():
        for match in scan.iter(word(rf"(?:southern\s+)?(?:{pattern})")):
            if rx(r"^\s+cloud").search(scan.right(match.end(), 10)):
                continue
            south = match.group().startswith("southern") or rx(r"^\s+(?:in|of)\s+the\s+south").search(
                scan.right(match.end())
            )
            value = (centre + 180) % 360 if south and centre % 90 == 0 else centre
            tail = rx(r"^\s+(?:in|of)\s+the\s+(?:north|south)(?:ern\s+hemisphere)?").search(scan.right(match.end()))
            end = match.end() + (tail.end() if tail else 0)
            window = ((value - SINGLE_LS_HALF_DEG) % 360, (value + SINGLE_LS_HALF_DEG) % 360)
            out.append(window)
            scan.take(match.start(), end, "ls_deg", f"{match.group()}: {window}")
    return out


def merge_windows(windows: list[Window]) -> tuple[Window | None, list[Window]]:
    """One window where they join end to end (spring and summer), else None; and all of them, repeated ones once."""
    unique = list(dict.fromkeys(windows))
    if not unique:
        return None, []
    joined = sorted(unique)
    if len(joined) > 1:
        for start in range(len(joined)):
            order = joined[start:] + joined[:start]
            if all(abs((order[i][1] - order[i + 1][0]) % 360) < 1e-9 for i in range(len(order) - 1)):
                return (order[0][0], order[-1][1]), unique
        return None, unique
    return unique[0], unique


# ---------------------------------------------------------------- Mars Years


def read_mars_years(scan: Scan) -> list[int]:
    """Lists, ranges and open ends: "MY 28, 30 and 33", "MY29-MY31", "Mars Year 34 onwards"."""
    out: list[int] = []
    sep = r"(?:\s*(?:,|/|;|&|-|to|through|thru|until|till|and|or|bis|und|oder|a|hasta|y|o|et|ou|au?|e|и|до|по|или|~|至|到|和|と|から|,\s*(?:and|or))\s*)"
    item = rf"(?:(?:{_MY})\s*\.?\s*)?(?P<n{{}}>\d{{{{1,2}}}})(?![\d.:°]|\s*(?:km|m|cm|mi|ft|%|px|deg)\b)"
    lead = rf"(?P<open>(?:since|after|before|until|from|starting\s+(?:in|with)|up\s+to|ab|desde|depuis|с)\s+)?{B0}(?:{_MY})\s*\.?#?\s*"
    one = item.format("")
    pattern = rf"{lead}(?P<list>{one.replace('(?P<n>', '(?:')}(?:{sep}(?:{one.replace('(?P<n>', '(?:')}))*)(?P<after>\s*(?:onwards?|and\s+(?:later|after|beyond|following|onwards?)|or\s+later|\+|以降|以后|и\s+позже))?"
    for match in scan.iter(pattern):
        years = _years(match["list"])
        tail = rx(r"^(?:-|\s+(?:to|through|until|bis|hasta)\s+)(\d{3,})(?!\d|[-.]\d)").search(scan.low[match.end() :])
        reason = outside("Mars Year", *years, int(tail[1]) if tail else None)
        if reason is not None:
            scan.refuse(match.start(), match.end() + (tail.end() if tail else 0), "mars_years", reason)
            continue
        if match["after"] or (match["open"] or "").strip() in ("since", "ab", "desde", "depuis", "starting with"):
            years = list(range(years[-1], CURRENT_MARS_YEAR + 1))
        elif (match["open"] or "").strip() == "after" and len(years) == 1:
            years = list(range(years[0] + 1, CURRENT_MARS_YEAR + 1))
        elif (match["open"] or "").strip() == "before" and len(years) == 1:
            years = list(range(max(1, years[0] - 15), years[0]))
        out += years
        scan.take(*match.span(), "mars_years", years)
    for match in scan.iter(
        r"(?:第\s*)?(?<!\d)(?P<n>\d+)\s*(?:个|個)?火星年|(?<!\d)(?P<m>\d+)-?(?:й|го|м)?\s+марсианск\w+\s+год\w*"
    ):
        year = int(match["n"] or match["m"])
        reason = outside("Mars Year", year)
        if reason is not None:
            scan.refuse(*match.span(), "mars_years", reason)
            continue
        out.append(year)
        scan.take(*match.span(), "mars_years", year)
    for match in scan.iter(rf"{B0}(?:{_MY})\s*\.?#?\s*(?:=|:)?\s*(?P<n>(?<!\d)-?\d+)(?![\d.:°]|-\d)"):
        reason = outside("Mars Year", int(match["n"]))
        if reason is not None:
            scan.refuse(*match.span(), "mars_years", reason)
    return list(dict.fromkeys(out))


def _years(text: str) -> list[int]:
    tokens = re.findall(
        r"\d{1,2}|-|~|\bto\b|through|thru|until|till|bis|hasta|至|到|から|до|по|(?<=\d)\s+a\s+(?=\d)|(?<=\d)\s+au?\s+(?=\d)",
        text,
    )
    out: list[int] = []
    ranged = False
    for token in tokens:
        if not token.isdigit():
            ranged = True
            continue
        year = int(token)
        if ranged and out and out[-1] < year:
            out += range(out[-1] + 1, year + 1)
        else:
            out.append(year)
        ranged = False
    return out


# ---------------------------------------------------------------- sols


def read_sols(scan: Scan) -> Sols | None:
    """Sols with ranges and open ends; the mission is filled in later from the platform or instrument named."""
    n = r"\d{1,5}"
    to = r"\s*(?:-|to|through|thru|until|till|and|\.\.\.?|…|bis|hasta|a|au?|e|y|et|und|и|до|по|~|至|到)\s*"
    sol = r"(?:sols?|sole|солы?|сол(?:ов|ах|а)|ソル|火星日)"
    _refuse_sols(scan, sol, to)
    rng = scan.first(
        rf"{B0}(?:between\s+)?{sol}\s*(?:numbers?|between|from|de|von|с|#)?\s*(?P<a>{n})(?:{to}(?:{sol}\s*)?(?P<b>{n}))(?![\d.])"
    )
    if rng is None:
        rng = scan.first(rf"(?<![\d.])(?P<a>{n}){to}(?P<b>{n})\s*{sol}{B1}")
    if rng is not None:
        a, b = sorted((int(rng["a"]), int(rng["b"])))
        scan.take(*rng.span(), "sols", f"{a}..{b}")
        return Sols(min=a, max=b)
    first = scan.first(rf"(?:first|primeros|premiers|ersten|primi|первые)\s+(?P<a>{n})\s+{sol}{B1}")
    if first is not None:
        scan.take(*first.span(), "sols", f"..{first['a']}")
        return Sols(min=0, max=int(first["a"]))
    opened = scan.first(
        rf"(?P<op>after|since|from|beyond|later\s+than|past|starting|before|until|till|up\s+to|through|prior\s+to|earlier\s+than|by|"
        rf"desde|despues\s+del?|antes\s+del?|hasta|apres|avant|depuis|nach|vor|ab|bis|dopo|prima\s+del?|после|до|>=?|<=?)\s+(?:the\s+|le\s+|el\s+)?{sol}\s*#?\s*(?P<a>{n})(?![\d.])(?P<on>\s*(?:onwards?|on\b|and\s+later))?"
    )
    if opened is not None:
        value = int(opened["a"])
        later = re.match(
            r"after|since|from|beyond|later|past|starting|desde|despues|apres|depuis|nach|ab\b|dopo|после|>",
            opened["op"],
        )
        scan.take(*opened.span(), "sols", opened.group())
        return Sols(min=value, max=None) if later else Sols(min=None, max=value)
    near = scan.first(
        rf"(?P<near>around|near|about|circa|~)?\s*{B0}{sol}\s*#?:?\s*(?P<a>{n})(?![\d.])(?P<on>\s*(?:onwards?|and\s+later|or\s+later|\+))?"
    )
    if near is None:
        return None
    value = int(near["a"])
    scan.take(*near.span(), "sols", near.group())
    if near["on"]:
        return Sols(min=value, max=None)
    return Sols(min=value, max=value)


def _refuse_sols(scan: Scan, sol: str, to: str) -> None:
    """Negative sols and those beyond any mission."""
    one = r"-?\d+(?![\d.])"
    for pattern in (
        rf"{B0}(?:between\s+)?{sol}\s*(?:numbers?|between|from|#|=|:)?\s*(?<=[\s#=:])(?P<a>{one})(?:{to}(?:{sol}\s*)?(?P<b>{one}))?",
        rf"(?<![\d.-])(?P<a>{one})(?:{to}(?P<b>{one}))?\s*{sol}{B1}",
    ):
        for match in scan.iter(pattern):
            reason = outside("sol", *(int(v) for v in (match["a"], match["b"]) if v))
            if reason is not None:
                scan.refuse(*match.span(), "sols", reason)


# ---------------------------------------------------------------- storms


def read_storm(scan: Scan) -> tuple[tuple[str | None, str | None] | None, list[int]]:
    """("before / after / during the 2018 dust storm") → dates; a storm named by Mars Year also gives that year."""
    name = r"(?:global|planet[\s-]*(?:wide|encircling)|great|big|regional)?\s*(?:dust\s+(?:storm|event)|storm|tormenta(?:\s+global)?(?:\s+de\s+polvo)?|tempete(?:\s+globale)?(?:\s+de\s+poussieres?)?|(?:globalen?\s+)?staubsturm(?:es|s)?|tempesta(?:\s+globale)?(?:\s+di\s+(?:polvere|sabbia))?|tempestade(?:\s+global)?(?:\s+de\s+poeira)?|沙尘暴|尘暴|砂嵐|ダストストーム|(?:глобальн\w+\s+)?пылев\w+\s+бур\w+)"
    when = r"(?P<when>before|prior\s+to|preceding|after|following|since|during|in|throughout|antes\s+de|despues\s+de|durante|avant|apres|pendant|vor|nach|wahrend|prima\s+del?l?a?|dopo|depois\s+d[ae]|до|после|во\s+время)?\s*(?:the\s+|la\s+|l[ae]s?\s+|dem\s+|der\s+|des\s+|a\s+)?"
    year = r"(?P<y>(?:19|20)\d\d)|(?:my|mars\s+year|martian\s+year)\s*-?\s*(?P<my>\d{1,2})"
    by_my = {my: y for y, (my, _, _) in STORMS.items()}
    for pattern in (
        rf"{B0}{when}(?:{year})(?:年の?|年)?\s*{name}(?P<post>前|后|後|之前|之后|期间|の前|の後|中)?",
        rf"{B0}{when}{name}\s+(?:of|in|from|de|du|von|del|di|года)?\s*(?:{year})(?P<post>(?!))?",
    ):
        for match in scan.iter(pattern):
            storm = int(match["y"]) if match["y"] else by_my.get(int(match["my"]))
            if storm not in STORMS:
                continue
            _, start, stop = STORMS[storm]
            words = f"{match['when'] or ''} {match['post'] or ''}"
            named_my = [int(match["my"])] if match["my"] else []
            if re.search(r"before|prior|preced|antes|avant|vor\b|prima|до|前", words):
                dates: tuple[str | None, str | None] = (None, start)
                named_my = []
            elif re.search(r"after|follow|since|despues|apres|nach|dopo|depois|после|后|後", words):
                dates, named_my = (stop, None), []
            else:
                dates = (start, stop)
            scan.take(*match.span(), "dates", f"{dates}")
            return dates, named_my
    return None, []
