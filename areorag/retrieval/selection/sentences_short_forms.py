"""Short forms that a text introduces itself: *blood pressure (BP)*, *BP, blood pressure;* (synonym hyperedges of PRoH).

A question says *blood pressure* where the text says *BP*, and neither words, n-grams nor a small embedder bring the two
together. The corpus says which short form stands for what, so nothing is assumed about the field it is from.

References
----------
.. [1] A. S. Schwartz, M. A. Hearst (2003). A simple algorithm for identifying abbreviation definitions in biomedical
   text. Pacific Symposium on Biocomputing 8, 451-462.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from .tokens import letters

_SHORT = r"[A-Za-z][\w/-]{1,9}"
_IN_BRACKETS = re.compile(rf"\(({_SHORT})[;,)]")
_IN_LIST = re.compile(rf"(?:(?<=[;.]\s)|(?<=\s)|^)({_SHORT}), ?([a-z][^;.()]{{3,80}}?)(?=[;.])")
_STOP = re.compile(r"[;:.!?()\[\]]")
_HYPHENATED = re.compile(r"(?<=[a-z])- (?=[a-z])")  # a word broken at the end of a line
_REACH = 120  # characters before a bracket in which its long form is looked for


def long_form(short: str, text: str) -> str | None:
    """Shortest end of `text` that spells the letters of `short` in order, the first at the start of a word; or None.

    >>> long_form("HMOD", "assessment of hypertension-mediated organ damage")
    'hypertension-mediated organ damage'
    """
    wanted = [c for c in short.lower() if c.isalnum()]
    at = len(text) - 1
    for k in range(len(wanted) - 1, -1, -1):
        while at >= 0 and (text[at].lower() != wanted[k] or (k == 0 and at > 0 and text[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
        at -= 1
    return text[at + 1 :]


def _usable(short: str, long: str) -> bool:
    words = re.findall(r"\w+", long)
    return (
        1 < len(words) <= min(len(short) + 5, 2 * len(short))
        and len(long) > len(short) + 3
        and short.lower() not in (w.lower() for w in words)
        and not _STOP.search(long)
    )


def _short(text: str) -> str | None:
    """The singular of a short form, or None for an ordinary word: two letters or more must be capitals."""
    text = text[:-1] if text.endswith("s") and text[:-1].isupper() else text
    return text if sum(c.isupper() for c in text) >= 2 else None


@dataclass(frozen=True)
class ShortForms:
    """Short forms and what they stand for."""

    long: Mapping[str, str]

    @classmethod
    def find(cls, texts: Iterable[str]) -> ShortForms:
        """Short forms that `texts` introduce; of several long forms the most frequent, in its least glued writing."""
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for m in _IN_BRACKETS.finditer(text):
                short = _short(m[1])
                if short:
                    before = _STOP.split(text[max(0, m.start() - _REACH) : m.start()].rstrip())[-1].split()
                    found = long_form(short, " ".join(before[-min(len(short) + 5, 2 * len(short)) :]))
                    if found and _usable(short, found):
                        seen[short][found.lower()] += 1
            for m in _IN_LIST.finditer(text):
                short, said = _short(m[1]), m[2].strip()
                if short and long_form(short, said) == said and _usable(short, said):
                    seen[short][said.lower()] += 1
        return cls({short: _HYPHENATED.sub("", _best(written)) for short, written in seen.items()})

    def spell_out(self, text: str) -> str:
        """`text` with the long form before each short one: ``BP`` → ``blood pressure (BP)``, also where it is glued."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(lambda m: f"{self.long[m[0]]} ({m[0]})", text)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        if not self.long:
            return None
        names = "|".join(sorted(map(re.escape, self.long), key=len, reverse=True))
        return re.compile(rf"(?<![A-Z0-9])(?:{names})(?=s?(?![A-Za-z0-9])|[a-z]{{2}})")


def _best(written: Counter[str]) -> str:
    by_letters: Counter[str] = Counter()
    for text, n in written.items():
        by_letters[letters(text)] += n
    best = max(by_letters, key=lambda k: (by_letters[k], k))
    return max((t for t in written if letters(t) == best), key=lambda t: (len(t.split()), written[t], t))
