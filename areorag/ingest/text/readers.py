"""Documents from files: plain text, Markdown, HTML, PDF, JSON Lines; streamed, so a file's size does not matter.

A document arrives as `Segment` pieces of at most `SEGMENT_CHARS` characters, cut between paragraphs; offsets count
characters of the whole decoded document. Bytes that are not UTF-8 are read as Windows-1252, one by one, and counted.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import TextError

log = logging.getLogger(__name__)

SEGMENT_CHARS = 400_000
MAX_LINE_BYTES = 64 * 1024 * 1024
MAX_HTML_BYTES = 64 * 1024 * 1024
SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".rst": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass
class Document:
    """Where a text comes from. `sha256` is of the file's bytes (of the record's text for a line of a corpus)."""

    id: str
    title: str
    source: str
    kind: str
    sha256: str = ""
    warnings: list[str] = field(default_factory=list)


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
    return f"{path.name}~{place}"


def kind_of(path: Path) -> str | None:
    """Kind of a file by its suffix, else by its first bytes; None for what is no text."""
    known = SUFFIXES.get(path.suffix.lower())
    if known:
        return known
    with path.open("rb") as f:
        head = f.read(2048)
    if head.startswith(b"%PDF-"):
        return "pdf"
    if b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    return "html" if re.match(rb"\s*<(?:!doctype html|html)", head, re.I) else "text"


def file_sha256(path: Path) -> str:
    """sha256 (hex) of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_segments(path: Path, *, segment_chars: int = SEGMENT_CHARS) -> Iterator[Segment]:
    """The documents of one file, piece by piece.

    Raises
    ------
    TextError
        It cannot be read as text: a scanned PDF, an encrypted PDF, a binary file, an empty file.
    """
    try:
        if not path.is_file():
            raise TextError(f"{path.name} is no file")
        if path.stat().st_size == 0:
            raise TextError(f"{path.name} is empty")
        kind = kind_of(path)
    except OSError as exc:
        raise TextError(f"{path.name} cannot be read: {exc.strerror}") from None
    if kind is None:
        raise TextError(f"{path.name} is a binary file, not a text")
    if kind == "jsonl":
        yield from _jsonl(path, segment_chars)
        return
    doc = Document(document_id(path), path.stem, str(path), kind, file_sha256(path))
    if kind == "pdf":
        pieces: Iterator[str] = _pdf(path, doc)
    elif kind == "html":
        pieces = iter([_html(path, doc)])
    else:
        pieces = _plain(path, doc)
    yield from _cut(doc, pieces, segment_chars)


def _cut(doc: Document, pieces: Iterator[str], limit: int) -> Iterator[Segment]:
    """Pieces as segments: cut at a blank line, a line end, a sentence, or anywhere, in that order of liking."""
    pending, start, any_text = "", 0, False
    for piece in pieces:
        pending += piece
        any_text = any_text or bool(piece.strip())
        while len(pending) > 2 * limit:
            at = _cut_at(pending, limit)
            yield Segment(doc, start, pending[:at], False)
            start, pending = start + at, pending[at:]
    if not any_text:
        raise TextError(f"{Path(doc.source).name} holds no text")
    yield Segment(doc, start, pending, True)


def _cut_at(text: str, limit: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at + len(mark)
    return limit


# ---------------------------------------------------------------- plain text
def _encoding(head: bytes) -> str:
    for bom, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(bom):
            return name
    return "utf-8"


def _mend(text: str) -> tuple[str, int]:
    """Bytes that were not UTF-8 (lone surrogates) as Windows-1252, Latin-1 where that has none; how many."""
    count = 0

    def one(m: re.Match[str]) -> str:
        nonlocal count
        count += 1
        byte = bytes([ord(m[0]) - 0xDC00])
        try:
            return byte.decode("cp1252")
        except UnicodeDecodeError:
            return byte.decode("latin-1")

    return re.sub("[\udc80-\udcff]", one, text), count


def _plain(path: Path, doc: Document) -> Iterator[str]:
    foreign = replaced = 0
    with path.open("rb") as f:
        encoding = _encoding(f.read(4))
        f.seek(0)
        errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        carry = ""
        while True:
            block = f.read(1 << 20)
            text, n = _mend(decoder.decode(block, final=not block))
            foreign += n
            text = carry + text
            carry = text[-1:] if text.endswith("\r") and block else ""
            text = text[: len(text) - len(carry)].replace("\r\n", "\n").replace("\r", "\n")
            replaced += text.count("\x00")
            if text:
                yield text.replace("\x00", " ")
            if not block:
                break
    if foreign:
        doc.warnings.append(f"{foreign} bytes were not UTF-8 and were read as Windows-1252")
    if replaced:
        doc.warnings.append(f"{replaced} NUL characters were read as spaces")


# ---------------------------------------------------------------- HTML
_BLOCK = frozenset(
    (
        *("p", "div", "section", "article", "li", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "br"),
        *("blockquote", "pre", "figure", "figcaption", "header", "footer", "main", "dd", "dt", "caption"),
    )
)


def _hidden(node: Any) -> bool:
    style = (node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def _html(path: Path, doc: Document) -> str:
    from lxml import etree, html

    if path.stat().st_size > MAX_HTML_BYTES:
        raise TextError(f"{path.name} is an HTML file of more than {MAX_HTML_BYTES >> 20} MB")
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    raw = path.read_bytes()
    text, foreign = _mend(raw.decode("utf-8", "surrogateescape"))
    declared = re.search(rb"charset=[\"']?([\w-]+)", raw[:2048])
    try:
        if declared and declared[1].lower() not in (b"utf-8", b"utf8"):
            text = raw.decode(declared[1].decode("ascii"), "replace")
            foreign = 0
    except LookupError:
        doc.warnings.append("the declared character set is unknown; read as UTF-8")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    try:
        tree = html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as exc:
        raise TextError(f"{path.name} cannot be read as HTML: {exc}") from None
    if foreign:
        doc.warnings.append(f"{foreign} bytes were not UTF-8 and were read as Windows-1252")
    title = tree.findtext(".//title")
    if title and title.strip():
        doc.title = " ".join(title.split())
    unseen: list[Any] = list(tree.iter("script", "style", "noscript", "template", "nav", "head"))
    unseen += [n for n in tree.iter() if isinstance(n.tag, str) and _hidden(n)]  # a paper does not say what it hides
    for node in unseen:
        if node.getparent() is not None:
            node.drop_tree()
    parts: list[str] = []
    for event, node in etree.iterwalk(tree, events=("start", "end")):
        if not isinstance(node.tag, str):
            continue
        if node.tag in _BLOCK:
            parts.append("\n")
        if event == "start":
            parts.append(node.text or "")
        elif node.tail:
            parts.append(node.tail)
    joined = re.sub(r"[ \t\r\f\v\xa0]+", " ", "".join(parts))
    return re.sub(r" ?\n ?(?:\s*\n)?", "\n", joined).strip()


# ---------------------------------------------------------------- PDF
def _pdf(path: Path, doc: Document) -> Iterator[str]:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise TextError(f"{path.name} is an encrypted PDF; remove its password first")
        pages = len(reader.pages)
        if reader.metadata and reader.metadata.title and reader.metadata.title.strip():
            doc.title = reader.metadata.title.strip()
    except (PyPdfError, OSError, ValueError, KeyError, TypeError, RecursionError) as exc:
        raise TextError(f"{path.name} is a damaged PDF: {exc}") from None
    empty = unreadable = 0
    for number in range(pages):
        try:
            text = reader.pages[number].extract_text() or ""
        except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as exc:
            log.debug("%s page %d: %s", path.name, number + 1, exc)
            unreadable += 1
            continue
        text = text.encode("utf-8", "replace").decode()
        if not text.strip():
            empty += 1
            continue
        yield text.replace("\x00", " ") + "\n\n"
    if empty + unreadable == pages:
        raise TextError(f"{path.name}: {pages} pages without text (a scan?). Run OCR on it first")
    if empty or unreadable:
        doc.warnings.append(f"{empty} of {pages} pages hold no text and {unreadable} cannot be read")


# ---------------------------------------------------------------- JSON Lines
_TEXT_KEYS = ("text", "contents", "content", "abstract", "body", "passage")
_ID_KEYS = ("id", "_id", "doc_id", "docid", "document_id")


def _jsonl(path: Path, limit: int) -> Iterator[Segment]:
    """Documents of a corpus: one JSON object a line with an id and a text; lines that are none are counted."""
    bad: list[int] = []
    first: Document | None = None
    with path.open("rb") as f:
        number = 0
        while line := f.readline(MAX_LINE_BYTES):
            number += 1
            if not line.strip():
                continue
            made = _record(path, number, line)
            if made is None:
                bad.append(number)
                continue
            doc, text = made
            first = first or doc
            yield from _cut(doc, iter([text]), limit)
    if first is None:
        raise TextError(f"{path.name} holds no JSON object with an id and a text")
    if bad:
        shown = ", ".join(str(n) for n in bad[:5])
        first.warnings.append(f"{path.name}: {len(bad)} lines are no documents and were left out (first: {shown})")


def _record(path: Path, number: int, line: bytes) -> tuple[Document, str] | None:
    try:
        row = json.loads(_mend(line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogateescape"))[0])
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    text = next((row[k] for k in _TEXT_KEYS if isinstance(row.get(k), str) and row[k].strip()), None)
    if text is None:
        return None
    text = text.encode("utf-8", "replace").decode()
    own = next((str(row[k]) for k in _ID_KEYS if isinstance(row.get(k), (str, int))), str(number))
    title = row["title"] if isinstance(row.get("title"), str) else own
    digest = hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()
    return Document(f"{document_id(path)}#{own}", title, f"{path}#{own}", "jsonl", digest), text
