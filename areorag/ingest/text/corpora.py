"""JSON Lines corpora: one object a line with an id and a text; what is none is counted, never fatal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import TextError
from ...graph.model import well_formed
from .charsets import HEAD, decoded, encoding_of
from .pieces import Document, Segment, cut, document_id

MAX_RECORD_CHARS = 16 * 1024 * 1024
_TEXT_KEYS = ("text", "contents", "content", "abstract", "body", "passage")
_ID_KEYS = ("id", "_id", "doc_id", "docid", "document_id")
_LONGEST_ID = 200  # the database indexes ids, and an index takes no key of more than 8 kB
_LONGEST_TITLE = 500


def lines(blocks: Iterator[str], limit: int = MAX_RECORD_CHARS) -> Iterator[str | None]:
    """Lines of a text that comes in blocks; None for a line of more than `limit` characters, whose rest is passed over."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        *ends, last = block.split("\n")
        for end in ends:
            yield None if size + len(end) > limit else "".join([*parts, end])
            parts, size = [], 0
        size += len(last)
        if size > limit:
            parts = []
        elif last:
            parts.append(last)
    if size:
        yield None if size > limit else "".join(parts)


@dataclass
class _Count:
    """What a corpus held besides documents; of many only the first few places."""

    n: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        self.n += 1
        if len(self.first) < 5:
            self.first.append(line)

    def say(self, one: str, many: str) -> str:
        return f"{self.n:,} {one if self.n == 1 else many} (first: line {', '.join(map(str, self.first))})"


def read_corpus(path: Path, limit: int) -> Iterator[Segment]:
    """Documents of a corpus.

    Two records of one id and different texts are two documents (``id`` and ``id~2``); the same record twice is one.

    Raises
    ------
    TextError
        No line is a JSON object with a text.
    """
    bad, long, twice, shared = _Count(), _Count(), _Count(), _Count()
    ids: dict[bytes, int] = {}
    seen: set[bytes] = set()
    first: Document | None = None
    notes: list[str] = []
    with path.open("rb") as f:
        encoding = encoding_of(f.read(HEAD))
        f.seek(0)
        for number, line in enumerate(lines(decoded(f, encoding, notes)), 1):
            if line is None:
                long.add(number)
                continue
            if not line.strip():
                continue
            record = _record(number, line)
            if record is None:
                bad.add(number)
                continue
            own, title, text = record
            digest = hashlib.sha256(f"{title}\0{text}".encode()).hexdigest()
            key = hashlib.sha256(own.encode()).digest()[:12]
            whole = hashlib.sha256(f"{own}\0{digest}".encode()).digest()[:12]
            if whole in seen:
                twice.add(number)
                continue
            seen.add(whole)
            ids[key] = ids.get(key, 0) + 1
            if ids[key] > 1:
                shared.add(number)
                own = f"{own}~{ids[key]}"
            doc = Document(f"{document_id(path)}#{own}", title, f"{path}#{own}", "jsonl", digest)
            first = first or doc
            yield from cut(doc, iter([text]), limit)
    if first is None:
        raise TextError(f"{path.name} holds no JSON object with an id and a text")
    first.remarks += notes
    first.whole = not (bad.n or long.n)
    if bad.n:
        first.remarks.append(
            bad.say("line is no document and was left out", "lines are no documents and were left out")
        )
    if long.n:
        size = MAX_RECORD_CHARS >> 20
        first.remarks.append(long.say(*(f"{x} longer than {size} MB and left out" for x in ("line is", "lines are"))))
    if twice.n:
        first.remarks.append(twice.say("record stands there twice", "records stand there again"))
    if shared.n:
        said = "an id with another text and got the id …~2"
        first.remarks.append(shared.say(f"record shares {said}", f"records share {said} and on"))


def _record(number: int, line: str) -> tuple[str, str, str] | None:
    """(own id, title, text) of a line, or None."""
    try:
        row = json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    text = next((row[k] for k in _TEXT_KEYS if isinstance(row.get(k), str) and row[k].strip()), None)
    if text is None:
        return None
    own = next((i for k in _ID_KEYS if (i := _own_id(row.get(k)))), str(number))
    given = row.get("title")
    title = " ".join(_clean(given).split())[:_LONGEST_TITLE] if isinstance(given, str) else ""
    return own, title or own, text.encode("utf-8", "replace").decode().replace("\x00", " ")


def _own_id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    own = _clean(str(value)).strip()
    if len(own) <= _LONGEST_ID:
        return own
    return f"{own[: _LONGEST_ID - 17]}~{hashlib.sha256(own.encode()).hexdigest()[:16]}"


def _clean(text: str) -> str:
    """A caption: without control characters and lone surrogates."""
    return "".join(c if c.isprintable() else " " for c in str(well_formed(text)))
