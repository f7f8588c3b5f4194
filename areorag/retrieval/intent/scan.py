# ruff: noqa: E501  (word lists read better on one line)
"""A question as a text with spans taken: every recogniser takes the words it understood, so none is read twice.

Numbers, lengths and multilingual word lists live here too. Offsets refer to the question as typed: the normalised
and the folded text have the same length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Literal

from ...planet.lexicon import LATIN, fold
from .model import REFUSED, Reading

B0 = f"(?<![{LATIN}])"
B1 = f"(?![{LATIN}])"
NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_NUMBER_WORDS = {
    "half a": 0.5, "half": 0.5, "a quarter": 0.25, "quarter": 0.25, "one": 1, "two": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "a hundred": 100, "one hundred": 100,
    "two hundred": 200, "five hundred": 500, "a thousand": 1000, "a": 1, "an": 1, "a few": 3, "a couple of": 2,
}  # fmt: skip
_LENGTH_M = {
    "nm": 1e-9, "um": 1e-6, "µm": 1e-6, "μm": 1e-6, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "km": 1000.0,
    "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "nmi": 1852.0, "in": 0.0254,
}  # fmt: skip
_UNIT_WORDS = {
    "mm": "millimet(?:er|re)s?|毫米|мм",
    "cm": "centimet(?:er|re)s?|centimetros?|zentimeter|centimetri|厘米|センチ(?:メートル)?|см|сантиметр\\w*",
    "km": "kilomet(?:er|re)s?|kms|kilom[a-z]{2,4}s?|kilometros?|chilometri|chilometro|quilometros?|公里|千米|キロ(?:メートル)?|км|километр\\w*",
    "m": "met(?:er|re)s?|metros?|metri|metro|metern|mtrs?|米|メートル|м|метр\\w*",
    "nmi": "nautical miles?",
    "mi": "miles?|millas?|milhas?|miglia|meilen?|英里|マイル|миль|мили",
    "ft": "feet|foot|pies|piedi|英尺|футов",
    "yd": "yards?",
    "um": "microns?|micromet(?:er|re)s?",
    "deg": "°|deg(?:ree)?s?|deg\\.|grados?|degres?|gradi|graus?|grad|度|градус\\w*",
}
_CHARS = str.maketrans(
    {
        **dict.fromkeys("–—−‐‑", "-"),
        **dict.fromkeys("º˚", "°"),
        **dict.fromkeys("\u00a0\u2009\u202f\u3000\t\n\r¿¡", " "),
        **dict.fromkeys("′’‘", "'"),
        **dict.fromkeys("″“”", '"'),
        **dict.fromkeys("～〜", "~"),
        **dict.fromkeys("≤≦", "<"),
        **dict.fromkeys("≥≧", ">"),
        **dict.fromkeys("，、", ","),
        **dict(zip("。：；（）？！／×", ".:;()?!/x", strict=True)),
    }
)


def normalise(text: str) -> str:
    """Typographic variants to ASCII, full-width digits and letters to narrow, one character for one."""
    out = []
    for char in text.translate(_CHARS):
        code = ord(char)
        out.append(chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else char)
    return "".join(out)


def word(pattern: str) -> str:
    """`pattern` between word boundaries that also hold beside Chinese and Japanese characters."""
    return f"{B0}(?:{pattern}){B1}"


@lru_cache(maxsize=1024)
def rx(pattern: str) -> re.Pattern[str]:
    """Compiled pattern (matched against the folded text)."""
    return re.compile(pattern)


@dataclass
class Scan:
    """The question, what is taken and why."""

    original: str
    text: str = ""
    low: str = ""
    taken: list[tuple[int, int, str]] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = normalise(self.original)
        self.low = fold(self.text)
        if not len(self.original) == len(self.text) == len(self.low):
            raise AssertionError("normalisation must keep offsets")

    def free(self, start: int, end: int) -> bool:
        """True when no character of the span has been taken."""
        return all(end <= s or start >= e for s, e, _ in self.taken)

    def take(
        self,
        start: int,
        end: int,
        what: str,
        value: object = "",
        step: Literal["geometry", "relation", "parameter", "note"] = "parameter",
    ) -> None:
        """Mark a span as understood and note the reading."""
        self.taken.append((start, end, what))
        if value != "":
            self.readings.append(
                Reading(start=start, end=end, text=self.original[start:end], step=step, field=what, value=str(value))
            )

    def refuse(self, start: int, end: int, field: str, reason: str) -> None:
        """Mark a span as understood but impossible; the reason becomes a note of the reading."""
        words = " ".join(self.original[start:end].split())
        self.note(start, end, field, f"“{words}” {REFUSED}{reason}")

    def note(self, start: int, end: int, field: str, text: str) -> None:
        """Mark a span and say something about how it was taken."""
        self.take(start, end, field, text, "note")

    def iter(self, pattern: str) -> Iterator[re.Match[str]]:
        """Matches of `pattern` in the folded text that lie in free spans."""
        for match in rx(pattern).finditer(self.low):
            if match.group() and self.free(*match.span()):
                yield match

    def first(self, pattern: str) -> re.Match[str] | None:
        """The first free match, or None."""
        return next(self.iter(pattern), None)

    def left(self, start: int, n: int = 40) -> str:
        """Folded text before `start`, up to a sentence end."""
        return re.split(r"[;?!]|\.\s", self.low[max(0, start - n) : start])[-1]

    def right(self, end: int, n: int = 40) -> str:
        """Folded text after `end`, up to a sentence end."""
        return re.split(r"[;?!]|\.\s", self.low[end : end + n])[0]

    def between(self, a: int, b: int) -> str:
        """Folded text between two offsets."""
        return self.low[a:b]

    def is_lower(self) -> bool:
        """True when the question has hardly any capitals: then capitals tell nothing."""
        return not any(c.isupper() for c in self.text[1:])


def number(text: str) -> float:
    """A number as written: ``3,000``, ``0.5``, ``1/2``, ``½``, ``half a``, ``twenty``."""
    text = text.strip()
    if text in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[text])
    text = text.replace("½", ".5").replace("¼", ".25").replace("¾", ".75")
    if "/" in text:
        a, b = text.split("/")
        return float(a) / float(b)
    if re.fullmatch(r"\d+,\d{1,2}", text):
        text = text.replace(",", ".")
    return float(text.replace(",", ""))


_NUMBER_RX = (
    rf"(?:\d+\s?/\s?\d+|{NUM}(?:e[-+]?\d{{1,3}})?|\d+,\d{{1,2}}|\d*[½¼¾]|"
    + "|".join(sorted((re.escape(k) for k in _NUMBER_WORDS), key=len, reverse=True))
    + ")"
)
_UNIT_RX = "|".join(f"(?P<u_{k}>{v})" for k, v in _UNIT_WORDS.items())
_LENGTH_RX = (
    rf"(?<![{LATIN}.,/])(?P<num>{_NUMBER_RX})(?:\s*-?\s*of\s+an?)?\s*-?\s*"
    rf"(?:(?P<sym>nmi|nm|mm|cm|dm|km|um|[µμ]m|mi|ft|yd|m){B1}|(?:{_UNIT_RX}){B1})"
)


@dataclass(frozen=True)
class Length:
    """A number with a unit of length (or of arc) in the question. `metres` of an arc uses the body's radius.

    A minus sign before the number belongs to it (`metres` < 0), unless it joins two numbers.
    """

    start: int
    end: int
    metres: float
    angular: bool


def lengths(scan: Scan, metres_per_degree: float) -> list[Length]:
    """All free lengths in the question, in order."""
    out = []
    for match in scan.iter(_LENGTH_RX):
        unit = match["sym"] or next(k[2:] for k, v in match.groupdict().items() if k.startswith("u_") and v)
        try:
            value = number(match["num"])
        except (ValueError, ZeroDivisionError):
            continue
        if match["num"] in ("a", "an") and match["sym"] == "m":
            continue
        factor = metres_per_degree if unit == "deg" else _LENGTH_M["um" if unit in "µmμm" and len(unit) > 1 else unit]
        start = match.start()
        if re.search(r"(?:^|[\s(=:<>])-$", scan.low[:start]) and not re.search(r"\d\s*\w{0,2}\s*-$", scan.low[:start]):
            start, value = start - 1, -value
        out.append(Length(start, match.end(), value * factor, unit == "deg"))
    return out


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Ordinary English words (lower case): a feature of such a name needs more than the bare word."""
    text = resources.files(__package__).joinpath("data", "common_words.txt").read_text("utf-8")
    return frozenset(text.split())
