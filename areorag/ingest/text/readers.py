"""Documents from files: plain text, Markdown, HTML, PDF, JSON Lines; streamed, so a file's size does not matter.

Every reader gives `Segment` pieces with their place in the decoded document; what cannot be read gives one clear line.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from ...errors import TextError
from ...graph.model import well_formed
from .charsets import HEAD, decoded, encoding_of, is_binary
from .corpora import read_corpus
from .pages import read_page
from .pieces import SEGMENT_CHARS, Document, Segment, cut, document_id, file_sha256

__all__ = ["SEGMENT_CHARS", "SUFFIXES", "Document", "Segment", "document_id", "kind_of", "read_segments"]

log = logging.getLogger(__name__)

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


def kind_of(path: Path) -> str | None:
    """Kind of a file by its suffix, else by its first bytes; None for what is no text."""
    known = SUFFIXES.get(path.suffix.lower())
    with path.open("rb") as f:
        head = f.read(HEAD)
    if head.startswith(b"%PDF-"):
        return "pdf"
    if known == "pdf":
        return "pdf"
    if is_binary(head) or (known is None and b"\0" in head and encoding_of(head) == "utf-8"):
        return None
    if known:
        return known
    return "html" if re.match(rb"\s*<(?:!doctype html|html)", head, re.I) else "text"


def read_segments(path: Path, *, segment_chars: int = SEGMENT_CHARS) -> Iterator[Segment]:
    """The documents of one file, piece by piece.

    Raises
    ------
    TextError
        It cannot be read as text: a scanned PDF, an encrypted PDF, a binary file, an empty file.
    """
    name = well_formed(path.name)
    try:
        if not path.is_file():
            raise TextError(f"{name} is no file")
        if path.stat().st_size == 0:
            raise TextError(f"{name} is empty")
        kind = kind_of(path)
        if kind is None:
            raise TextError(f"{name} is a binary file or a text of an unknown encoding. Save texts as UTF-8")
        if kind == "jsonl":
            yield from read_corpus(path, segment_chars)
            return
        doc = Document(document_id(path), well_formed(path.stem), well_formed(str(path)), kind, file_sha256(path))
        read = {"pdf": _pdf, "html": read_page}.get(kind, _plain)
        yield from cut(doc, read(path, doc), segment_chars)
    except OSError as exc:
        raise TextError(f"{name} cannot be read: {exc.strerror or exc}") from None


def _plain(path: Path, doc: Document) -> Iterator[str]:
    with path.open("rb") as f:
        encoding = encoding_of(f.read(HEAD))
        f.seek(0)
        yield from decoded(f, encoding, doc.warnings)


# ---------------------------------------------------------------- PDF
def _pdf(path: Path, doc: Document) -> Iterator[str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    locked = f"{path.name} is an encrypted PDF. Remove its password first (qpdf --decrypt)"
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise TextError(locked)
        pages = len(reader.pages)
        title = str(well_formed(str(reader.metadata.title or ""))) if reader.metadata else ""
    except TextError:
        raise
    except (DependencyError, FileNotDecryptedError, NotImplementedError):
        raise TextError(locked) from None
    except Exception as exc:  # noqa: BLE001  a damaged file fails anywhere in the parser, with whatever it meets there
        raise TextError(f"{path.name} is a damaged PDF: {_why(exc)}") from None
    doc.title = " ".join(title.split())[:500] or doc.title
    empty = unreadable = 0
    for number in range(pages):
        try:
            text = reader.pages[number].extract_text() or ""
        except Exception as exc:  # noqa: BLE001  as above; the other pages can still be read
            log.debug("%s page %d: %s", path.name, number + 1, exc)
            unreadable += 1
            continue
        text = text.encode("utf-8", "replace").decode()
        if not text.strip():
            empty += 1
            continue
        yield text.replace("\x00", " ") + "\n\n"
    if unreadable and empty + unreadable == pages:
        raise TextError(f"{path.name} is a damaged PDF: {unreadable} of {pages} pages cannot be read")
    if empty == pages:
        raise TextError(f"{path.name}: {pages} pages without text (a scan?). Run OCR on it first")
    if empty or unreadable:
        doc.warnings.append(f"{empty} of {pages} pages hold no text and {unreadable} cannot be read")


def _why(exc: Exception) -> str:
    return " ".join(str(exc).split())[:200] or type(exc).__name__
