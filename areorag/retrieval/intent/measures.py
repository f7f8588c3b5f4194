# ruff: noqa: E501  (word lists read better on one line)
"""Lengths in a question sorted by what they say: resolution bound, distance, or neither (Spatial-RAG step 3).

"better than 1 m/px" bounds the resolution, "within 20 km of" the distance, "1 m below the surface" neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .limits import outside
from .scan import Length, Scan, lengths, rx

Bounds = tuple[float | None, float | None]
WALKING_M = 1000.0
"""ε of "walking distance", metres; the phrase has no number, so the choice is stated here."""

_PER_PIXEL = r"^\s*(?:/|per\s+|a\s+|por\s+|par\s+|pro\s+|al\s+)\s*(?:px|pix(?:el)?s?|pixeles|pixel|píxel|像素|ピクセル|пиксел\w*)|^\s*/?\s*(?:px|pix|pixel|像素|ピクセル)s?\b|^\s*на\s+пиксел\w*"
_RES_AFTER = r"^\s*(?:or\s+(?:better|finer|sharper|coarser|worse|higher|lower|less|smaller|larger|more)|(?:and|&)\s+(?:better|finer|coarser|below|above)|resolution|res\b|pixels?|pixel\s+(?:scale|size)|gsd|sampling|ground\s+sampl\w+|spatial|(?:de\s+)?resoluci[oó]n|auflosung|以上の解像度|分辨率|解像度|ou\s+mieux|oder\s+besser|o\s+mejor|o\s+meglio|ou\s+melhor|或更好|или\s+лучше)"
_BETTER = r"better|finer|sharper|higher|mejor(?:es)?|meilleure?s?|mieux|besser\w*|feiner\w*|migliore?|meglio|melhor(?:es)?|лучше|выше|优于|好于|高于|より(?:高|細|良)\w*|smaller|below|under|less|<=?|at\s+most|up\s+to|maximum|max\.?|inferieure?|menor|inferior|kleiner|unter|minore|sub"
_COARSER = r"coarser|worse|lower|larger|bigger|above|over|more|>=?|peor(?:es)?|pire|grossiere?|grober\w*|schlechter\w*|peggiore|pior(?:es)?|хуже|грубее|低于|差于|粗于|gro(?:ss|ß)er|mayor|maior|exceeding"
_RES_WORD = r"resolution|resolucion|resolucao|risoluzione|auflosung|разрешен\w+|分辨率|解像度|pixels?(?:\s+(?:size|scale))?|pixeis|gsd|ground\s+sampl\w+(?:\s+distance)?|sampling|sampled|spatial\s+scale|px"
_COMPARATOR_ONLY = r"(?:better|finer|sharper|coarser|worse|grober|feiner|besser|mejores?|meilleure?s?|migliore|melhor(?:es)?|лучше|хуже|优于)\s*(?:than|as|que|als|di|чем|to|de|do\s+que)?\s*(?:about|around|~)?\s*$"
_NOT = r"(?:\bno|\bnot|n't|\bnever|\bnon|\bnicht|\bne|\bне|\bkein\w*|不)\s*(?:any|much|be|is|are|have|having)?\s*(?:pixels?\s+)?$"
_NEITHER_AFTER = r"^\s*(?:-?\s*(?:deep|depth|thick|high|tall|wide|long|diameter|across|elevation|altitude|below|above|under|of\s+(?:the\s+)?(?:surface|ground|top)|from\s+the\s+surface|wave|band|in\s+(?:diameter|size|height|depth)|tief|hoch|dick|de\s+(?:profund|alto|alt)|de\s+profondeur|profund|wavelength|per\s+(?:second|sol|year)|/\s?(?:s|yr|sol|a)\b|s-1|crater|boulder|contour|relief|wind|deep))"
_NEITHER_BEFORE = r"(?:incidence|emission|phase|slopes?|tilt\w*|angles?|inclin\w+|dip\w*|temperature|depth|elevation|altitude|height|thickness|diameter|deeper|shallower|taller|wavelengths?|profundidad|tiefe|profondeur|top|upper(?:most)?|first|depths)\s*(?:of|is|=|:|than|von|de|about|from|between|up\s+to|around|above|below|over|under|the)*\s*$"
_DISTANCE_AFTER = r"^\s*(?:-?\s*(?:of|from|around|away|radius|buffer|either\s+side|on\s+(?:either|each|both)\s+sides?|or\s+(?:closer|less|nearer)|round|near|to\s+the|north|south|east|west|distance|vicinity|within|de|du|da|di|dal|del|von|vom|um|autour|alrededor|em\s+torno|intorno|以内|内|圏内|範囲|周辺|от|вокруг|радиус\w*|range)\b|以内|内|圏内|の範囲|\)?\s*$|\s*[,:?.!])"
_DISTANCE_BEFORE = r"(?:within|withing|withn|whithin|wihtin|inside|less\s+than|closer\s+than|nearer\s+than|not\s+more\s+than|no\s+(?:more|farther|further)\s+than|up\s+to|radius(?:\s+of)?|radius\s*[=:]|buffer(?:\s+of)?|\+-|\+/-|±|around|about|a\s+menos\s+de|dentro\s+de|en\s+un\s+radio\s+de|a\s+moins\s+de|dans\s+un\s+rayon\s+de|im\s+umkreis\s+von|innerhalb\s+von|weniger\s+als|im\s+radius\s+von|entro|nel\s+raggio\s+di|a\s+meno\s+di|a\s+menos\s+de|num\s+raio\s+de|ate|в\s+пределах|в\s+радиусе|ближе|менее|不到|距离?|半径|附近|周围|方圆|distance\s+(?:of|from|is)|offset|margin\s+of|closest|with|a|an|the|,|\()\s*(?:of\s+)?(?:a\s+|an\s+|about\s+|the\s+|some\s+)?$"


@dataclass(frozen=True)
class Distance:
    """A distance and the span of its phrase."""

    metres: float
    start: int
    end: int
    negated: bool


def read_resolution(scan: Scan, metres_per_degree: float) -> Bounds | None:
    """The bound on resolution, (finest, coarsest) metres, or None; its words are taken."""
    found = [n for n in lengths(scan, metres_per_degree) if not n.angular]
    for i, length in enumerate(found):
        left, right = _left(scan, length.start), scan.right(length.end, 30)
        per_pixel = rx(_PER_PIXEL).search(right)
        after = rx(_RES_AFTER).search(right)
        before = rx(rf"(?:{_RES_WORD})\b[^.;?!,]{{0,34}}$").search(left) and not rx(
            r"^\s*(?:of|from|around)\s+[a-z]"
        ).search(right)
        only = rx(_COMPARATOR_ONLY).search(left) or (
            re.search(r"[<>]=?\s*$", left) and not rx(r"^\s*(?:of|from|away|around)\b").search(right)
        )
        if not (per_pixel or after or before or only) or rx(_NEITHER_AFTER).search(right):
            continue
        ranged = _range(scan, length, left, found[i + 1] if i + 1 < len(found) else None)
        start = length.start
        if ranged is not None:
            low, start = ranged
            bounds: Bounds = (min(low, length.metres), max(low, length.metres))
        else:
            bounds = _bound(left, right, length.metres)
        end = length.end + (per_pixel.end() if per_pixel else after.end() if after else 0)
        start -= len(left) - _cue(left) if ranged is None else 0
        reason = outside("resolution", *bounds)
        if reason is not None:
            scan.refuse(start, end, "resolution_m", reason)
            continue
        scan.take(start, end, "resolution_m", bounds)
        return bounds
    match = scan.first(
        r"sub[\s-]*(?:met(?:er|re)|metrique|metric[ao]|metro)s?(?:[\s-]+(?:scale|resolution|pixel\w*))?\b|亚米级?|субметров\w+"
    )
    if match is not None:
        scan.take(*match.span(), "resolution_m", (None, 1.0))
        return None, 1.0
    return None


def _cue(left: str) -> int:
    """Where the words that belong to a bound begin in the text before it: the last cue and a "no" before it."""
    cue = rf"(?=(?:{_BETTER}|{_COARSER}|at\s+least|at|of|about|around)\b[\s\w]{{0,12}}$)"
    starts = [m.start() for m in re.finditer(rf"\b{cue}", left)]
    if not starts:
        return len(left)
    negation = re.search(r"(?:\b(?:no|not)|n't)\s+$", left[: starts[-1]])
    return negation.start() if negation else starts[-1]


def _left(scan: Scan, start: int) -> str:
    """Text before a length back to the previous comma or clause, so that bounds do not leak between clauses."""
    return re.split(r",\s+|\band\s+(?=within)|\bbut\b", scan.left(start, 48))[-1]


def _range(scan: Scan, length: Length, left: str, following: Length | None) -> tuple[float, int] | None:
    """("between 5 and 20 m/pixel", "1.5 to 6 m per pixel", "from 5 m to 20 m per pixel"): the other end and its start."""
    match = re.search(
        r"(?:between|from|entre|zwischen|von|de)?\s*((?:\d+(?:\.\d+)?|\.\d+))\s*(cm|m|km)?\s*(?:-|to|and|a|bis|und|y|e|et|~|至|到)\s*$",
        left,
    )
    if match is None:
        return None
    factor = {"cm": 0.01, "km": 1000.0, "m": 1.0}.get(match[2] or "")
    if factor is None:
        unit = re.search(r"(cm|km|mm|m)\b|centi|kilo", scan.low[length.start : length.end])
        factor = {"cm": 0.01, "km": 1000.0, "mm": 0.001, "centi": 0.01, "kilo": 1000.0}.get(
            unit.group() if unit else "", 1.0
        )
    return float(match[1]) * factor, length.start - (len(left) - match.start())


def _bound(left: str, right: str, metres: float) -> Bounds:
    better_after = re.search(
        r"^[^,;?!.]{0,14}?\b(?:or|and|ou|oder|o)\s+(?:better|finer|sharper|higher|smaller|less|below|mieux|besser|mejor|meglio|melhor)|或更好|или\s+лучше",
        right,
    )
    coarser_after = re.search(r"^[^,;?!.]{0,14}?\b(?:or|and)\s+(?:coarser|worse|lower|larger|more|above)", right)
    if better_after:
        return None, metres
    if coarser_after:
        return metres, None
    sign = re.search(r"([<>])=?\s*$", left)
    if sign is not None:
        return (None, metres) if sign[1] == "<" else (metres, None)
    matches = [(m.start(), "coarse", m) for m in re.finditer(rf"\b(?:{_COARSER})", left)]
    matches += [(m.start(), "fine", m) for m in re.finditer(rf"(?:\b|(?<=[^\x00-\x7f]))(?:{_BETTER})", left)]
    if matches:
        _, side, match = max(matches, key=lambda m: m[0])
        if side == "fine" and match.group() in ("at most", "up to", "maximum", "max", "max.", "<", "<="):
            return None, metres
        flip = re.search(_NOT, left[: match.start()]) is not None
        if side == "fine" and re.match(r"less|under|below|smaller", match.group()) and flip:
            return metres, None
        fine = (side == "fine") != flip
        return (None, metres) if fine else (metres, None)
    if re.search(
        r"at\s+least|minimum|min\.?|al\s+menos|au\s+moins|mindestens|almeno|pelo\s+menos|не\s+хуже|至少|少なくとも",
        left,
    ):
        return None, metres
    return metres, metres


def read_distance(scan: Scan, metres_per_degree: float, spatial: bool) -> list[Distance]:
    """Distances in order; an unqualified length counts only with a distance word beside it."""
    out: list[Distance] = []
    walking = scan.first(
        r"(?:within\s+|in\s+)?(?:easy\s+)?walking\s+distance(?:\s+(?:of|from|to))?|a\s+pie\s+de|zu\s+fu(?:ss|ß)\s+erreichbar|(?:a\s+)?distance\s+de\s+marche|步行距离(?:内)?|徒歩圏内?|пешей\s+доступности"
    )
    if walking is not None:
        scan.take(*walking.span(), "distance_m", WALKING_M)
        out.append(Distance(WALKING_M, *walking.span(), False))
    for length in lengths(scan, metres_per_degree):
        left, right = scan.left(length.start, 40), scan.right(length.end, 30)
        if rx(_NEITHER_AFTER).search(right) or rx(_NEITHER_BEFORE).search(left):
            continue
        if _size_range(left, right):
            continue
        before = rx(_DISTANCE_BEFORE).search(left)
        strong = before is not None and re.search(
            r"within|radius|less|closer|buffer|umkreis|menos|moins|entro|предел|радиус|±|\+|up to|inside",
            before.group(),
        )
        if not (
            strong
            or (
                rx(_DISTANCE_AFTER).search(right)
                and (
                    before
                    or rx(
                        r"^\s*(?:of|from|around|radius|away|either|or|north|south|east|west|以内|内|autour|um)"
                    ).search(right)
                    or spatial
                )
            )
        ):
            continue
        start = length.start - (len(left) - before.start() if before is not None and strong else 0)
        reason = outside("distance", length.metres, high=180.0 * metres_per_degree)
        if reason is not None:
            scan.refuse(start, length.end, "distance_m", reason)
            continue
        negated = (
            re.search(
                r"(?:\bnot|n't|\boutside|\bbeyond|\bexcept|\bno)\s+(?:within\s+)?$",
                left[: before.start()] if before else left,
            )
            is not None
        )
        scan.take(start, length.end, "distance_m", f"{length.metres:g}")
        out.append(Distance(length.metres, start, length.end, negated))
    return out


def _size_range(left: str, right: str) -> bool:
    """ "from 100 to 300 m elevation" and other ranges of heights or sizes."""
    return bool(re.search(r"\d\s*(?:-|to)\s*$", left) and re.search(r"^\s*(?:elev|alt|high|deep|tall|diam)", right))
