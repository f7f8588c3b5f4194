"""Amounts, units, uncertainty and polarity around a component: how much a sentence says (AreoRAG Definition 1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_UNIT = (
    r"wt\.?\s?%|weight\s?(?:%|percent)|wt\.?\s?percent|vol\.?\s?%|mol(?:e|ar)?\.?\s?%|at\.?\s?%|area\s?%|ppmw?|ppbv?|"
    r"percent|per\s?cent|%|µm|μm|nm|mm|cm|km|m|K|°C|Pa|mbar|bar|Gyr|Gy|Ga|Myr|Ma|g/cm3|W\s?m-2"
)
_BOUND = (
    r"(?P<bound>(?i:between|up to|at most|less than|below|no more than|<=|≤|<|more than|at least|above|over|"
    r"greater than|>=|≥|>|~|∼|about|around|approximately|ca\.?|nearly))?\s*"
)
AMOUNT = re.compile(
    rf"(?<![\w.\[#]){_BOUND}(?P<a>{_NUMBER})(?P<digits>\(\d{{1,2}}\))?"
    rf"(?:\s?(?P<ua>{_UNIT}))?"
    rf"(?:\s?(?P<join>±|\+/-|\+-|-|–|—|to|and)\s?(?P<b>{_NUMBER}))?\s?(?P<unit>{_UNIT})(?![A-Za-z])"
)
UNITS = {
    "%": "%",
    "percent": "%",
    "ppm": "ppm",
    "ppmw": "ppm",
    "ppb": "ppb",
    "ppbv": "ppb",
    "μm": "µm",
}
_ABSENT = re.compile(
    r"(?i)\b(?:no|not|never|without|absen\w+|lack\w*|devoid|free of|nor|neither|non-?detect\w*|undetect\w*|"
    r"below (?:the )?detection)\b"
)
_NOT_ONLY = re.compile(r"(?i)\bnot only|\bno (?:more|less) than|\bnot (?:clear|known|certain)|\bno longer|\bno doubt")
_DOUBT = re.compile(
    r"(?i)\b(?:may|might|could|possibl[ey]|perhaps|likely|probabl[ey]|suggest\w*|tentative\w*|candidate|putative|"
    r"consistent with|cannot be ruled out|unclear|not clear)\b"
)
_CLAUSE = re.compile(
    r"[;:]|, (?:but|while|whereas|and it|although|and (?:has|have|had|contains?|shows?|is|are|was|were))\b|\bbut\b"
)
_HIGH = re.compile(r"(?i)\b(?:rich|enrich\w*|high\w*|elevated|abundan\w+|strong\w*|excess|dominat\w+|significant)\b")
_LOW = re.compile(r"(?i)\b(?:poor|deplet\w*|low\w*|minor|trace\w*|weak\w*|scarce|little)\b")


@dataclass(frozen=True)
class Amount:
    """A quantity: closed interval with open ends as None, unit, and where it stands in its sentence."""

    low: float | None
    high: float | None
    unit: str
    start: int
    end: int
    text: str


def unit_name(raw: str) -> str:
    """Canonical unit: ``wt. %`` and "weight percent" are ``wt%``.

    >>> unit_name("wt. %"), unit_name("weight percent"), unit_name("percent")
    ('wt%', 'wt%', '%')
    """
    low = re.sub(r"\s+", " ", raw.strip())
    squeezed = low.lower().replace(" ", "").replace(".", "")
    for stem, name in (
        ("wt", "wt%"),
        ("weight", "wt%"),
        ("vol", "vol%"),
        ("mol", "mol%"),
        ("at%", "at%"),
        ("area", "area%"),
    ):
        if squeezed.startswith(stem):
            return name
    return UNITS.get(squeezed, low)


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _tidy(value: float) -> float:
    """Twelve digits: 22.4 - 2.1 is 20.3 and not 20.299999999999997."""
    return float(f"{value:.12g}")


def find_amounts(sentence: str) -> list[Amount]:
    """Quantities with a unit, ranges and ± included: "13-18 wt%", "9.0 ± 1.3 wt. %", "up to 14 wt%", "~8150 ppm".

    "18.2(3) wt%" is 18.2 ± 0.3. Two numbers joined by "and" are a range only after "between"; elsewhere ("0.13 ppm and
    0.46 ppm", "5 and 7 wt%") each is an amount.
    """
    out = []
    for m in AMOUNT.finditer(sentence):
        a = _value(m["a"])
        if m["join"] == "and" and (m["bound"] or "").strip().lower() != "between":
            raw = m["ua"] or m["unit"]
            end = m.end("ua") if m["ua"] else m.end("a")
            out.append(Amount(a, a, unit_name(raw), m.start(), end, sentence[m.start() : end].strip()))
            b = _value(m["b"])
            out.append(Amount(b, b, unit_name(m["unit"]), m.start("b"), m.end(), sentence[m.start("b") : m.end()]))
            continue
        low: float | None = a
        high: float | None = a
        bound = (m["bound"] or "").lower().strip()
        if m["b"]:
            b = _value(m["b"])
            if m["join"] in ("±", "+/-", "+-"):
                low, high = _tidy(a - b), _tidy(a + b)
            elif b >= a:
                low, high = a, b
            else:
                continue
        elif m["digits"]:
            decimals = len(m["a"].partition(".")[2])
            error = int(m["digits"][1:-1]) / 10**decimals
            low, high = _tidy(a - error), _tidy(a + error)
        elif bound in ("up to", "at most", "less than", "below", "no more than", "<=", "≤", "<"):
            low, high = (0.0 if unit_name(m["unit"]).endswith(("%", "ppm", "ppb")) else None), a
        elif bound in ("more than", "at least", "above", "over", "greater than", ">=", "≥", ">"):
            low, high = a, None
        out.append(Amount(low, high, unit_name(m["unit"]), m.start(), m.end(), m[0].strip()))
    return out


def amount_near(
    sentence: str, start: int, end: int, others: list[tuple[int, int]], amounts: list[Amount]
) -> Amount | None:
    """The quantity that belongs to the component at [start, end): the nearest one with no other component between.

    Right of it ("hematite (~8 wt%)", "Al (15 wt%)") within 35 characters, left of it ("~15% smectite") within 12.
    """
    best: tuple[int, Amount] | None = None
    for amount in amounts:
        if amount.start >= end:
            gap, lo, hi, limit = amount.start - end, end, amount.start, 35
            joined = re.search(r",|\band\b", sentence[lo:hi])
            if joined and any(0 <= a - amount.end <= 12 and sentence[amount.end : a].isspace() for a, _ in others):
                continue  # "pyroxene and 3-5 % perchlorate": the next component's
        elif amount.end <= start:
            gap, lo, hi, limit = start - amount.end, amount.end, start, 12
            if re.search(r"[,;)]", sentence[lo:hi]):
                continue
        else:
            continue
        if gap > limit or re.search(r"[.;]\s", sentence[lo:hi]):
            continue
        if any(lo <= a < hi for a, _ in others):
            continue
        if best is None or gap < best[0]:
            best = (gap, amount)
    return best[1] if best else None


def polarity_of(sentence: str, start: int, end: int) -> Literal["present", "absent"]:
    """``absent`` when a negation governs the component: in its clause, before it within 60 characters or just after."""
    before = _CLAUSE.split(sentence[max(0, start - 60) : start])[-1]
    after = re.split(r"[,;:.]", sentence[end : end + 40])[0]
    text = _NOT_ONLY.sub(" ", before)
    tail = _NOT_ONLY.sub(" ", after)
    negated = bool(_ABSENT.search(text)) or bool(
        re.match(
            r"(?i)[\s\w-]{0,20}\b(?:is|are|was|were|has|have|been) "
            r"(?:not|absent|undetect|lacking|below (?:the |our |its )?(?:limit|detection))",
            tail,
        )
    )
    return "absent" if negated else "present"


def certainty_of(sentence: str) -> float:
    """1 for a plain statement, 0.6 for a hedged one."""
    return 0.6 if _DOUBT.search(sentence) else 1.0


def level_of(sentence: str, start: int, end: int) -> str | None:
    """``high`` or ``low`` where the words next to the component say so."""
    near = sentence[max(0, start - 25) : start] + " " + sentence[end : end + 14]
    high, low = bool(_HIGH.search(near)), bool(_LOW.search(near))
    return "high" if high and not low else "low" if low and not high else None
