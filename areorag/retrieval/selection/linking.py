"""Entity linking by title: which item's subject does a text name? (HySH incidence for text, GeoRAG sub-queries.)

A title and its aliases are looked up as n-grams of the text, longest first, with spaces ignored (*De Toth* is
*DeToth*). Aliases come from the title itself (without its parenthesis, before its comma, first and last name) and from
the opening words of its passage (*Endre Antal Miksa DeToth, better known as Andre DeToth*). Nothing is learned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .tokens import FUNCTION_WORDS, Word, fold, stem, words

_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*")
_OPENING = re.compile(r"^(.{3,80}?)\s*(?:\(|,| is | was | are | were )")
_KNOWN_AS = re.compile(r"(?:known as|born|called|titled|nicknamed|née)\s*\"?\s*((?:[A-Z][\w'’.-]+\s?){2,5})")
_NO_NAME = "in on at it he she his her there this during as after for although when by since while from with"
_NOT_A_NAME = frozenset(_NO_NAME.split())

TITLE, BASE, OPENING, HEAD, ALSO, SHORT = 1.0, 0.9, 0.8, 0.6, 0.6, 0.5
"""How surely an alias means its item: the title; without its parenthesis; the passage's opening name; before the
comma; *also known as*; first and last name."""


class Link(NamedTuple):
    """A name found in a text at [start, end) of its folded form: it means item `target` with `strength` in (0, 1]."""

    target: int
    strength: float
    start: int
    end: int
    homonyms: int


class Span(NamedTuple):
    """Where a known name stands in a folded text."""

    key: str
    start: int
    end: int


def base_title(title: str) -> str:
    """A title without its parenthesis: *Brother (Pearl Jam song)* → *Brother*."""
    return _PARENTHESIS.sub(" ", title).strip() or title


def aliases(title: str, text: str = "") -> dict[str, float]:
    """Keys (words joined, lower case) under which an item is named, each with its strength.

    A bare number is no name: it would be met in every date.
    """
    found: dict[str, float] = {}

    def add(name: str, strength: float) -> None:
        parts = [w.text for w in words(fold(name))]
        while parts and parts[0] in ("the", "a", "an"):
            parts = parts[1:]
        key = "".join(parts)
        if len(key) >= 3 and not key.isdigit() and not all(p in FUNCTION_WORDS for p in parts):
            found[key] = max(found.get(key, 0.0), strength)

    def add_short(names: Sequence[str], longest: int) -> None:
        if 3 <= len(names) <= longest and all(n[:1].isupper() for n in names):
            add(f"{names[0]} {names[-1]}", SHORT)

    base = base_title(title)
    add(title, TITLE)
    add(base, BASE)
    if base[-1:].isalpha() and base.split()[-1][0].islower() and not base.endswith("s"):
        add(base + "s", ALSO)
    head = base.split(",")[0]
    if head != base:
        add(head, HEAD)
    add_short(head.split(), 4)
    opening = _OPENING.match(text)
    if opening:
        name = opening.group(1).strip(" \"“”'")
        parts = name.split()
        shared = {w.text for w in words(fold(name))} & {w.text for w in words(fold(base))} - FUNCTION_WORDS
        if 2 <= len(parts) <= 8 and parts[0].lower() not in _NOT_A_NAME and shared:
            add(name, OPENING)
            add_short(parts, 5)
    for match in list(_KNOWN_AS.finditer(text[:300]))[:2]:
        add(match.group(1), ALSO)
    return found


class Linker:
    """Finds the items that a text names.

    Parameters
    ----------
    titles, texts : of the items, (n,); an item without a title is never named
    rarity : name → (0, 1], how much a name of its words tells (a title *The One* tells little); default 1
    """

    def __init__(
        self,
        titles: Sequence[str],
        texts: Sequence[str],
        *,
        rarity: Callable[[str], float] | None = None,
        longest: int = 10,
    ) -> None:
        self._longest = longest
        self.table: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, (title, text) in enumerate(zip(titles, texts, strict=True)):
            if not title:
                continue
            weight = rarity(base_title(title)) if rarity else 1.0
            for key, strength in aliases(title, text).items():
                self.table[key].append((i, strength * weight))
        self._starts = frozenset(key[:3] for key in self.table)

    def spans(self, text: str) -> list[Span]:
        """Places where a known name stands, the longest at each place, left to right, not overlapping.

        A name must be written as a name: a single word with a capital, more words with capitals in at least half.
        """
        parts = words(fold(text))
        found: list[Span] = []
        at = 0
        while at < len(parts):
            end = self._longest_match(parts, at)
            if end:
                span = parts[at:end]
                found.append(Span("".join(w.text for w in span), span[0].start, span[-1].end))
                at = end
            else:
                at += 1
        return found

    def _longest_match(self, parts: Sequence[Word], at: int) -> int:
        """End of the longest known name that begins at word `at`, or 0."""
        if parts[at].text in ("the", "a", "an"):
            return 0
        key, end = "", 0
        for j in range(at, min(len(parts), at + self._longest)):
            key += parts[j].text
            if len(key) >= 3 and key[:3] not in self._starts:
                break
            if key in self.table:
                end = j + 1
        return end if end and _written_as_name(parts[at:end]) else 0

    def links(self, text: str) -> list[Link]:
        """All items named in `text`; each place gives one link for every item of that name."""
        return [
            Link(target, strength, s.start, s.end, len(self.table[s.key]))
            for s in self.spans(text)
            for target, strength in self.table[s.key]
        ]


def _written_as_name(span: Sequence[Word]) -> bool:
    content = [w for w in span if w.text not in FUNCTION_WORDS]
    capitals = sum(w.capital for w in content)
    if len(span) == 1:
        return bool(content) and capitals == 1
    return capitals > 0 and capitals >= 0.5 * len(content)


def name_stems(name: str) -> set[str]:
    """Stems of a name's words (for its rarity)."""
    return {stem(w.text) for w in words(fold(name))}
