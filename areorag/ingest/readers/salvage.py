"""What can be saved of a label that no parser accepts: one statement at a time, the rest named (AreoRAG §III-B).

A statement begins at a line of the form ``KEYWORD =``; its text runs to the next such line. Each is read alone, so that
one bad value costs one keyword, not the label. Blocks are closed by their END_ lines or by the end of the text.
"""

from __future__ import annotations

import re

from .odl import Block, Empty, NotOrdinary, Quantity, Value, parse_fast

_START = re.compile(r"^[ \t]*(\^?[A-Za-z][A-Za-z0-9_:^\-]*)[ \t]*=", re.M)
_BLOCK_LINE = re.compile(
    r"^[ \t]*(BEGIN_OBJECT|BEGIN_GROUP|OBJECT|GROUP|END_OBJECT|END_GROUP|END)\b[ \t]*"
    r"(?:=[ \t]*[\"']?([A-Za-z0-9_:]+)[\"']?)?[ \t;]*\r?$",
    re.M | re.I,
)
_NUMBER_WITH_UNITS = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[ \t]*<[^<>]*>")
MAX_RAW = 2000
MAX_BLOCKS = 40


def _boundaries(text: str) -> list[tuple[int, str, str, str]]:
    """(offset, kind, first, second): statements and block lines in order; openings in quotes are left out."""
    marks: dict[int, tuple[str, str, str]] = {}
    for match in _START.finditer(text):
        marks[match.start()] = ("statement", match.group(1), "")
    for match in _BLOCK_LINE.finditer(text):
        marks[match.start()] = ("block", match.group(1).upper(), match.group(2) or "")
    return [(pos, *mark) for pos, mark in sorted(marks.items())]


def _open_quote(statement: str) -> bool:
    head = statement.split("=", 1)[1].lstrip()
    return head[:1] == '"' and statement.count('"') % 2 == 1


def _read_value(statement: str, line: int) -> tuple[Value, str | None]:
    """The value of one statement and why it is only raw text, if so."""
    raw = statement.split("=", 1)[1]
    bare = re.sub(r"/\*.*?\*/", " ", raw, flags=re.S).strip()
    bare = re.sub(r"(?m)[ \t]#[ \t].*$", "", bare).strip().rstrip(";").strip()
    if not bare:
        return Empty(line), None
    try:
        block = parse_fast(f"X = {bare}\n")
        if len(block.items) == 1:
            return block.items[0][1], None
    except NotOrdinary:
        pass
    match = _NUMBER_WITH_UNITS.match(bare)
    if match:
        number, units = match.group()[:-1].split("<", 1)
        return Quantity(float(number), units.strip()), "text after the units left out"
    return " ".join(bare.strip("\"'").split())[:MAX_RAW], "kept as plain text"


def parse_salvage(text: str) -> tuple[Block, list[str]]:
    """Read statement by statement; return the blocks and a line for every statement that had to be guessed.

    Parameters
    ----------
    text
        A label; what follows END is not looked at.
    """
    root = Block()
    stack = [root]
    notes: list[str] = []
    marks = _boundaries(text)
    position = 0
    while position < len(marks):
        offset, kind, first, second = marks[position]
        position += 1
        if kind == "block":
            if first == "END":
                break
            if first.startswith("END_"):
                _close(stack, second, notes)
            elif second and len(stack) < MAX_BLOCKS:
                block = Block(first.removeprefix("BEGIN_"), second)
                stack[-1].items.append((second, block))
                stack.append(block)
            continue
        end = marks[position][0] if position < len(marks) else len(text)
        while _open_quote(text[offset:end]) and position < len(marks) and end - offset < 20_000:
            closing = text.find('"', end)
            ahead = marks[position + 1][0] if position + 1 < len(marks) else len(text)
            if closing < 0:
                break
            position += 1
            end = ahead
        line = text.count("\n", 0, offset) + 1
        value, note = _read_value(text[offset:end], line)
        if note:
            notes.append(f"line {line}: {first} is not well formed: {note}")
        stack[-1].items.append((first, value))
    if len(stack) > 1:
        notes.append(f"{len(stack) - 1} block(s) never closed: " + ", ".join(b.name for b in stack[1:]))
    return root, notes


def _close(stack: list[Block], name: str, notes: list[str]) -> None:
    names = [b.name.upper() for b in stack[1:]]
    if not names:
        notes.append(f"END of block {name or '?'} without its beginning")
    elif not name or names[-1] == name.upper():
        stack.pop()
    elif name.upper() in names:
        while stack[-1].name.upper() != name.upper():
            notes.append(f"block {stack[-1].name} closed by the end of {name}")
            stack.pop()
        stack.pop()
    else:
        notes.append(f"block {stack[-1].name} closed as {name}")
        stack.pop()
