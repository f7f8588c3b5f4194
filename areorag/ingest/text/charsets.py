"""Bytes to characters: byte order marks, UTF-16 without one, declared sets, and bytes that are not UTF-8.

A byte that is not UTF-8 is read as Windows-1252 and counted; nothing is left out silently.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from .pieces import Document

HEAD = 65_536
BLOCK = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")
_MOST_CONTROL = 0.03
_DECLARED = re.compile(
    r"iso8859-\d+|cp125\d|cp866|cp874|koi8-[ru]|mac-(?:roman|cyrillic)|shift_jis|cp932|euc_jp|iso2022_jp|gbk|gb2312|"
    r"gb18030|big5|euc_kr|cp949"
)


def encoding_of(head: bytes) -> str:
    """Codec of a text by its first bytes: a byte order mark, else the NULs of UTF-16 without one, else UTF-8."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    pairs = len(head) // 2
    if pairs >= 4:
        even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
        if max(even, odd) > 0.4 * pairs and min(even, odd) < 0.05 * pairs:
            name = "utf-16-le" if odd > even else "utf-16-be"
            text = head[: 2 * pairs].decode(name, "replace")
            if sum(c.isprintable() or c.isspace() for c in text) > 0.97 * len(text):
                return name
    return "utf-8"


def is_binary(head: bytes) -> bool:
    """True for what is no text in an encoding known here: pictures, programs, archives."""
    if encoding_of(head) != "utf-8":
        return False
    return len(head) >= 64 and len(_CONTROL.findall(head)) > _MOST_CONTROL * len(head)


def declared_encoding(name: str) -> str | None:
    """Codec of a character set that a page declares; None for one that is unknown or no plain character set."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    if codec in ("ascii", "iso8859-1"):  # as browsers read them
        return "cp1252"
    if codec.startswith(("utf-8", "utf-16")):  # a page whose declaration is ASCII is no UTF-16
        return "utf-8"
    return codec if _DECLARED.fullmatch(codec) else None


def mend(text: str) -> tuple[str, int]:
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


def decoded(f: BinaryIO, encoding: str, warnings: list[str]) -> Iterator[str]:
    """The characters of an open file in blocks, with ``\\n`` line ends and spaces for NULs; what was odd goes to `warnings`."""
    foreign = replaced = nul = 0
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    carry = ""
    while True:
        block = f.read(BLOCK)
        text, n = mend(decoder.decode(block, final=not block))
        foreign += n
        if errors == "replace":
            replaced += text.count("\ufffd")
        text = carry + text
        carry = text[-1:] if text.endswith("\r") and block else ""
        text = text[: len(text) - len(carry)].replace("\r\n", "\n").replace("\r", "\n")
        nul += text.count("\x00")
        if text:
            yield text.replace("\x00", " ")
        if not block:
            break
    if encoding in ("utf-16-le", "utf-16-be"):
        warnings.append(f"read as {encoding.upper()}: it has no byte order mark, but every other byte is NUL")
    if foreign:
        warnings.append(f"{foreign:,} bytes were not UTF-8 and were read as Windows-1252")
    if replaced:
        warnings.append(f"{replaced:,} characters are not {encoding.upper()} and were read as \ufffd")
    if nul:
        warnings.append(f"{nul:,} NUL characters were read as spaces")


def declared_in(head: bytes, doc: Document) -> str:
    """Codec of a page: its byte order mark, else what it declares, else UTF-8."""
    found = encoding_of(head)
    said = re.search(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)", head[:4096])
    if found != "utf-8" or said is None:
        return found
    known = declared_encoding(said[1].decode("ascii"))
    if known is None:
        doc.warnings.append(f"the declared character set {said[1].decode('ascii')} is unknown; read as UTF-8")
    return known or "utf-8"
