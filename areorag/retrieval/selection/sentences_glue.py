"""Words that extraction from PDF has glued or broken: *forthemanagement*, *meas- urement*, *levels,the* (small-to-big retrieval).

An embedder cuts a glued word into meaningless pieces, and a word index never finds it. The corpus says what is glued:
the word falls into function words and a word that stands on its own at least as often. What is returned and quoted
stays as it is written; only what is compared is mended.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .tokens import FUNCTION_WORDS

_LETTERS = re.compile(r"[A-Za-z]+")
_BROKEN = re.compile(r"(?<=[a-z])- (?=[a-z])")  # a word broken at the end of a line
_MARK = re.compile(r"([,;:])(?=[A-Za-z])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z]{3})")

_SMALL = (
    "a an the of to in on at by for from with as is are was were be been or and not no it its that this these which "
    "who may can has have if than such but we all when"
)
_GLUING = frozenset(_SMALL.split())
_MEANT = frozenset({"a", "an", "in", "be", "no", "all", "we", "it"})
"""Begin words of another meaning (*atrial*, *inactive*): split only where the two also stand side by side."""
_WHOLE = (
    "into onto within without upon cannot also become because before anyone someone itself thereby therein being "
    "therefore however whereby"
)
_WORDS = FUNCTION_WORDS | frozenset(_WHOLE.split())
_RARE = 0.005  # share of glued words below which a text is clean, and what looks glued is not
_SIDE_BY_SIDE = 0.1  # of the glued occurrences: so often the two stand side by side where the word is really two


@dataclass(frozen=True)
class Glue:
    """Glued words of a corpus and their parts."""

    parts: Mapping[str, tuple[str, ...]]

    @classmethod
    def find(cls, texts: Iterable[str]) -> Glue:
        """Glued words of `texts`, none where the text is clean; a part may itself have been glued."""
        count: Counter[str] = Counter()
        pair: Counter[tuple[str, str]] = Counter()
        for text in texts:
            before, end = "", -1
            mended = _mended(text)
            for m in _LETTERS.finditer(mended):
                word = m[0].lower()
                count[word] += 1
                if before and mended[end : m.start()] == " ":
                    pair[before, word] += 1
                before, end = word, m.end()
        evidence = _Evidence(count, pair)
        found = {word: parts for word in count if len(parts := evidence.parts(word)) > 1}
        glued = sum(count[word] for word in found)
        return cls(found if glued >= _RARE * count.total() else {})

    def mend(self, text: str) -> str:
        """`text` with broken words joined and glued ones parted.

        >>> glue = Glue.find(["the management of ice", "the management ofice", "forthe management of ice"])
        >>> glue.mend("forthe man- agement ofice")
        'for the management of ice'
        """
        return _LETTERS.sub(self._parted, _mended(text))

    def _parted(self, match: re.Match[str]) -> str:
        word, at, out = match[0], 0, []
        for part in self.parts.get(word.lower(), (word,)):
            out.append(word[at : at + len(part)])
            at += len(part)
        return " ".join(out)


def _mended(text: str) -> str:
    return _CAMEL.sub(" ", _MARK.sub(r"\1 ", _BROKEN.sub("", text)))


class _Evidence:
    """What a corpus says about its words: how often each stands there, and how often two stand side by side."""

    def __init__(self, count: Counter[str], pair: Counter[tuple[str, str]]) -> None:
        self.count, self.pair = count, pair
        self._known: dict[str, tuple[str, ...]] = {}

    def parts(self, word: str) -> tuple[str, ...]:
        """The fewest parts that `word` is glued from; itself where it is not."""
        if word not in self._known:
            self._known[word] = (word,)
            if len(word) > 3 and word not in _WORDS:
                options = [o for at in range(1, len(word)) for o in self._cut(word, at)]
                if options:
                    self._known[word] = min(options, key=len)
        return self._known[word]

    def _cut(self, word: str, at: int) -> Iterator[tuple[str, ...]]:
        """`word` parted at `at`: a function word on one side, on the other a word or what is glued itself."""
        left, right = word[:at], word[at:]
        for function, rest, first in ((left, right, True), (right, left, False)):
            if function in _GLUING:
                inner = self.parts(rest)
                if self._two(word, function, rest, inner, first):
                    yield (function, *inner) if first else (*inner, function)

    def _two(self, word: str, function: str, rest: str, inner: tuple[str, ...], first: bool) -> bool:
        edge = inner[0] if first else inner[-1]
        together = self.pair[(function, edge) if first else (edge, function)]
        safe = first and function not in _MEANT
        if rest in _GLUING:
            return together >= max(1.0, _SIDE_BY_SIDE / 2 * self.count[word])
        if len(inner) > 1:
            return edge in _GLUING or together > 0 or safe
        if len(rest) < 2 or self.count[rest] < 2:
            return False
        if together >= max(1.0, _SIDE_BY_SIDE * self.count[word]):
            return True
        return safe and len(rest) > 3 and self.count[rest] >= self.count[word]
