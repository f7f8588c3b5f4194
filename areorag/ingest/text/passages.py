"""Passages: pieces of a document of whole sentences and at most a given number of words, with character offsets.

Words and gaps are bounded too, so that a passage is never longer than ``max_words · (80 + 200)`` characters, whatever
stands in the file. They are what is embedded, quoted and read by a language model; ``document[start:end] == text`` holds exactly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from ...graph.model import Passage
from .readers import Segment
from .spans import Zones

MAX_WORDS = 120
MAX_GAP = 200  # white space inside a passage; more parts it
_WORD = re.compile(r"\S{1,80}")  # a longer run of characters counts as several words: data, not language


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs with their place: what blank lines part."""
    begin = 0
    for blank in re.finditer(r"\n\s*\n", text):
        if blank.start() > begin:
            yield begin, text[begin : blank.start()]
        begin = blank.end()
    if begin < len(text):
        yield begin, text[begin:]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Sentences inside paragraphs, without surrounding space."""
    for base, block in _blocks(text):
        for a, b in Zones(block).sentences:
            inner = block[a:b]
            left = len(inner) - len(inner.lstrip())
            right = len(inner.rstrip())
            if right > left:
                yield base + a + left, base + a + right


def _short(text: str, a: int, b: int, max_words: int) -> Iterator[tuple[int, int]]:
    """A sentence cut into pieces of at most `max_words` words (tables and lists have no full stops)."""
    start = end = -1
    count = 0
    for m in _WORD.finditer(text, a, b):
        if start >= 0 and (count == max_words or m.start() - end > MAX_GAP):
            yield start, end
            start, count = -1, 0
        start, end, count = (m.start() if start < 0 else start), m.end(), count + 1
    if start >= 0:
        yield start, end


def split_ranges(text: str, max_words: int = MAX_WORDS) -> list[tuple[int, int]]:
    """Character ranges of the passages of `text`: whole sentences while they fit, paragraphs kept apart when long."""
    out: list[tuple[int, int]] = []
    start = end = -1
    count = 0
    for a, b in _pieces(text):
        for c, d in _short(text, a, b, max_words):
            n = len(_WORD.findall(text, c, d))
            gap = start >= 0 and (("\n\n" in text[end:c] and count >= max_words // 2) or c - end > MAX_GAP)
            if start >= 0 and (count + n > max_words or gap):
                out.append((start, end))
                start, count = -1, 0
            if start < 0:
                start = c
            end = d
            count += n
    if start >= 0:
        out.append((start, end))
    return out


def split_passages(segment: Segment, first_index: int = 0, max_words: int = MAX_WORDS) -> list[Passage]:
    """Passages of one segment; ids hold the document, the place and a hash of the words."""
    out = []
    for i, (a, b) in enumerate(split_ranges(segment.text, max_words)):
        text = segment.text[a:b]
        digest = hashlib.sha256(text.encode()).hexdigest()[:10]
        out.append(
            Passage(
                id=f"{segment.document.id}:{segment.start + a}-{digest}",
                document_id=segment.document.id,
                index=first_index + i,
                start=segment.start + a,
                end=segment.start + b,
                text=text,
            )
        )
    return out
