# ruff: noqa: E501  (word lists read better on one line)
"""The order a question asks for: "the finest images", "the latest record", "closest to 18.4 N, 77.5 E".

Such a word orders records only beside a word for records: "the oldest rocks" and "the first layer" are science.
"""

from __future__ import annotations

from .model import Order, Reading
from .scan import B0, B1, Scan, rx

_RECORDS = r"(?:images?|observations?|records?|products?|data|scenes?|frames?|labels?|maps?|mosaics?|spectra|spectrum|measurements?|pictures?|photos?|photographs?|orbits?|tracks?|radargrams?|cubes?|stereo\s+pairs?|dtms?|dems?|terrain\s+models?|views?|coverage|aufnahmen?|bild(?:er)?|beobachtung(?:en)?|datensatze?|imagen(?:es)?|observacion(?:es)?|datos|imagens?|imagem|observac(?:ao|oes)|dados|immagin[ei]|osservazion[ei]|dati|donnees)"
_WORDS: dict[Order, str] = {
    "finest": r"finest|sharpest|most\s+detailed|best[\s-]resolved|(?:highest|best|finest)[\s-]+(?:spatial\s+)?resolution|hochstaufgelost\w*|scharfsten?|feinsten?|mas\s+detallad[ao]s?|mas\s+nitid[ao]s?|plus\s+(?:detaille|fine|nette)e?s?|piu\s+dettagliat[aeio]|mais\s+detalhad[ao]s?",
    "coarsest": r"coarsest|(?:lowest|worst|coarsest)[\s-]+(?:spatial\s+)?resolution|grobsten?",
    "latest": r"latest|newest|most\s+recent|last|neuest\w*|jungsten?|letzten?|mas\s+recientes?|ultim[ao]s?|plus\s+recente?s?|derniere?s?|piu\s+recenti?|mais\s+recentes?",
    "earliest": r"earliest|oldest|first|altest\w*|fruhest\w*|ersten?|mas\s+antigu[ao]s?|primer[ao]s?|plus\s+ancienne?s?|premiere?s?|piu\s+vecchi[aeo]?|mais\s+antig[ao]s?|primeir[ao]s?",
    "closest": r"closest|nearest|nachst(?:e|en|er|es|gelegen\w*)",
}
_BETWEEN = r"(?:\s+(?:(?!of\b|from\b|in\b|on\b|and\b|or\b|that\b|de\b|von\b|der\b)[\w/.-]+)){0,3}?"
_TOWARDS = r"(?:closest|nearest)\s+to\b"
_STATED = r"(?:is|are|was|were|lies?|ist|sind|es|son|est|sont)\s+(?:the\s+)?"


def read_order(scan: Scan) -> Order | None:
    """The order asked for, or None; the first that the question names, its word noted."""
    found: list[tuple[int, int, Order]] = []
    for order, words in _WORDS.items():
        patterns = [
            rf"{B0}(?P<word>{words})(?={_BETWEEN}\s+{_RECORDS}{B1})",
            rf"{B0}{_RECORDS}{B1}[^.;?]{{0,60}}?{B0}{_STATED}(?P<word>{words})\s*(?=[?.!]|$)",
        ]
        patterns.append(rf"{B0}{_RECORDS}\s+(?:l[eao]s?\s+)?(?=(?:mas|plus|piu|mais)\b)(?P<word>{words}){B1}")
        if order == "closest":
            patterns.append(rf"{B0}(?P<word>{_TOWARDS})")
        found += [(*m.span("word"), order) for p in patterns for m in rx(p).finditer(scan.low)]
    if not found:
        return None
    start, end, order = min(found)
    words = scan.original[start:end]
    scan.readings.append(Reading(start=start, end=end, text=words, step="parameter", field="order", value=order))
    return order
