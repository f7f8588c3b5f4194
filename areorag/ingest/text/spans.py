"""Spans of one text and the zones it is made of: the shared vocabulary of the model-free extractors (AreoRAG §III-B.1).

A conference abstract has a header (title, authors, affiliations), a body, a reference list, and captions that may come
after the references. Names of people in the header and the references look like place names and like element
symbols ("K. Herkenhoff"), so the extractors ask `Zones` where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class Span:
    """A typed piece of a text: ``text == document[start:end]``."""

    start: int
    end: int
    type: str
    text: str

    def covers(self, other: Span) -> bool:
        """True when `other` lies inside this span (equal spans included)."""
        return self.start <= other.start and other.end <= self.end


_REFERENCES = re.compile(r"(?<![A-Za-z])(?:R ?eferences?(?: and notes)?|REFERENCES?)\s*[:.]?(?=\s*(?:\[?\(?\d|[A-Z]))")
_CAPTION = re.compile(
    r"(?<![A-Za-z(])(?:Fig(?:ure|s?\.)?|FIGURE|Table|TABLE)\s*\d+\s*(?:[.:]|\([a-z]\)|(?=[A-Z][a-z]))"
)
_ENTRY = re.compile(r"\[\d+\]\s*[A-Z][\w'’-]+,? (?:[A-Z]\.|et al|and ).{0,160}?\((?:19|20)\d\d[a-z]?\)")
_AFFILIATION = re.compile(
    r"Univ|Institut|Laborator|Center|Centre|Observator|Dept|Department|CNRS|IRAP|LANL|USGS|JPL|Caltech|NASA|@|x{5,}"
)
_FIRST_HEADING = re.compile(
    r"(?<![A-Za-z])(?:Introduction|INTRODUCTION|Overview|Background|Motivation|Summary|Abstract|ABSTRACT|Synopsis|"
    r"Objectives?|Purpose|Context)\s*[:.]|"
    r"(?<![A-Za-z])(?:[A-Z][A-Za-z,'-]*)(?: [A-Za-z][A-Za-z,'-]*){0,5}:(?= [A-Z])"
)
_MAIL = re.compile(r"\(?\S+@\S+\)?|x{6,}\S*")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"'”’)]?\s+(?=[\"'“‘(]?[A-Z0-9(])|\n[^\S\n]*\n\s*"  # or a blank line
    r"|(?<=[a-z]{3}\.)(?=[A-Z][a-z]+ [a-z])"  # or a lost space: "a silica-rich component.Vesiculated rocks"
)
_ABBREVIATION = re.compile(
    r"(?:(?<![A-Za-z])(?:e\.g|i\.e|cf|et al|Figs?|Eqs?|vs|ca|approx|wt|Dr|Mt|St|No|Refs?|resp|Tab|Sec|"
    r"(?<!in )(?<!of )(?<!high )(?<!low )[A-Z])|"  # "this enrichment in K. Overall" ends
    r"\b[A-Z]\.-?[A-Z])\.$"
)


MAX_SENTENCE = 3000  # characters; pairs are looked for inside a sentence, and a table may go on without a full stop


class Zones:
    """Header, reference list and sentences of one document.

    Parameters
    ----------
    text : the whole document; offsets are characters.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def header_end(self) -> int:
        """Where the body starts (0 when there is no author block).

        An author block is recognised by what only such blocks hold: an e-mail address, or affiliations ("University",
        "Institute") in the first 4,000 characters, before the first run-in heading.
        """
        head = self.text[:5000]
        first = _FIRST_HEADING.search(head, 40)
        limit = first.start() if first else min(len(head), 2500)
        marks = [m.end() for m in _AFFILIATION.finditer(head, 0, limit)]
        if not marks:
            return 0
        stop = re.compile(r"[.)]\s|\s{2,}|\s(?=[A-Z][a-z]+ [a-z]+ )").search(head, marks[-1])
        return min(limit, stop.end() if stop else limit)

    @cached_property
    def title_end(self) -> int:
        """End of a title in capitals or of the first line (only meaningful with a header)."""
        m = re.match(r"\s*[^a-z]{12,}(?=[A-Z][a-z.])", self.text[:600])
        return m.end() if m else 0

    @cached_property
    def references(self) -> tuple[tuple[int, int], ...]:
        """Reference lists: from the heading to the next caption, and again where numbered entries go on after it."""
        found = list(_REFERENCES.finditer(self.text))
        if not found or found[-1].start() < 0.35 * len(self.text):
            return ()
        out: list[tuple[int, int]] = []
        start: int | None = found[-1].start()
        while start is not None:
            caption = _CAPTION.search(self.text, start)
            end = caption.start() if caption else len(self.text)
            out.append((start, end))
            entry = _ENTRY.search(self.text, end + 1)
            start = entry.start() if entry else None
        return tuple(out)

    def in_references(self, position: int) -> bool:
        """True inside a reference list."""
        return any(a <= position < b for a, b in self.references)

    def in_authors(self, position: int) -> bool:
        """True inside the author and affiliation block."""
        return self.title_end <= position < self.header_end

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Character ranges of the sentences, in order, without gaps in the non-space text."""
        out: list[tuple[int, int]] = []
        start = 0
        for m in _SENTENCE_END.finditer(self.text):
            if _ABBREVIATION.search(self.text[max(0, m.start() - 12) : m.start()]):
                continue
            out.append((start, m.start()))
            start = m.end()
        out.append((start, len(self.text)))
        return tuple(part for a, b in out if b > a for part in self._bounded(a, b))

    def _bounded(self, a: int, b: int) -> list[tuple[int, int]]:
        """The range in parts of at most `MAX_SENTENCE` characters, cut at white space where there is some."""
        out: list[tuple[int, int]] = []
        while b - a > MAX_SENTENCE:
            at = self.text.rfind(" ", a + MAX_SENTENCE // 2, a + MAX_SENTENCE) + 1 or a + MAX_SENTENCE
            out.append((a, at))
            a = at
        return [*out, (a, b)]

    @cached_property
    def _starts(self) -> list[int]:
        return [a for a, _ in self.sentences]

    def sentence_of(self, position: int) -> int:
        """Index of the sentence that holds `position`."""
        from bisect import bisect_right

        return max(0, bisect_right(self._starts, position) - 1)
