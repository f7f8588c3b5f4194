"""Texts with invisible characters: zero-width joiners, soft hyphens and direction marks inside words.

Matching runs on the visible characters; every span is mapped back, so that a quote is exactly what the source has.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]+")
_DATA = re.compile(r"[!-~]{300,}|\S{4000,}")


@dataclass(frozen=True)
class Visible:
    """The visible characters of a text and where they stood.

    Examples
    --------
    >>> v = see("hema\u200btite here")
    >>> v.text, v.source(0, 8)
    ('hematite here', (0, 9))
    """

    text: str
    breaks: tuple[int, ...]
    shifts: tuple[int, ...]

    def _at(self, i: int) -> int:
        """Source position of the visible character `i`."""
        k = bisect_left(self.breaks, i + 1) - 1
        return i + (self.shifts[k] if k >= 0 else 0)

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Range in the source of the visible range [start, end)."""
        if not self.breaks or end <= start:
            return start, end
        return self._at(start), self._at(end - 1) + 1

    @property
    def hidden(self) -> int:
        """Number of invisible characters taken out."""
        return self.shifts[-1] if self.shifts else 0


def see(text: str) -> Visible:
    """Take out invisible characters.

    Runs of hundreds of characters without a space (encoded data, sequences) read as spaces: they hold no words, and
    patterns would go over them once for every character.
    """
    if len(text) >= 300:
        text = _DATA.sub(lambda m: " " * len(m[0]), text)
    breaks: list[int] = []
    shifts: list[int] = []
    parts: list[str] = []
    last = total = 0
    for m in _HIDDEN.finditer(text):
        parts.append(text[last : m.start()])
        total += len(m[0])
        breaks.append(m.start() - (total - len(m[0])))
        shifts.append(total)
        last = m.end()
    if not breaks:
        return Visible(text, (), ())
    parts.append(text[last:])
    return Visible("".join(parts), tuple(breaks), tuple(shifts))
