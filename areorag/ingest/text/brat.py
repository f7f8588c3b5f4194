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


def parse_ann(doc_id: str, text: str, annotation: str) -> BratDocument:
    """Parse one ``.ann`` text. A discontinuous span becomes its hull; unknown line kinds are left out."""
    doc = BratDocument(doc_id, text)
    for line in annotation.splitlines():
        parts = line.split("\t")
        if line.startswith("T") and len(parts) >= 2:
            kind, _, offsets = parts[1].partition(" ")
            numbers = [int(n) for n in re.findall(r"\d+", offsets)]
            if len(numbers) >= 2:
                a, b = numbers[0], numbers[-1]
                doc.by_id[parts[0]] = Span(a, b, kind, text[a:b])
        elif line.startswith("E") and len(parts) >= 2:
            roles = [r.split(":", 1) for r in parts[1].split() if ":" in r]
            if roles and roles[0][0] == "Contains":
                targets = [v for r, v in roles[1:] if re.fullmatch(r"Targ\d*", r)]
                components = [v for r, v in roles[1:] if re.fullmatch(r"Cont\d*", r)]
                doc.contains.append((roles[0][1], targets, components))
    return doc


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
        text = file.read_bytes().decode("utf-8", errors="replace")
        ann = file.with_suffix(".ann")
        out.append(parse_ann(file.stem, text, ann.read_text("utf-8", errors="replace") if ann.is_file() else ""))
    return out
