"""What kind of file this is, by its content; the extension is never trusted (AreoRAG §III-B, ingest)."""

from __future__ import annotations

import re

KINDS = (
    "empty", "pds4", "xml", "gpkg", "json", "ode-text", "wkt", "isis", "pds3", "fits", "vicar", "image", "archive",
    "compressed", "utf-16", "delimited", "text", "binary",
)  # fmt: skip

_STATEMENT = re.compile(
    rb"^[ \t]*\^?[A-Za-z][A-Za-z0-9_:\-]*[ \t]*=[ \t]*(?:\S.*)?$|^[ \t]*(?:END_OBJECT|END_GROUP|END)[ \t;]*$", re.M
)
_WKT = re.compile(
    rb"^\s*(?:SRID=\d+;)?\s*(?:MULTI)?(?:POLYGON|POINT|LINESTRING|GEOMETRYCOLLECTION)\s*(?:Z\s*)?[(E]", re.I
)
_MAGIC = (
    (b"\x89PNG", "image"), (b"\xff\xd8\xff", "image"), (b"II*\x00", "image"), (b"MM\x00*", "image"), (b"GIF8", "image"),
    (b"\x00\x00\x00\x0cjP  ", "image"), (b"%PDF", "archive"), (b"PK\x03\x04", "compressed"), (b"\x1f\x8b", "compressed"),
    (b"BZh", "compressed"), (b"\xfd7zXZ\x00", "compressed"), (b"\x28\xb5\x2f\xfd", "compressed"), (b"7z\xbc\xaf", "compressed"),
    (b"\x89HDF", "archive"), (b"CDF\x01", "archive"), (b"DAF/", "archive"), (b"KPL/", "archive"), (b"RIFF", "archive"),
)  # fmt: skip


def _printable(head: bytes) -> bool:
    sample = head[:8192]
    if b"\x00" in sample:
        return False
    odd = sum(1 for b in sample if b < 9 or 13 < b < 32)
    return odd <= len(sample) * 0.002


def _statements(head: bytes) -> float:
    """Share of the first lines that are label statements (continuation lines of a value are not counted)."""
    lines = [line.strip() for line in head[:6000].replace(b"\r", b"\n").split(b"\n")]
    lines = [line for line in lines if line and not line.startswith((b"/*", b"#", b"*"))][:40]
    if not lines:
        return 0.0
    return sum(1 for line in lines if _STATEMENT.match(line)) / len(lines)


def _delimited(head: bytes) -> bool:
    lines = [line for line in head[:65536].decode("utf-8", "replace").splitlines() if line.strip()][:12]
    lines = [line for line in lines if not line.startswith("#")] or lines
    if len(lines) < 2:
        return False
    for mark in ("\t", ",", ";", "|"):
        counts = [line.count(mark) for line in lines[:-1] or lines]
        if min(counts) >= 1 and (max(counts) - min(counts) <= max(2, 0.2 * max(counts))):
            return True
    return False


def _utf16(head: bytes) -> bool:
    """Mostly letters of one byte, each beside a zero, after the byte-order mark."""
    return head[:2] in (b"\xff\xfe", b"\xfe\xff") and head[2:514].count(0) > 0.4 * len(head[2:514])


def sniff(head: bytes) -> str:
    """One of `KINDS` for the first bytes of a file (64 KB are enough)."""
    if not head.strip(b"\x00 \t\r\n"):
        return "empty"
    if head.startswith(b"SQLite format 3\x00"):
        return "gpkg"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<") and re.match(rb"<[?!A-Za-z]", start):
        return "pds4" if re.search(rb"<(?:\w+:)?Product_\w+", head) else "xml"
    if start[:1] in b"{[" and re.match(rb"[{\[]\s*[\"{\[\]}\d-]", start):
        return "json"
    if start.startswith(b"#Date Report Generated") or b"#INSTRUMENT HOST ID" in head[:2000]:
        return "ode-text"
    if _WKT.match(start):
        return "wkt"
    if start.startswith((b"SIMPLE  =", b"XTENSION=")):
        return "fits"
    if start.startswith(b"LBLSIZE="):
        return "vicar"
    if re.match(rb"(?i)object\s*=\s*IsisCube", start):
        return "isis"
    label = re.search(rb"PDS_VERSION_ID|ODL_VERSION_ID|^CCSD3ZF|SFDU_LABEL", head[:4000]) is not None
    if label and re.search(rb"=", head[:4000]):
        return "isis" if re.search(rb"(?i)^\s*object\s*=\s*IsisCube", head[:65536], re.M) else "pds3"
    share = _statements(head)
    if share >= 0.5 or (share > 0 and re.match(rb"\s*(?:END|OBJECT|GROUP)\b", start, re.I)):
        return "pds3"
    if not _printable(head):
        return "utf-16" if _utf16(head) else "binary"
    return "delimited" if _delimited(head) else "text"
