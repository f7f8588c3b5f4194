"""PDS3 tables: fixed-width rows described by COLUMN objects, ASCII or binary, and delimited text (AreoRAG §III-B).

Rows come out as dicts one at a time, so an index of any length costs one row of memory. A column with ITEMS gives a
list. The row length is taken from the file where the label is wrong about it, and said so.
"""

from __future__ import annotations

import csv
import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import LabelError
from .odl import Block, Quantity, ValueSet

_STRUCT = {
    ("MSB_INTEGER", 1): ">b", ("MSB_INTEGER", 2): ">h", ("MSB_INTEGER", 4): ">i", ("MSB_INTEGER", 8): ">q",
    ("MSB_UNSIGNED_INTEGER", 1): ">B", ("MSB_UNSIGNED_INTEGER", 2): ">H", ("MSB_UNSIGNED_INTEGER", 4): ">I",
    ("MSB_UNSIGNED_INTEGER", 8): ">Q", ("IEEE_REAL", 4): ">f", ("IEEE_REAL", 8): ">d",
    ("LSB_INTEGER", 1): "<b", ("LSB_INTEGER", 2): "<h", ("LSB_INTEGER", 4): "<i", ("LSB_INTEGER", 8): "<q",
    ("LSB_UNSIGNED_INTEGER", 1): "<B", ("LSB_UNSIGNED_INTEGER", 2): "<H", ("LSB_UNSIGNED_INTEGER", 4): "<I",
    ("LSB_UNSIGNED_INTEGER", 8): "<Q", ("PC_REAL", 4): "<f", ("PC_REAL", 8): "<d",
}  # fmt: skip
_SAME = {
    "INTEGER": "MSB_INTEGER", "SUN_INTEGER": "MSB_INTEGER", "MAC_INTEGER": "MSB_INTEGER",
    "UNSIGNED_INTEGER": "MSB_UNSIGNED_INTEGER", "SUN_UNSIGNED_INTEGER": "MSB_UNSIGNED_INTEGER",
    "MAC_UNSIGNED_INTEGER": "MSB_UNSIGNED_INTEGER", "PC_INTEGER": "LSB_INTEGER", "VAX_INTEGER": "LSB_INTEGER",
    "PC_UNSIGNED_INTEGER": "LSB_UNSIGNED_INTEGER", "VAX_UNSIGNED_INTEGER": "LSB_UNSIGNED_INTEGER",
    "REAL": "IEEE_REAL", "FLOAT": "IEEE_REAL", "SUN_REAL": "IEEE_REAL", "MAC_REAL": "IEEE_REAL",
}  # fmt: skip
_TEXT_TYPES = ("CHARACTER", "ASCII_INTEGER", "ASCII_REAL", "TIME", "DATE", "ASCII")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")
MAX_ROW_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `start` counts bytes from 0; `missing` are the constants that mean no value."""

    name: str
    data_type: str
    start: int
    length: int
    items: int = 1
    item_length: int = 0
    item_offset: int = 0
    unit: str | None = None
    missing: tuple[float, ...] = ()


@dataclass(slots=True)
class Table:
    """Description of a table."""

    name: str
    columns: list[Column]
    rows: int | None
    row_bytes: int
    ascii: bool
    warnings: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return [c.name for c in self.columns]


def _int(value: Any) -> int | None:
    value = value.value if isinstance(value, Quantity) else value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and abs(value) < 1e15 and value == int(value):
        return int(value)
    return None


def describe(block: Block, structure: list[Block] | None = None) -> Table:
    """The table an OBJECT describes; `structure` are the columns of its ^STRUCTURE file.

    Raises
    ------
    LabelError
        A column has no name, start or length, or there is no column.
    """
    columns: list[Column] = []
    found = list(block.blocks("COLUMN")) + list(structure or [])
    for number, col in enumerate(found, 1):
        name = col.get("NAME")
        start, length = _int(col.get("START_BYTE")), _int(col.get("BYTES"))
        items = _int(col.get("ITEMS")) or 1
        item_length = _int(col.get("ITEM_BYTES")) or 0
        if length is None and items > 1 and item_length:
            length = items * item_length
        if not isinstance(name, str) or start is None or length is None or start < 1 or length < 1:
            raise LabelError(f"column {number} ({name or 'no name'}) of {block.name} has no start or no length")
        if not item_length and items > 1:
            item_length = max(1, length // items)
        missing = tuple(
            float(v)
            for key in ("MISSING_CONSTANT", "INVALID_CONSTANT", "NOT_APPLICABLE_CONSTANT", "UNKNOWN_CONSTANT")
            if isinstance(v := _plain(col.get(key)), int | float) and abs(v) < 1e300
        )
        columns.append(
            Column(
                " ".join(name.split()),
                str(col.get("DATA_TYPE") or "CHARACTER").upper(),
                start - 1,
                length,
                items,
                item_length,
                _int(col.get("ITEM_OFFSET")) or item_length,
                _text(col.get("UNIT")),
                missing,
            )
        )
    if not columns:
        raise LabelError(f"table {block.name} has no column")
    row_bytes = max(_int(block.get("ROW_BYTES")) or 0, max(c.start + c.length for c in columns))
    row_bytes += (_int(block.get("ROW_PREFIX_BYTES")) or 0) + (_int(block.get("ROW_SUFFIX_BYTES")) or 0)
    if row_bytes > MAX_ROW_BYTES:
        raise LabelError(f"table {block.name} says a row has {row_bytes} bytes")
    form = str(block.get("INTERCHANGE_FORMAT") or "ASCII").upper()
    return Table(block.name, columns, _int(block.get("ROWS")), row_bytes, form.startswith("ASCII"))


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Quantity) else value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def looks_like_text(data: bytes) -> bool:
    """True when the bytes are printable text with line ends."""
    if not data or b"\x00" in data:
        return False
    odd = sum(1 for b in data[:4096] if b < 9 or 13 < b < 32)
    return odd == 0 and (b"\n" in data or b"\r" in data or len(data) < 4096)


def row_length(table: Table, head: bytes, size: int) -> tuple[int, str | None]:
    """Bytes of a row as the file has them, with a warning where the label says otherwise.

    Raises
    ------
    LabelError
        The file cannot be this table: another row length, or shorter than one row.
    """
    needed = max(c.start + c.length for c in table.columns)
    if size < needed:
        raise LabelError(f"the file has {size} bytes, one row of {table.name} needs {needed}")
    if not table.ascii:
        return table.row_bytes, None
    end = re.search(rb"\r\n|\n|\r", head)
    if end is None:
        return table.row_bytes, None
    actual = end.end()
    if actual == table.row_bytes:
        return actual, None
    if needed <= end.start() and abs(actual - table.row_bytes) <= 4:
        return actual, f"rows have {actual} bytes, the label says {table.row_bytes}"
    raise LabelError(f"rows of the file have {actual} bytes, the label says {table.row_bytes}: not this table")


def _cell_text(raw: bytes) -> str:
    out = raw.decode("utf-8", "replace").strip().strip('"').strip()
    return out


def _ascii_value(raw: bytes, column: Column) -> Any:
    out = _cell_text(raw)
    if not out:
        return None
    if column.data_type in ("CHARACTER", "TIME", "DATE"):
        return out
    if _INTEGER.fullmatch(out) and len(out) < 19:
        value: Any = int(out)
    elif _NUMBER.fullmatch(out):
        value = float(out.replace("d", "e").replace("D", "e"))
    else:
        return out
    return None if float(value) in column.missing else value


def _binary_value(raw: bytes, column: Column) -> Any:
    if column.data_type in _TEXT_TYPES:
        return _ascii_value(raw, column)
    code = _STRUCT.get((_SAME.get(column.data_type, column.data_type), len(raw)))
    if code is None:
        return None
    value = struct.unpack(code, raw)[0]
    return None if float(value) in column.missing or value != value else value


def decode_row(row: bytes, table: Table) -> dict[str, Any]:
    """Values of one row by column name; a repeated name gets ``_2``, ``_3`` …"""
    out: dict[str, Any] = {}
    convert = _ascii_value if table.ascii else _binary_value
    for column in table.columns:
        if column.items > 1:
            value: Any = []
            for i in range(min(column.items, 4096)):
                at = column.start + i * column.item_offset
                value.append(convert(row[at : at + column.item_length], column))
        else:
            value = convert(row[column.start : column.start + column.length], column)
        name, n = column.name, 2
        while name in out:
            name, n = f"{column.name}_{n}", n + 1
        out[name] = value
    return out


def iter_rows(table: Table, path: Path, offset: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, values) of every row in the file, which may hold fewer or more than the label says.

    Raises
    ------
    LabelError
        The file cannot be opened or is not this table.
    """
    try:
        size = path.stat().st_size - offset
        with path.open("rb") as stream:
            stream.seek(offset)
            head = stream.read(MAX_ROW_BYTES)
            if table.ascii and not looks_like_text(head):
                table.ascii = False
                table.warnings.append("label says ASCII, the bytes are binary")
            elif not table.ascii and looks_like_text(head) and all(c.data_type in _TEXT_TYPES for c in table.columns):
                table.ascii = True
                table.warnings.append("label says binary, the bytes are text")
            length, warning = row_length(table, head, size)
            if warning:
                table.warnings.append(warning)
            stream.seek(offset)
            needed = max(c.start + c.length for c in table.columns)
            number = 0
            while (row := stream.read(length)) and len(row) >= needed:
                if table.rows is not None and number >= table.rows and not table.ascii:
                    return
                number += 1
                yield number, decode_row(row, table)
            if table.rows is not None and number < table.rows:
                table.warnings.append(f"{number} of {table.rows} rows are in the file")
    except OSError as exc:
        raise LabelError(f"{path.name} cannot be read: {exc.strerror}") from exc


def tables_in(root: Block) -> list[Block]:
    """Every OBJECT of a label that holds columns or calls itself a table."""
    return [
        b for b in root.walk() if b is not root and ("TABLE" in b.name.upper() or any(True for _ in b.blocks("COLUMN")))
    ]


def pointer(root: Block, name: str) -> tuple[str | None, int]:
    """(file name or None for this file, byte offset) that ``^NAME`` points to; records become bytes."""
    for block in root.walk():
        value = block.get("^" + name)
        if value is None:
            continue
        record = _int(block.get("RECORD_BYTES")) or _int(root.get("RECORD_BYTES")) or 1
        return _target(value, record)
    return None, 0


def _target(value: Any, record_bytes: int) -> tuple[str | None, int]:
    if isinstance(value, list | tuple | ValueSet):
        names = [v for v in value if isinstance(v, str)]
        places = [v for v in value if not isinstance(v, str)]
        _, offset = _target(places[0], record_bytes) if places else (None, 0)
        return (names[0] if names else None), offset
    if isinstance(value, str):
        return value, 0
    if isinstance(value, Quantity) and value.units.strip().upper().startswith("BYTE"):
        return None, max(0, (_int(value.value) or 1) - 1)
    count = _int(value)
    return None, 0 if count is None else max(0, (count - 1) * record_bytes)


def read_delimited(text: str, delimiter: str | None = None) -> Iterator[dict[str, str]]:
    """Rows of a delimited text with a header line, values stripped; the delimiter is sniffed when not given."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if delimiter is None:
        header = lines.split("\n", 1)[0]
        delimiter = max(",\t;|", key=header.count)
    reader = csv.reader(io.StringIO(lines), delimiter=delimiter, skipinitialspace=True)
    header_row: list[str] | None = None
    try:
        for row in reader:
            cells = [c.strip() for c in row]
            if not any(cells):
                continue
            if header_row is None:
                header_row = cells
                continue
            yield dict(zip(header_row, cells, strict=False))
    except csv.Error as exc:
        raise LabelError(f"delimited text cannot be read: {exc}") from exc
