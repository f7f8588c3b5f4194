"""PDS3, ODL and ISIS labels: bytes to a `Label`, by the fast parser, else by ``pvl``, else statement by statement.

The label is cut at its END statement before anything is parsed, so that a long binary tail costs nothing. Nothing is
lost silently: every keyword that had to be guessed or left out is named in ``Label.warnings`` (AreoRAG §III-B).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...errors import LabelError
from .odl import Block, Empty, NotOrdinary, Quantity, Value, ValueSet, parse_fast, quiet_pvl
from .salvage import parse_salvage

FIRST_BYTES = 1 << 16
MAX_LABEL_BYTES = 1 << 23
PVL_MAX_CHARS = 40_000
PVL_SECONDS = 3.0  # of processor time, so that a busy machine reads what an idle one reads
"""Longest text given to pvl, which reads about 50,000 characters a second; longer ones are read statement by statement."""

_END = re.compile(rb"(?:^|[\n\r])[ \t]*END[ \t]*(?=;|[\n\r]|\Z|/\*|\x00)", re.I)
_CLOSES_BLOCK = re.compile(rb"\s*END_(?:OBJECT|GROUP)\b", re.I)
_LONG_WORD = re.compile(r"[^\s,]{1000}")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(slots=True)
class Label:
    """A label and how it was read.

    ``how`` is the reader that gave the values; ``problems`` are losses that make the label incomplete, ``warnings``
    are repairs that lose nothing of importance.
    """

    root: Block
    how: Literal["fast", "pvl", "salvage"] = "fast"
    text: str = ""
    ended: bool = True
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Cut(NamedTuple):
    """The label part of a file: its bytes, whether END closes it, and what was odd about that."""

    data: bytes
    ended: bool
    note: str | None = None


def cut_label(data: bytes) -> Cut:
    """The label part of `data`.

    An END inside an open quotation does not count, nor the END of a structure included in a block (Viking): that one
    is blanked. Without END the label runs to the first control byte.
    """
    inner: list[tuple[int, int]] = []
    for match in _END.finditer(data):
        head = data[: match.end()]
        if head.count(b'"') % 2:
            continue
        if _CLOSES_BLOCK.match(data, match.end()):
            inner.append(match.span())
            continue
        return Cut(_blank(head, inner), True)
    if inner:
        return Cut(data[: inner[0][1]], True, "label read up to the END of an included structure; the rest is cut off")
    binary = _BINARY.search(data)
    return Cut(data[: binary.start()] if binary else data, False)


def _blank(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    for start, end in spans:
        data = data[:start] + b"\n".ljust(end - start) + data[end:]
    return data


def read_label_bytes(path: Path) -> Cut:
    """Bytes of the label in the file at `path`, read no further than needed; see `cut_label`.

    Raises
    ------
    LabelError
        The file cannot be opened.
    """
    size = FIRST_BYTES
    try:
        with path.open("rb") as stream:
            data = stream.read(size)
            while True:
                cut = cut_label(data)
                if (cut.ended and not cut.note) or len(data) < size or len(data) >= MAX_LABEL_BYTES:
                    return cut
                if not cut.ended and len(cut.data) < len(data):
                    return cut
                size *= 8
                data += stream.read(size - len(data))
    except OSError as exc:
        raise LabelError(f"{path.name} cannot be read: {exc.strerror}") from exc


def decode_text(data: bytes) -> tuple[str, str | None]:
    """Text of a label and a warning when it is not UTF-8 (latin-1 is assumed then)."""
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as exc:
        return data.decode("latin-1"), f"not UTF-8 (byte {exc.start}): read as latin-1"


def from_pvl(value: Any) -> Value:
    """A value of pvl's own classes as ours (sets keep pvl's order, which is none)."""
    from pvl.collections import MutableMappingSequence, PVLGroup
    from pvl.collections import Quantity as PvlQuantity
    from pvl.parser import EmptyValueAtLine

    if isinstance(value, EmptyValueAtLine):
        return Empty(int(value.lineno))
    if isinstance(value, MutableMappingSequence):
        kind = "GROUP" if isinstance(value, PVLGroup) else "OBJECT"
        block = Block(kind)
        for key, item in value:
            inner = from_pvl(item)
            if isinstance(inner, Block):
                inner.name = str(key)
            block.items.append((str(key), inner))
        return block
    if isinstance(value, PvlQuantity):
        return Quantity(from_pvl(value.value), str(value.units))
    if isinstance(value, list):
        return [from_pvl(v) for v in value]
    if isinstance(value, tuple):
        return ValueSet(from_pvl(v) for v in value)
    if isinstance(value, set | frozenset):
        return ValueSet(sorted((from_pvl(v) for v in value), key=repr))
    if isinstance(value, str):
        return str(value)
    return value


def parse_pvl(text: str) -> Block:
    """Parse with pvl's permissive parser, keeping the order of sets.

    Raises
    ------
    LabelError
        pvl refuses the text.
    """
    with quiet_pvl():
        from pvl.exceptions import LexerError, ParseError, QuantityError
        from pvl.lexer import lexer as pvl_lexer
        from pvl.parser import OmniParser

        class OrderedSets(OmniParser):  # type: ignore[misc]
            def parse_set(self, tokens: Any) -> Any:
                values = tuple(self._parse_set_seq(self.grammar.set_delimiters, tokens))
                frozenset(values)  # refuses what a set cannot hold, as pvl does
                return values

        def lexer_in_time(*args: Any, **kwargs: Any) -> Iterator[Any]:
            """pvl's lexer until the deadline: on some damaged labels its look-ahead goes on for hours."""
            inner, until = pvl_lexer(*args, **kwargs), time.process_time() + PVL_SECONDS
            try:
                item = next(inner)
                while True:
                    if time.process_time() > until:
                        raise RuntimeError(f"not done in {PVL_SECONDS:g} s")
                    try:
                        back = yield item
                    except Exception as exc:  # noqa: BLE001 - thrown in by the parser: the lexer adds the place
                        item = inner.throw(exc)
                    else:
                        item = next(inner) if back is None else inner.send(back)
            except StopIteration:
                return

        refused = (LexerError, ParseError, QuantityError, ValueError, TypeError, ArithmeticError, LookupError)
        try:
            module = OrderedSets(lexer_fn=lexer_in_time).parse(text)
        except (*refused, RuntimeError, StopIteration, AttributeError) as exc:
            raise LabelError(f"pvl: {type(exc).__name__}: {str(exc)[:160]}") from exc
    block = from_pvl(module)
    assert isinstance(block, Block)
    block.kind = "MODULE"
    return block


def parse_label(text: str) -> Label:
    """Parse the text of a label by the quickest reader that can.

    Raises
    ------
    LabelError
        Not one statement could be read.
    """
    try:
        return Label(parse_fast(text), "fast", text)
    except NotOrdinary as exc:
        fast_reason = str(exc)
    pvl_reason = f"longer than {PVL_MAX_CHARS} characters and out of the ordinary ({fast_reason})"
    if len(text) <= PVL_MAX_CHARS and not _too_much_for_pvl(text):
        try:
            label = Label(parse_pvl(text), "pvl", text)
        except LabelError as exc:
            pvl_reason = str(exc)
        else:
            label.warnings += [f"{key} has no value (line {v.line})" for key, v in _empties(label.root)]
            lost = _keyword_count(parse_salvage(text)[0]) - _keyword_count(label.root)
            if not lost:
                return label
            pvl_reason = f"pvl loses {sum(lost.values())} keywords ({', '.join(list(lost)[:3])})"
    root, dropped = parse_salvage(text)
    if not _keyword_count(root):
        raise LabelError(f"no keyword = value statement could be read ({pvl_reason})")
    label = Label(root, "salvage", text)
    label.warnings += dropped or [f"read statement by statement: {pvl_reason}"]
    label.problems += [f"malformed label: {note}" for note in dropped[:3]]
    label.warnings += [f"{key} has no value (line {v.line})" for key, v in _empties(root)]
    return label


def _too_much_for_pvl(text: str) -> bool:
    """pvl's time grows with the square of a word's length (20,000 dashes take a minute); open quotes it refuses."""
    return _LONG_WORD.search(text) is not None or text.count('"') % 2 == 1


def _keyword_count(root: Block) -> Counter[str]:
    return Counter(key for block in root.walk() for key, v in block.items if not isinstance(v, Block))


def _empties(root: Block) -> list[tuple[str, Empty]]:
    return [(key, v) for block in root.walk() for key, v in block.items if isinstance(v, Empty)]


def read_label(source: Path | bytes) -> Label:
    """Read the label of a file or of bytes (attached data, if any, are not touched).

    Raises
    ------
    LabelError
        The file cannot be opened, or not one statement could be read.
    """
    cut = read_label_bytes(source) if isinstance(source, Path) else cut_label(source)
    text, warning = decode_text(cut.data.removeprefix(b"\xef\xbb\xbf"))
    label = parse_label(text)
    label.ended = cut.ended
    if cut.note:
        label.problems.clear()
    label.warnings[:0] = [note for note in (warning, cut.note) if note]
    if not cut.ended:
        label.problems.append("no END statement: the label is cut off or incomplete")
    return label
