"""Columns that a PDS3 label keeps in a file of their own: ``^STRUCTURE = "CTX_INDEX.FMT"`` (PDS Standards Reference, ODL).

The statements of the file stand in for the pointer, as if they were in the label. PDS3 volumes keep such files beside
the label or in a ``LABEL`` folder of the volume; both are looked through, case ignored, never outside the ingest root.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import LabelError
from .odl import Block, ValueSet
from .pds3 import Label, read_label

MAX_NESTED = 4
"""A structure may name another; deeper than this (or in a circle) is refused."""
_POINTER = re.compile(r"\^STRUCTURE\b", re.I)


def include_structures(label: Label, path: Path, root: Path) -> None:
    """Put the statements of every structure file in place of its pointer.

    What cannot be found or read leaves the pointer where it is and a warning that says which columns are not known.

    Parameters
    ----------
    label : of the file at `path`; changed in place
    root : folder out of which nothing is read
    """
    if _POINTER.search(label.text):
        _include(label.root, label, path, root, ())


def _include(block: Block, label: Label, path: Path, root: Path, above: tuple[Path, ...]) -> None:
    items: list[tuple[str, Any]] = []
    for key, value in block.items:
        if key.upper() != "^STRUCTURE":
            if isinstance(value, Block):
                _include(value, label, path, root, above)
            items.append((key, value))
            continue
        name = _file_name(value)
        what = f"structure file {name} of {block.name or 'the label'}" if name else "a structure without a file name"
        found = find_beside(path, name, root) if name else None
        try:
            if found is None:
                raise LabelError(f"{what} is neither beside the label nor in a LABEL folder: its columns are not known")
            if found in above or len(above) >= MAX_NESTED:
                raise LabelError(f"{what} names itself or is nested too deep: left out")
            inner = Block(block.kind, block.name, list(_statements(found, found.stat().st_mtime_ns)))
        except (LabelError, OSError) as exc:
            label.warnings.append(str(exc) if isinstance(exc, LabelError) else f"{what} cannot be read: {exc.strerror}")
            items.append((key, value))
            continue
        _include(inner, label, path, root, (*above, found))
        items += inner.items
    block.items[:] = items


@lru_cache(maxsize=64)
def _statements(path: Path, changed_ns: int) -> tuple[tuple[str, Any], ...]:
    """Statements of a structure file (as it was when last changed); it needs no END."""
    structure = read_label(path)
    lost = [p for p in structure.problems if not p.startswith("no END")]
    if lost:
        raise LabelError(f"structure file {path.name}: {lost[0]}")
    return tuple(structure.root.items)


def missing_structures(root: Block) -> list[str]:
    """Names of the structure files that were not found, of the tables in a label."""
    names = (_file_name(b.get("^STRUCTURE")) for b in root.walk())
    return [name for name in names if name]


def _file_name(value: Any) -> str | None:
    if isinstance(value, list | tuple | ValueSet):
        value = next((v for v in value if isinstance(v, str)), None)
    return value.strip() if isinstance(value, str) and value.strip() else None


def find_beside(path: Path, name: str, root: Path) -> Path | None:
    """A file that a label names: beside it, else in a ``LABEL`` folder here or above, inside `root`; case ignored."""
    bare = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
    if bare in ("", ".", "..") or "\x00" in bare or len(bare) > 255:
        return None
    top = root.resolve()
    folder = path.parent
    found = _named(folder, bare)
    while found is None and folder.resolve().is_relative_to(top):
        labels = _named(folder, "label")
        found = _named(labels, bare) if labels is not None and labels.is_dir() else None
        if folder.resolve() == top or folder == folder.parent:
            break
        folder = folder.parent
    try:
        real = found.resolve(strict=True) if found is not None else None
    except (OSError, RuntimeError):
        return None
    return found if real is not None and real.is_file() and real.is_relative_to(top) else None


def _named(folder: Path, name: str) -> Path | None:
    try:
        hits = sorted(entry for entry in os.listdir(folder) if entry.lower() == name.lower())
    except OSError:
        return None
    return folder / (name if name in hits else hits[0]) if hits else None
