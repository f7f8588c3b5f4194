# ruff: noqa: E501  (word lists read better on one line)
"""What is not wanted: "not from HiRISE", "any instrument but CRISM", "Navcam aside", "THEMIS以外".

A trigger opens a scope; the scope takes the known things that follow it directly, joined by "and", "or", "nor" or
commas, and nothing else. "not only … but also" and "no shortage of" open none.
"""

from __future__ import annotations

import re

from .scan import B0, B1, Scan, rx
from .sensors import Item

_WHAT = r"(?:instruments?|data|images?|cameras?|sources?|products?|missions?|spacecraft|thing|one|everything|anything)"
_STRONG = (
    r"except(?:ing)?(?:\s+(?:for|from|those\s+(?:from|of|by)))?|excluding|exclude[ds]?|excl\.?|other\s+than|apart\s+from|aside\s+from|"
    r"leav(?:e|ing)\s+out|left\s+out|omit(?:ting)?|ignor(?:e|ing)|skip(?:ping)?|disregard(?:ing)?|without|minus|instead\s+of|rather\s+than|save\s+for|"
    r"not\s+counting|not\s+including|avoid(?:ing)?|drop|neither|nor|never|anything\s+but|(?:any|all|every|each)\s+(?:\w+\s+){0,2}but|everything\s+but|all\s+but|"
    r"excepto|salvo|menos|sin(?:\s+contar)?|exceptuando|sauf|sans|hormis|excepte|a\s+l'exception\s+d[eu']|au(?:ss|ß)er|ohne|ausgenommen|mit\s+ausnahme\s+von|"
    r"tranne|senza|eccetto|escluso|esclus[oiae]|exceto|sem|fora|кроме|без|за\s+исключением|исключая|除了|除去|不包括|不含|不要|排除|非"
)
_WEAK = r"not|no|non-?|don't|doesn't|do\s+not|does\s+not|didn't|isn't|aren't|but\s+not|nicht|kein\w*|pas|no\s+de|non|nao|не|不是|不用|不来自"
_AFTER = r"aside|excluded|excepted|ausgenommen|exceptue|以外|を除く|を除いて|除外|除く|ではなく|ではない"
_FILL = (
    r"(?:\s|,(?=\s*(?:not|nor))|anything|everything|all|whatever|from|by|with|using|use|in|of|the|any|those|ones|come|comes|coming|taken|taken\s+by|made\s+by|acquired\s+by|show|include|"
    r"including|want|need|give\s+me|me|data|images?|imagery|frames?|spectra|pictures|products?|observations?|instruments?|cameras?|mission|the\s+instrument|"
    r"de|del|la|el|los|las|le|les|des|du|d'|l'|von|vom|den|der|die|das|dem|dal|dalla|di|da|do|dos|из|от|с|данных|снимков|bilder|daten|imagenes|datos|donnees|images|dati|"
    r"within\s+[\d.,]+\s*\w+\s+of|inside|near|over|at|around|on|about|:)"
)


def read_exclusions(scan: Scan, items: list[Item]) -> list[Item]:
    """The items that stand in the scope of a negation."""
    items = sorted(items, key=lambda i: i.start)
    out: list[Item] = []
    for strength, pattern in (("strong", _STRONG), ("weak", _WEAK)):
        for match in rx(rf"(?:{B0}(?:{pattern}){B1})|(?:除了|除去|不包括|不含|不要|排除|不来自|非)|{B0}non-").finditer(
            scan.low
        ):
            if any(i.start < match.end() and match.start() < i.end for i in items):
                continue
            if rx(r"^\s*(?:only|just|merely|solely)\b").search(scan.right(match.end(), 10)):
                continue
            out += _scope(scan, items, match.end(), strength == "strong")
    for match in rx(rf"{B0}(?:{_AFTER}){B1}|以外|を除|除外|除く").finditer(scan.low):
        before = [
            i
            for i in items
            if i.end <= match.start() and re.fullmatch(r"[ ,:のデータ画像]*", scan.low[i.end : match.start()])
        ]
        out += _back(scan, items, before[-1]) if before else []
    return [i for i in items if i in out]


def _scope(scan: Scan, items: list[Item], start: int, strong: bool) -> list[Item]:
    out: list[Item] = []
    position = start
    while True:
        following = next((i for i in items if i.start >= position), None)
        if following is None:
            return out
        gap = scan.low[position : following.start]
        if out:
            if not _joined(scan, items, gap, following):
                return out
        elif not rx(rf"^(?:{_FILL}|\s)*$").search(gap) or (
            following.field == "properties" and not strong and not _property_ok(scan, start, gap)
        ):
            return out
        if out and following.field != out[0].field and following.field not in ("instruments", "platforms"):
            return out
        out.append(following)
        position = following.end


def _joined(scan: Scan, items: list[Item], gap: str, following: Item) -> bool:
    """ "and / or / nor" joins; a comma joins only in a list that ends with one of them."""
    gap = gap.strip()
    if re.fullmatch(
        r"(?:,\s*)?(?:and|or|nor|&|/|y|o|ni|et|ou|und|oder|noch|e|и|или|ни|和|与|或|と|や)(?:\s+(?:from|by|the|de|von|di))*",
        gap,
    ):
        tail = scan.low[following.end : following.end + 30]
        return not rx(r"^\s+(?:images?|data|spectra)\s+(?:only|please|instead)").search(tail)
    if gap in (",", ""):
        rest = [i for i in items if i.start >= following.end]
        for nxt in rest[:4]:
            between = scan.low[following.end : nxt.start].strip()
            if re.fullmatch(r"(?:,\s*)?(?:and|or|nor|&|y|o|ni|et|ou|und|oder|e|и|или|和|或)", between):
                return True
            if between != ",":
                return False
            following = nxt
    return False


def _property_ok(scan: Scan, start: int, gap: str) -> bool:
    """A weak negation takes a property only after a comma, bracket or "but" ("jarosite, not alunite")."""
    before = scan.low[:start].rstrip()
    word_ = re.search(r"[a-z']+$", before)
    head = before[: word_.start()].rstrip() if word_ else before
    return head.endswith((",", "(", ";", "-", "but")) and not gap.strip()


def _back(scan: Scan, items: list[Item], last: Item) -> list[Item]:
    out = [last]
    for item in reversed([i for i in items if i.end <= last.start]):
        gap = scan.low[item.end : out[-1].start].strip()
        if gap in ("and", "or", "と", "や", "和", "与", "&", "y", "und") and item.field == last.field:
            out.append(item)
        else:
            break
    return out
