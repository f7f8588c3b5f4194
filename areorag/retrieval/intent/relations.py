# ruff: noqa: E501  (word lists read better on one line)
"""The spatial relation of a question: the query function F_s of Spatial-RAG step 2, from its words.

"between" is a relation only between two places: "between Ls 240 and 330", "difference between TES and THEMIS" are
not. "north of" beside a place is a relation, "north of 70N" is a geometry, "northern summer" is a season.
"""

from __future__ import annotations

import re

from .model import Relation
from .places import Place
from .scan import Scan, rx, word

_ALONG = r"along|alongside|traverse[ds]?\s+(?:from|between|of)|(?:on|during)\s+the\s+(?:way|drive|route|road|walk|trip|ride|path)|route\s+from|drive\s+from|en\s+route|following\s+the|way\s+(?:from|back|to)|from\s+\S.{2,40}?\s+to\s+.{2,40}?\s+(?:traverse|drive|route)|a\s+lo\s+largo|le\s+long|entlang|lungo|ao\s+longo|вдоль|沿(?:着|线)?|に沿って|沿い|traversee|de\s+camino|auf\s+dem\s+weg|en\s+chemin"
_BETWEEN = r"(?:in[\s-]?)?between|lies\s+between|entre|zwischen|fra|tra|между|之间|の間"
_NEAR = r"near(?:by|est|er|\s+to)?|close\s+(?:to|by)|closest|next\s+to|adjacent\s+to|beside|around|surround(?:s|ing|ings)?|vicinity|neighbou?rhood|in\s+the\s+area\s+of|not\s+far\s+from|cerca(?:\s+de[l]?)?|alrededor(?:es)?|junto\s+a|proximo\s+a|pres(?:\s+d(?:es?|u))?|proche|autour|aux?\s+alentours|aux\s+environs|nahe|in\s+der\s+nahe|neben|bei|rund\s+um|umgebung|vicino|presso|intorno|nei\s+pressi|perto|proximo|arredores|em\s+torno|ao\s+redor|附近|周围|靠近|邻近|近く|付近|周辺|近辺|около|рядом|вблизи|возле|недалеко|окрестност\w*|am\s+(?=nordpol|sudpol)"
_INTERSECTS = r"intersect\w*|cross(?:es|ing)?(?!\s+crater)|overlap\w*|touch(?:es|ing)?|traversing|cut(?:s|ting)?\s+(?:across|through)|cover(?:s|ing|ed)?|pass(?:es|ing)?\s+(?:over|through)|cruzan|croisent|kreuzen|schneiden|intersecan|intersectam|相交|覆盖|重叠|横切|交差|пересека\w*|покрыва\w*"
_CONTAINS = r"contain(?:s|ing)?|enclos(?:es|ing|e)|encompass(?:es|ing)?|fully\s+cover(?:s|ing)?|cover(?:s|ing)?\s+(?:all\s+of|the\s+whole|the\s+entire|entirely)|include(?:s)?\s+the\s+(?:whole|entire)|contienen|contiennent|enthalten|contengono|contem|包含|содержа\w*\s+целиком"
_WITHIN = r"in|inside|within|throughout|anywhere\s+in|across|interior\s+of|en|dentro\s+de|dans|a\s+l'interieur|im|in\s+der|innerhalb|nel(?:la|lo|l')?|dentro|all'interno|em|no|na|в|во|внутри|内|中|の中|里"
_OF = {
    "north_of": r"north(?:wards?)?\s+of|to\s+the\s+north\s+of|al\s+norte\s+de[l]?|au\s+nord\s+d[eu']|nordlich\s+(?:von|des|der)|a\s+nord\s+d[ie]l?l?a?|ao\s+norte\s+d[eao]|以北|北边|北面|の北(?!極|半球)|к\s+северу\s+от|севернее",
    "south_of": r"south(?:wards?)?\s+of|to\s+the\s+south\s+of|al\s+sur\s+de[l]?|au\s+sud\s+d[eu']|sudlich\s+(?:von|des|der)|a\s+sud\s+d[ie]l?l?a?|ao\s+sul\s+d[eao]|以南|南边|南面|の南(?!極|半球)|к\s+югу\s+от|южнее",
    "east_of": r"east(?:wards?)?\s+of|to\s+the\s+east\s+of|al\s+este\s+de[l]?|a\s+l'est\s+d[eu']|ostlich\s+(?:von|des|der)|a\s+est\s+d[ie]l?l?a?|a\s+leste\s+d[eao]|以东|以東|东边|の東|к\s+востоку\s+от|восточнее",
    "west_of": r"west(?:wards?)?\s+of|to\s+the\s+west\s+of|al\s+oeste\s+de[l]?|a\s+l'ouest\s+d[eu']|westlich\s+(?:von|des|der)|a\s+ovest\s+d[ie]l?l?a?|a\s+oeste\s+d[eao]|以西|西边|の西|к\s+западу\s+от|западнее",
}
_PART_OF = r"(?:floor|rim|wall|walls|delta|fan|interior|part|half|side|edge|margin)\s+of\s+(?:the\s+)?$"


def read_relation(
    scan: Scan, places: list[Place], *, geometry: dict[str, object] | None, distance: bool, compare: bool
) -> Relation | None:
    """The relation asked for, or None where the words bound no place or leave it open."""
    spatial = bool(places) or geometry is not None
    if not spatial:
        return None
    gaps = _gaps(scan, places)
    if rx(word(_ALONG)).search(scan.low) and (len(places) >= 2 or _line(geometry) or _single_line(scan, places)):
        return _note(scan, _ALONG, "along")
    if len(places) >= 2 and _between_places(scan, places):
        return _note(scan, _BETWEEN, "between")
    if len(places) == 2 and _route(scan, places):
        return "along"
    for name, pattern in _OF.items():
        if any(_directly_before(scan, pattern, p) for p in places) or _after(scan, pattern, places):
            return _note(scan, pattern, name)
    if rx(word(_CONTAINS)).search(scan.low) and any(rx(word(_CONTAINS)).search(gap) for gap in gaps):
        return _note(scan, _CONTAINS, "contains")
    if distance:
        return "near"
    if any(_near(gap, after) for gap, after in zip(gaps, _afters(scan, places), strict=True)):
        return _note(scan, _NEAR, "near")
    if any(rx(word(_INTERSECTS)).search(gap) for gap in gaps) or rx(r"相交|覆盖|重叠|交差").search(scan.low):
        return _note(scan, _INTERSECTS, "intersects")
    if geometry is not None and str(geometry.get("type", "")).endswith("Polygon"):
        return "within"
    if any(
        rx(
            rf"(?:{word(_WITHIN)}|内|中)\s*(?:the\s+|el\s+|la\s+|le\s+|l'|den\s+|dem\s+)?(?:crater\w*\s+|krater\s+)?$"
        ).search(gap)
        for gap in gaps
    ):
        return "within"
    if any(p.part and re.search(r"floor|interior|rim|wall|delta|fan", p.part) for p in places):
        return "within"
    return None


def _note(scan: Scan, pattern: str, name: str) -> Relation:
    match = rx(word(pattern)).search(scan.low) or rx(pattern).search(scan.low)
    if match is not None and scan.free(*match.span()):
        scan.take(*match.span(), "relation", name, "relation")
    return name  # type: ignore[return-value]


def _gaps(scan: Scan, places: list[Place]) -> list[str]:
    """Text before each place, back to the previous place or clause."""
    out = []
    for i, place in enumerate(places):
        begin = places[i - 1].end if i else 0
        out.append(re.split(r"[;?!]|\.\s", scan.low[max(begin, place.start - 48) : place.start])[-1])
    return out


def _afters(scan: Scan, places: list[Place]) -> list[str]:
    return [scan.right(p.end, 14) for p in places]


def _near(gap: str, after: str) -> bool:
    match = rx(word(_NEAR) + r"[^,.;:?]{0,18}$").search(gap) or rx(r"(?:附近|周围|靠近|近く|付近|周辺)$").search(gap)
    if match and not re.search(r"around\s+(?:ls|perihelion|aphelion|the\s+equinox|\d)", match.group()):
        return True
    return bool(
        rx(
            r"^\s*(?:crater\s+)?(?:area|region|surroundings|vicinity|neighbou?rhood)?\s*(?:附近|周围|周辺|付近|の?近く|の周り|撞击坑附近|陨石坑附近|surroundings|vicinity)"
        ).search(after)
    )


def _line(geometry: dict[str, object] | None) -> bool:
    return geometry is not None and "Line" in str(geometry.get("type"))


def _single_line(scan: Scan, places: list[Place]) -> bool:
    """One place that the words "along" stand right before ("along Nirgal Vallis", "along Broadway")."""
    return len(places) == 1 and bool(
        rx(rf"{word(_ALONG)}\s*(?:of\s+|the\s+|de\s+|del\s+|di\s+|des?\s+)*$").search(scan.left(places[0].start, 24))
    )


def _between_places(scan: Scan, places: list[Place]) -> bool:
    for i in range(len(places) - 1):
        a, b = places[i], places[i + 1]
        gap = scan.low[a.end : b.start]
        before = scan.low[max(0, a.start - 30) : a.start]
        linked = re.fullmatch(r"\s*(?:,?\s*(?:and|&|y|et|und|e|и|和|と|与)\s*)(?:the\s+)?", gap)
        if (
            linked
            and rx(word(_BETWEEN) + r"\s*(?:the\s+)?$").search(before)
            and not rx(r"differ|diferenc|unterschied|vergleich|compar|contrast|разниц|различ").search(before)
        ):
            return True
        if linked and rx(r"between\s+(?:them|the\s+two)|in\s+between|^\s*(?:之间|の間)").search(scan.low[b.end :]):
            return True
    return False


def _route(scan: Scan, places: list[Place]) -> bool:
    a, b = places
    return bool(
        re.search(
            r"(?:traverse|route|drive|drove|path|way|walk(?:ing)?|travel\w*|going)\b[^.;?!]{0,20}\bfrom\s+(?:the\s+)?$",
            scan.low[max(0, a.start - 44) : a.start],
        )
        and re.search(r"^\s*(?:crater\s+)?(?:to|towards?|until)\b", scan.low[a.end : b.start])
    )


def _directly_before(scan: Scan, pattern: str, place: Place) -> bool:
    left = scan.low[max(0, place.start - 40) : place.start]
    if rx(
        r"(?:\b(?:in|at|of|from|across|over)\s+the|\bthe\s+(?:very|far|extreme|deep)|\bthe\s+far)\s+(?:very\s+|far\s+)?(?:north|south|east|west)\s+of\s*(?:the\s+)?$"
    ).search(left):
        return False  # "in the south of Hellas" is a part of it
    if rx(r"(?:north|south)[\s-]?(?:east|west)(?:wards?)?\s+of\s*(?:the\s+)?$").search(left):
        return False  # a quarter between two directions has no relation of its own
    return bool(
        rx(
            rf"(?:{word(pattern)}|(?:{pattern}))\s*(?:the\s+|le\s+|la\s+|el\s+|l'|cr[aá]ter\w*\s+|krater\w*\s+|кратера\s+)?$"
        ).search(left)
    )


def _after(scan: Scan, pattern: str, places: list[Place]) -> bool:
    """Chinese and Japanese put the relation after the place."""
    return any(
        rx(rf"^\s*(?:{pattern})").match(scan.low[p.end : p.end + 6]) for p in places if not pattern.isascii()
    ) and any(
        rx(r"^\s*(?:以北|以南|以东|以東|以西|北边|南边|东边|西边|の[北南東西])").match(scan.low[p.end : p.end + 6])
        for p in places
    )
