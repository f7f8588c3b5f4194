"""The values of an ODL/PVL label, and a fast parser for the ordinary label (PDS3, ISIS; AreoRAG §III-B ingest).

``parse_fast`` reads the part of the language that ordinary labels use and raises `NotOrdinary` on everything else,
so that the caller can fall back to ``pvl``. What it does read, it reads as ``pvl.loads`` does: tokens whose value is
not obvious are decoded by pvl's own decoder, and the tests compare both on every label and on generated ones.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Any

Scalar = None | bool | int | float | str | datetime | date | time
Value = Any
"""A scalar, a `Quantity`, a ``list`` (sequence), a `ValueSet`, an `Empty` or a `Block`."""


class NotOrdinary(ValueError):
    """The text uses more of the language than the fast parser reads."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its units as written, for example ``0.231 <KM/PIXEL>``."""

    value: Value
    units: str


class ValueSet(tuple[Value, ...]):
    """A ``{ }`` set in the order written (the language says order means nothing; readers still want it)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Empty:
    """``KEY =`` with no value; `line` counts from 1."""

    line: int


@dataclass(slots=True)
class Block:
    """A label, group or object: keywords in order, repeated keywords kept."""

    kind: str = "MODULE"
    name: str = ""
    items: list[tuple[str, Value]] = field(default_factory=list)

    def get(self, key: str, default: Value = None) -> Value:
        """The first value of `key` in this block itself (not below it), case ignored."""
        upper = key.upper()
        for name, value in self.items:
            if name == key or name.upper() == upper:
                return value
        return default

    def blocks(self, name: str | None = None) -> Iterator[Block]:
        """The blocks directly inside, all or those called `name`."""
        upper = name.upper() if name else None
        for key, value in self.items:
            if isinstance(value, Block) and (upper is None or key.upper() == upper):
                yield value

    def walk(self) -> Iterator[Block]:
        """This block and every block below it, outermost first."""
        yield self
        for _, value in self.items:
            if isinstance(value, Block):
                yield from value.walk()

    def keys(self) -> list[str]:
        """Keyword names of this block, in order."""
        return [name for name, _ in self.items]


_WHITE = " \t\n\r\v\f"
_DASH = re.compile(r"-[\n\r\f]\s*")
_INNER_DASH = re.compile(r"-[\n\r\v\f][ \t\n\r\v\f]*")
_SPACES = re.compile(r"[ \t\n\r\v\f]+")
_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\n\r\v\f]+)
  | (?P<comment>/\*.*?\*/)
  | (?P<remark>\#[^\n]*\n)
  | (?P<string>"[^"]*"|'[^']*')
  | (?P<units><[^<>]*>(?=[ \t\n\r\v\f,)};]|\Z))
  | (?P<punct>[=(){},;])
  | (?P<radix>[+-]?(?:[2-9]|1[0-6])\#[+-]?[0-9A-Fa-f]+\#(?=[ \t\n\r\v\f,)};<]|\Z))
  | (?P<word>[A-Za-z0-9_.:^$@?\\`+/-]+)
    """,
    re.X | re.S,
)
_NAME = re.compile(r"\^?[A-Za-z][A-Za-z0-9_]*(?::[A-Za-z][A-Za-z0-9_]*)*")
_INT = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r"[A-Za-z][A-Za-z0-9_.:$/-]*")
_DATETIME = re.compile(
    r"([12][0-9]{3})-([01][0-9])-([0-3][0-9])T([0-2][0-9]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,6}))?Z?"
)
_RESERVED = {"END", "GROUP", "OBJECT", "END_GROUP", "END_OBJECT", "BEGIN_GROUP", "BEGIN_OBJECT"}
_NUMBERS_IN_WORDS = {"NAN", "INF", "INFINITY"}
_BEGIN = {"GROUP": "END_GROUP", "OBJECT": "END_OBJECT", "BEGIN_GROUP": "END_GROUP", "BEGIN_OBJECT": "END_OBJECT"}
MAX_DEPTH = 40


@contextmanager
def quiet_pvl() -> Iterator[None]:
    """pvl warns about libraries it could use and does not need; those warnings are not the user's."""
    with warnings.catch_warnings():
        for category in (ImportWarning, PendingDeprecationWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        yield


@lru_cache(maxsize=1)
def _pvl_decoder() -> Any:
    with quiet_pvl():
        from pvl.decoder import OmniDecoder
        from pvl.grammar import OmniGrammar

    return OmniDecoder(grammar=OmniGrammar())


@lru_cache(maxsize=4096)
def _decode_by_pvl(word: str) -> Scalar:
    try:
        with quiet_pvl():
            value: Scalar = _pvl_decoder().decode_simple_value(word)
    except (ValueError, OverflowError, TypeError) as exc:  # TypeError: pvl on a date with an offset
        raise NotOrdinary(f"no simple value: {word!r}") from exc
    return value


@lru_cache(maxsize=4096)
def _is_name(word: str) -> bool:
    if _NAME.fullmatch(word):
        return word.upper() not in _NUMBERS_IN_WORDS and word.upper() not in _RESERVED
    decoder = _pvl_decoder()
    with quiet_pvl():
        from pvl.token import Token

        return bool(Token(word, grammar=decoder.grammar, decoder=decoder).is_parameter_name())


@lru_cache(maxsize=8192)
def decode_word(word: str) -> Scalar:
    """Value of an unquoted token, as pvl's permissive decoder gives it.

    Raises
    ------
    NotOrdinary
        pvl would not take the token for a simple value.
    """
    if _INT.fullmatch(word) and len(word) < 400:
        return int(word)
    if _FLOAT.fullmatch(word):
        return float(word)
    moment = _DATETIME.fullmatch(word)
    if moment:
        year, month, day, hour, minute, second, fraction = moment.groups()
        try:
            return datetime(
                int(year), int(month), int(day), int(hour), int(minute), int(second),
                int((fraction or "0").ljust(6, "0")), UTC,
            )  # fmt: skip
        except ValueError:
            return _decode_by_pvl(word)
    upper = word.upper()
    if _STRING.fullmatch(word) and upper not in _NUMBERS_IN_WORDS and upper not in _RESERVED:
        return {"NULL": None, "TRUE": True, "FALSE": False}.get(upper, word)
    return _decode_by_pvl(word)


def decode_string(quoted: str) -> str:
    """Text between the quotes: dash continuation removed, runs of white space folded to one blank (ODL rule)."""
    text = quoted[1:-1]
    if "\n" in text or "\r" in text or "  " in text or "\t" in text or "\v" in text or "\f" in text:
        return _SPACES.sub(" ", _INNER_DASH.sub("", text).strip(_WHITE))
    return text.strip(_WHITE)


class _Tokens:
    """Tokens of the ordinary language with one token of look-ahead; comments and white space are skipped."""

    __slots__ = ("kind", "pos", "start", "text", "word")

    def __init__(self, text: str, pos: int = 0) -> None:
        self.text = text
        self.pos = pos
        self.start = pos
        self.kind = ""
        self.word = ""
        self.advance()

    def advance(self) -> None:
        text, pos = self.text, self.pos
        match_at = _TOKEN.match
        previous = self.kind
        gap = False
        while True:
            match = match_at(text, pos)
            if match is None:
                if pos >= len(text):
                    self.kind, self.word, self.start, self.pos = "end of text", "", pos, pos
                    return
                raise NotOrdinary(f"character {text[pos]!r} at {pos}")
            kind = match.lastgroup or ""
            if kind == "space":
                pos = match.end()
                gap = True
            elif kind == "remark":
                if "/*" in match.group() or "*/" in match.group() or (not gap and previous):
                    raise NotOrdinary("comment mark inside a comment line")
                pos = match.end()
                gap = True
            elif kind == "comment":
                body = match.group()[2:-2]
                if "/*" in body or body.endswith("/"):
                    raise NotOrdinary("comment inside a comment")
                pos = match.end()
                gap = True
            else:
                break
        word = match.group()
        if kind == "word":
            after = text[match.end() : match.end() + 1]
            if word[-1] == "/" and after == "*":
                raise NotOrdinary("comment glued to a word")
            if (after and after not in " \t\n\r\v\f=(){},;<>") or (not gap and previous in ("string", "word", "radix")):
                raise NotOrdinary(f"character {after!r} in a word")
        elif (
            kind in ("string", "radix", "units")
            and not gap
            and previous in ("string", "word", "radix", "units")
            and not (kind == "units" and previous != "units")
        ):
            raise NotOrdinary("two values without a blank between them")
        self.kind, self.word, self.start, self.pos = kind, word, match.start(), match.end()


def _value(tokens: _Tokens, depth: int) -> Value:
    kind, word = tokens.kind, tokens.word
    value: Value
    if kind == "string":
        value = decode_string(word)
    elif kind == "word":
        value = decode_word(word)
    elif kind == "radix":
        value = _decode_by_pvl(word)
    elif kind == "punct" and word in "({":
        value = _collection(tokens, depth + 1)
    else:
        raise NotOrdinary(f"no value: {word!r}")
    tokens.advance()
    if tokens.kind == "units":
        units = tokens.word.strip("<>").strip(_WHITE)
        tokens.advance()
        if tokens.kind == "units":
            raise NotOrdinary("units twice")
        return Quantity(value, units)
    return value


def _collection(tokens: _Tokens, depth: int) -> list[Value] | ValueSet:
    """A sequence or set; leaves the tokens on its closing delimiter."""
    if depth > MAX_DEPTH:
        raise NotOrdinary("sequences nested too deep")
    opening = tokens.word
    closing = ")" if opening == "(" else "}"
    values: list[Value] = []
    tokens.advance()
    while True:
        if tokens.kind == "punct" and tokens.word == closing and not values:
            break
        values.append(_value(tokens, depth))
        if tokens.kind != "punct" or tokens.word not in (",", closing):
            raise NotOrdinary("expected a comma")
        if tokens.word == closing:
            break
        tokens.advance()
    if opening == "{":
        if any(isinstance(_bare(v), list | ValueSet) for v in values):
            raise NotOrdinary("collection inside a set")
        return ValueSet(values)
    return values


def _bare(value: Value) -> Value:
    return value.value if isinstance(value, Quantity) else value


def _skip_semicolon(tokens: _Tokens) -> None:
    if tokens.kind == "punct" and tokens.word == ";":
        tokens.advance()


def _equals(tokens: _Tokens) -> bool:
    return tokens.kind == "punct" and tokens.word == "="


def _end_block(tokens: _Tokens, block: Block) -> None:
    tokens.advance()
    if _equals(tokens):
        tokens.advance()
        if tokens.word != block.name:
            raise NotOrdinary(f"block {block.name!r} closed as {tokens.word!r}")
        tokens.advance()
    _skip_semicolon(tokens)


def _begin_block(tokens: _Tokens, kind: str) -> Block:
    tokens.advance()
    if not _equals(tokens):
        raise NotOrdinary(f"no equals sign after {kind}")
    tokens.advance()
    if tokens.kind != "word" or not _is_name(tokens.word):
        raise NotOrdinary(f"no block name: {tokens.word!r}")
    block = Block(kind[6:] if kind.startswith("BEGIN_") else kind, tokens.word)
    tokens.advance()
    _skip_semicolon(tokens)
    return block


def parse_fast(text: str) -> Block:
    """Parse an ordinary label.

    Parameters
    ----------
    text
        The label, as text; what follows the END statement is not looked at.

    Raises
    ------
    NotOrdinary
        The label needs the full parser.
    """
    if "-\n" in text or "-\r" in text or "-\f" in text:
        text = _DASH.sub("", text)
    tokens = _Tokens(text)
    module = Block()
    stack = [module]
    closers: list[str] = []
    while True:
        if tokens.kind == "end of text":
            if len(stack) > 1:
                raise NotOrdinary(f"block {stack[-1].name!r} is never closed")
            return module
        if tokens.kind != "word":
            raise NotOrdinary(f"no statement: {tokens.word!r}")
        word = tokens.word
        upper = word.upper()
        if upper in _RESERVED:
            if upper == "END":
                if len(stack) > 1:
                    raise NotOrdinary(f"END inside block {stack[-1].name!r}")
                return module
            if upper in _BEGIN:
                block = _begin_block(tokens, upper)
                stack[-1].items.append((block.name, block))
                stack.append(block)
                closers.append(_BEGIN[upper])
                if len(stack) > MAX_DEPTH:
                    raise NotOrdinary("blocks nested too deep")
            else:
                if not closers or closers[-1] != upper:
                    raise NotOrdinary(f"{word} without its beginning")
                _end_block(tokens, stack.pop())
                closers.pop()
            continue
        if not _is_name(word):
            raise NotOrdinary(f"no keyword: {word!r}")
        tokens.advance()
        if not _equals(tokens):
            raise NotOrdinary(f"no equals sign after {word}")
        tokens.advance()
        value = _value(tokens, 0)
        if _equals(tokens):
            raise NotOrdinary(f"{word} has no value")
        _skip_semicolon(tokens)
        stack[-1].items.append((word, value))
