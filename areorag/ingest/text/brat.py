"""Reader of brat standoff annotation (``.txt`` + ``.ann``): the format of expert annotations of planetary abstracts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import TextError
from .spans import Span


@dataclass
class BratDocument:
    """One annotated document: spans by id and "Contains" events as (trigger, targets, components) span ids."""

    id: str
    text: str
    by_id: dict[str, Span] = field(default_factory=dict)
    contains: list[tuple[str, list[str], list[str]]] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """All annotated spans, by offset."""
        return sorted(self.by_id.values())


#: Type names of other annotation projects -> ours; compared in lower case, without a plural s.
TYPES = {"target": "Target", "element": "Element", "mineral": "Mineral", "material": "Material"}
_CONTAINS = re.compile(r"(?i)contain(?:s|ing)?(?:_\w+)?")


def _type(kind: str) -> str:
    return TYPES.get(kind.lower().removesuffix("s"), kind)


def _surfaces(annotation: str) -> list[tuple[int, int, str, str, str]]:
    """(start, end, type, id, text) of every T line; a discontinuous span is its hull, and its text is left empty."""
    out = []
    for line in annotation.splitlines():
        parts = line.rstrip("\r").split("\t")
        if line.startswith("T") and len(parts) >= 2:
            kind, _, offsets = parts[1].strip().partition(" ")
            numbers = [int(n) for n in re.findall(r"\d+", offsets)]
            if len(numbers) >= 2 and numbers[-1] > numbers[0]:
                surface = parts[2] if len(parts) > 2 and ";" not in offsets else ""
                out.append((numbers[0], numbers[-1], _type(kind), parts[0], surface))
    return out


def parse_ann(doc_id: str, text: str, annotation: str) -> BratDocument:
    """Parse one ``.ann`` text.

    "Contains" may be an event (``E1 Contains:T3 Targ:T1 Cont:T2 Cont2:T4``) or a relation (``R1 Contains Arg1:T1
    Arg2:T2``). Roles ``Targ`` and ``Cont`` are taken at their word; under other names the type of the span decides, and
    where no span is a Target the first argument is. Spans outside the text and unknown line kinds are left out.
    """
    doc = BratDocument(doc_id, text)
    for a, b, kind, key, _ in _surfaces(annotation):
        if b <= len(text):
            doc.by_id[key] = Span(a, b, kind, text[a:b])
    for line in annotation.splitlines():
        parts = line.rstrip("\r").split("\t")
        if len(parts) < 2 or line[:1] not in "ER":
            continue
        words = parts[1].split()
        roles = [(r, v) for r, _, v in (w.partition(":") for w in words) if v]
        trigger = ""
        if line[0] == "E" and roles:
            name, trigger = roles.pop(0)
        else:
            name = words[0] if words else ""
        if _CONTAINS.fullmatch(name):
            doc.contains.append((trigger, *_arguments(doc, roles)))
    return doc


def _arguments(doc: BratDocument, roles: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Span ids of the targets and of the components of one Contains."""
    if any(re.fullmatch(r"(?i)(?:targ|cont)\d*", r) for r, _ in roles):
        targets = [v for r, v in roles if re.fullmatch(r"(?i)targ\d*", r)]
        return targets, [v for r, v in roles if re.fullmatch(r"(?i)cont\d*", r)]
    known = [v for _, v in roles if v in doc.by_id]
    targets = [v for v in known if doc.by_id[v].type == "Target"] or known[:1]
    return targets, [v for v in known if v not in targets]


def _texts(raw: bytes) -> list[str]:
    """The readings of a file, likeliest first: UTF-8 or UTF-16 by their marks, UTF-8, Windows-1252; lines as they are and
    with line feeds only (brat counts what its reader saw).
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        readings = [raw.decode("utf-16", errors="replace")]
    else:
        try:
            readings = [raw.decode("utf-8-sig"), raw.decode("utf-8")]
        except UnicodeDecodeError:
            readings = [raw.decode("cp1252", errors="replace"), raw.decode("utf-8", errors="replace")]
    return list(dict.fromkeys(x for r in readings for x in (r, r.replace("\r\n", "\n"))))


def read_text(raw: bytes, annotation: str = "") -> str:
    """The reading of `raw` under which most annotated spans have the words the annotation says they have."""
    surfaces = [(a, b, words) for a, b, _, _, words in _surfaces(annotation) if words]
    return max(_texts(raw), key=lambda text: sum(text[a:b] == words for a, b, words in surfaces))


def read_brat(directory: Path) -> list[BratDocument]:
    """All documents of a directory (``.txt`` with or without ``.ann``), sorted by name.

    Raises
    ------
    TextError
        The directory does not exist or holds no ``.txt``.
    """
    files = sorted(Path(directory).rglob("*.txt")) if Path(directory).is_dir() else []
    if not files:
        raise TextError(f"{directory} holds no .txt files. Give a folder of brat .txt and .ann files")
    out = []
    for file in files:
        ann = file.with_suffix(".ann")
        annotation = _texts(ann.read_bytes())[0] if ann.is_file() else ""
        out.append(parse_ann(file.stem, read_text(file.read_bytes(), annotation), annotation))
    return out
