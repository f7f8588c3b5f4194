"""Documents as they come from readers: where a text comes from, and its pieces with the place of each.

A document arrives as `Segment` pieces of at most `SEGMENT_CHARS` characters, cut between paragraphs; offsets count
characters of the whole decoded document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import TextError
from ...graph.model import well_formed

SEGMENT_CHARS = 400_000


@dataclass
class Document:
    """Where a text comes from. `sha256` is of the file's bytes (of the record's text for a line of a corpus).

    `warnings` speak of the text and are kept with it; `remarks` of the corpus file it stands in, for the report only, and
    `whole` says whether every line of that file could be read.
    """

    id: str
    title: str
    source: str
    kind: str
    sha256: str = ""
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    whole: bool = True


@dataclass(frozen=True)
class Segment:
    """A piece of a document: ``whole_text[start:start + len(text)] == text``; `last` ends the document."""

    document: Document
    start: int
    text: str
    last: bool


def document_id(path: Path) -> str:
    """Stable id of a file: its name and a hash of where it lies, so that a changed file replaces itself."""
    place = hashlib.sha256(str(path.resolve().parent).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{well_formed(path.name)}~{place}"


def file_sha256(path: Path) -> str:
    """sha256 (hex) of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def cut(doc: Document, pieces: Iterator[str], limit: int = SEGMENT_CHARS) -> Iterator[Segment]:
    """Pieces as segments: cut at a blank line, a line end, a sentence, or anywhere, in that order of liking.

    Raises
    ------
    TextError
        There is nothing but white space.
    """
    pending, start, any_text = "", 0, False
    for piece in pieces:
        pending += piece
        any_text = any_text or bool(piece.strip())
        at = 0  # what is cut off goes at once, so that a long piece is copied once
        while len(pending) - at > 2 * limit:
            end = _cut_at(pending, at, limit)
            yield Segment(doc, start + at, pending[at:end], False)
            at = end
        start, pending = start + at, pending[at:]
    if not any_text:
        raise TextError(f"{Path(doc.source).name} holds no text")
    yield Segment(doc, start, pending, True)


def _cut_at(text: str, begin: int, limit: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, begin + limit // 2, begin + limit)
        if at > 0:
            return at + len(mark)
    return begin + limit
