# ruff: noqa: E501  (word lists read better on one line)
"""Earth dates in a question: ISO, day-month-year, months, years, ranges, open ends; months in eight languages."""

from __future__ import annotations

import calendar
import re
from datetime import date

from .limits import outside
from .scan import B0, B1, Scan, rx

Dates = tuple[str | None, str | None]

_MONTHS = (
    "jan(?:uary|vier|uar|eiro)?|enero|gennaio|ener|янв\\w*",
    "feb(?:ruary|ruar|brero|braio)?|fevrier|fevereiro|фев\\w*",
    "mar(?:ch|zo|co)?|(?<=en\\s)mars|(?<=\\d\\s)mars|marz|maerz|март\\w*",
    "apr(?:il|ile)?|abril|avril|апр\\w*",
    "may|mayo|mai|maggio|maio|ма[йя]",
    "jun(?:e|i|io|ho)?|juin|giugno|июн\\w*",
    "jul(?:y|i|io|ho)?|juillet|luglio|июл\\w*",
    "aug(?:ust)?|agosto|aout|авг\\w*",
    "sept?(?:ember|iembre|embre|tembre)?|setembro|settembre|сен\\w*",
    "oct(?:ober|obre|ubre)?|okt(?:ober)?|ottobre|outubro|окт\\w*",
    "nov(?:ember|iembre|embre|embro)?|ноя\\w*",
    "dec(?:ember|embre)?|dez(?:ember|embro)?|diciembre|dicembre|дек\\w*",
)
_MONTH = "|".join(f"(?P<m{{0}}_{i + 1}>{m})" for i, m in enumerate(_MONTHS))
_Y = r"(?:19[5-9]\d|20[0-4]\d)"


def _point(k: int) -> str:
    """One date of any form, group names suffixed by `k`."""
    month = rf"(?:{_MONTH.format(k)}){B1}\.?"
    month2 = month.replace("(?P<m", "(?P<w")
    of = r"(?:\s*(?:of|de|del|,|-|/)\s*|\s+|\.\s*)"
    return (
        rf"(?:(?P<part{k}>early|mid|late|beginning\s+of|end\s+of)[\s-]+)?(?:the\s+year\s+)?(?:"
        rf"(?P<y1_{k}>{_Y})[-/.](?P<mo1_{k}>\d{{1,2}})[-/.](?P<d1_{k}>\d{{1,2}})(?:t[\d:.]+z?)?"
        rf"|(?P<y5_{k}>{_Y})\s*年\s*(?:(?P<mo5_{k}>\d{{1,2}})\s*月\s*(?:(?P<d5_{k}>\d{{1,2}})\s*日)?)?"
        rf"|(?P<d2_{k}>\d{{1,2}})(?:st|nd|rd|th|\.|º)?{of}{month}{of}(?P<y2_{k}>{_Y})"
        rf"|{month2}\s+(?P<d3_{k}>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3_{k}>{_Y})"
        rf"|{month.replace('(?P<m', '(?P<v')}{of}(?P<y4_{k}>{_Y})"
        rf"|(?P<y7_{k}>{_Y})-(?P<mo7_{k}>0[1-9]|1[0-2])(?![\d-])"
        rf"|(?P<d8_{k}>\d{{1,2}})[./](?P<mo8_{k}>\d{{1,2}})[./](?P<y8_{k}>{_Y})"
        rf"|(?P<y6_{k}>{_Y})(?:\s*(?:года|году))?s?)(?![\d°%])"
    )


_LEAD = (
    r"(?P<lead>since|from|after|later\s+than|newer\s+than|more\s+recent\s+than|starting(?:\s+(?:in|from))?|before|prior\s+to|older\s+than|"
    r"earlier\s+than|until|till|up\s+to|through|by\s+the\s+end\s+of|no\s+later\s+than|between|during|in|of|on|"
    r"desde|despues\s+de|antes\s+de|hasta|entre|depuis|apres|avant|jusqu'?a?|seit|nach|vor|bis|ab|zwischen|dal|dopo|prima\s+del?|fino\s+al?|"
    r"apos|depois\s+de|ate|с|после|до|между|с начала)"
)
_SEP = r"\s*(?:-|to|through|thru|until|till|and|&|\.\.\.?|bis|und|hasta|al?|y|e|et|au?|ate|и|до|по|~|至|到|から)\s*(?:the\s+|el\s+|le\s+)?"
_MONTH_ONLY = "|".join(f"(?P<mm_{i + 1}>{m})" for i, m in enumerate(_MONTHS))


def read_dates(scan: Scan) -> Dates | None:
    """The first date or range of dates, ISO days; None when there is none."""
    point1, point2 = _point(1), _point(2)
    short = rf"(?:(?P<sd>\d{{1,2}})(?:st|nd|rd|th)?\s+)?(?:{_MONTH_ONLY}){B1}\.?(?:\s+(?P<sd2>\d{{1,2}}))?"
    for match in scan.iter(rf"{B0}(?:{_LEAD}\s+(?:the\s+)?)?{short}{_SEP}{point1}"):
        second = _read(match, 1)
        month = next(int(k[3:]) for k, v in match.groupdict().items() if k.startswith("mm_") and v)
        day = match["sd"] or match["sd2"]
        if second is None or (month > second[1].month):
            continue
        start = _days(second[0].year, month, int(day) if day else 1)
        if start is None:
            _refuse(scan, match)
            continue
        return _done(scan, match, (start[0].isoformat(), second[1].isoformat()))
    for match in scan.iter(rf"{B0}(?:{_LEAD}\s+(?:the\s+)?)?{point1}{_SEP}{point2}"):
        one, two = _read(match, 1), _read(match, 2)
        if one is None or two is None:
            _refuse(scan, match)
            continue
        if one[0] > two[1] and match["lead"] == "between":
            text = f"{two[0].isoformat()} to {one[1].isoformat()}"
            scan.note(*match.span(), "dates", f"“{scan.original[match.start() : match.end()]}” is read as {text}")
            return two[0].isoformat(), one[1].isoformat()
        if one[0] <= two[1]:
            return _done(scan, match, (one[0].isoformat(), two[1].isoformat()))
    for match in scan.iter(
        rf"{B0}(?:{_LEAD}\s+(?:the\s+)?)?{point1}(?P<post>\s*(?:onwards?|and\s+later|or\s+later|以来|以後|以降|之后|以后|以前|之前|年以前))?"
    ):
        one = _read(match, 1)
        if one is None:
            _refuse(scan, match)
            continue
        bare = match["y6_1"] is not None
        if bare and match["lead"] is None and not _year_ok(scan, match):
            continue
        return _done(scan, match, _open(one, match["lead"] or "", match["post"] or "", not match["post"]))
    _refuse_years(scan)
    return None


def _refuse(scan: Scan, match: re.Match[str]) -> None:
    scan.refuse(*match.span(), "dates", "the calendar has no such day")


def _refuse_years(scan: Scan) -> None:
    """Years in which no spacecraft looked at Mars: "before year 0", "in the year 3000", 3021-05-01 are refused; a bare
    "in 1930" may be part of what is asked and is only said to bound nothing.
    """
    lead = r"(?:(?:before|after|since|until|prior\s+to|in|during|from|by|up\s+to)\s+)?"
    end = r"(?=\s*(?:[?.!,;)]|$|(?:and|or|at|over|in|from|with|near)\s))"
    for pattern in (
        rf"{B0}{lead}(?:the\s+)?year\s+(?P<y>-?\d+){B1}(?:\s*(?:bc|bce|ad|ce){B1})?",
        rf"{B0}(?:before|after|since|until|prior\s+to|in|during|by)\s+(?P<y>[1-9]\d{{3}}){end}",
        r"(?<![\w-])(?P<y>\d{4})-\d{1,2}-\d{1,2}(?![\w-])",
    ):
        for match in scan.iter(pattern):
            mars_year = "year" in match.group() and rx(r"mars(?:ian)?[\s-]*$").search(scan.left(match.start(), 12))
            if mars_year:
                continue
            reason = outside("year", int(match["y"]))
            if reason is not None and match["y"] == match.group().split()[-1] and "year" not in match.group():
                scan.note(*match.span(), "dates", f"“{scan.original[slice(*match.span())]}” bounds no time: {reason}")
            elif reason is not None:
                scan.refuse(*match.span(), "dates", reason)


def _year_ok(scan: Scan, match: re.Match[str]) -> bool:
    """A bare four-digit number is a year unless it counts something."""
    right, left = scan.right(match.end(), 14), scan.left(match.start(), 14)
    if rx(
        rf"^\s*-?\s*(?:m|km|cm|mm|nm|px|pixels?|sols?|images?|frames?|points?|spectra|k|hz|kg|%|metres?|meters?|feet|ft|miles?|рд){B1}"
    ).search(right):
        return False
    return not rx(r"(?:sols?|ls|my|mars|tool|version|esp_|psp_|first|top|viking)\s*-?\s*$").search(left)


def _open(one: tuple[date, date], lead: str, post: str, bare: bool) -> Dates:
    first, last = one
    if bare and lead == "from":  # "images from 1976": in that year
        return first.isoformat(), last.isoformat()
    text = f"{lead} {post}"
    if re.search(
        r"since|from|starting|desde|depuis|seit|ab\b|dal|^с\s|с начала|onward|and\s+later|or\s+later|以来|以後|以降|以后|之后",
        text,
    ):
        return first.isoformat(), None
    if (
        re.search(r"after|later\s+than|newer|recent|despues|apres|nach|dopo|apos|depois|после", text)
        and "no later" not in text
    ):
        return date.fromordinal(last.toordinal() + 1).isoformat(), None
    if re.search(r"before|prior|older|earlier|antes|avant|vor\b|prima|^до|以前|之前", text):
        return None, date.fromordinal(first.toordinal() - 1).isoformat()
    if re.search(r"until|till|up\s+to|through|by\s+the\s+end|no\s+later|hasta|jusqu|bis|fino|ate", text):
        return None, last.isoformat()
    return first.isoformat(), last.isoformat()


def _done(scan: Scan, match: re.Match[str], dates: Dates) -> Dates:
    scan.take(*match.span(), "dates", f"{dates[0]} .. {dates[1]}")
    return dates


def _read(match: re.Match[str], k: int) -> tuple[date, date] | None:
    """First and last day of date `k` of the match."""
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    part = groups.get(f"part{k}")

    def get(*names: str) -> int | None:
        return next((int(groups[n]) for n in names if n in groups), None)

    year = get(*(f"y{i}_{k}" for i in range(1, 9)))
    if year is None:
        return None
    month = get(f"mo1_{k}", f"mo5_{k}", f"mo7_{k}", f"mo8_{k}")
    if month is None:
        month = next((int(n.split("_")[1]) for n in groups if re.fullmatch(rf"[mwv]{k}_\d+", n)), None)
    day = get(f"d1_{k}", f"d2_{k}", f"d3_{k}", f"d5_{k}", f"d8_{k}")
    return _part_of_year(year, part) if month is None else _days(year, month, day)


def _days(year: int, month: int, day: int | None) -> tuple[date, date] | None:
    """First and last day of a month, or one day twice; None where the calendar has none."""
    try:
        if day is None:
            return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
        return date(year, month, day), date(year, month, day)
    except ValueError:
        return None


def _part_of_year(year: int, part: str | None) -> tuple[date, date]:
    if part is None:
        return date(year, 1, 1), date(year, 12, 31)
    if part.startswith(("early", "begin")):
        return date(year, 1, 1), date(year, 4, 30)
    if part.startswith("mid"):
        return date(year, 5, 1), date(year, 8, 31)
    return date(year, 9, 1), date(year, 12, 31)
