"""Adapters: any label, index table, catalogue reply or footprint file to observations (AreoRAG §III-B, Ada_*).

>>> from areorag.ingest.adapters import read_path
>>> reports = read_path("labels/")                                # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...graph.model import FileReport

__all__ = ["discover", "iter_reports", "read_path"]


def read_path(path: str | Path, *, root: str | Path | None = None, adapter: str | None = None) -> list[FileReport]:
    """Reports of a file, or of every file below a folder, read in this process.

    Parameters
    ----------
    path
        A file or folder.
    root
        Ingest root: pointers of labels stay inside it; default the folder, or the file's folder.
    adapter
        Name of one adapter to use; default by content.

    Returns
    -------
    list of FileReport
        One for each file; a data file that belongs to a label says so.
    """
    from .reading import Order, companion_report, discover, gather_context, read_file, root_of

    start = Path(path)
    base = root_of(start, Path(root) if root is not None else None)
    files = discover(start)
    context = gather_context(discover(base) if root is not None else files, base)
    order = Order(files)
    out: list[FileReport] = []
    for phase in order.phases:
        for file in order.waiting(phase):
            report, companions = read_file(file, context, adapter)
            order.note(file, companions)
            out.append(report)
    out += [companion_report(p, label, base) for p, label in order.left()]
    return sorted(out, key=lambda r: r.path)


def iter_reports(paths: Iterable[str | Path] | str | Path, **options: Any) -> Iterator[FileReport]:
    """Reports of many files, read in worker processes; see `parallel.iter_reports` for the options."""
    from .parallel import iter_reports as run

    return run(paths, **options)


def discover(paths: Iterable[str | Path] | str | Path) -> list[Path]:
    """Every regular file at or below the paths, sorted, each once."""
    from .reading import discover as find

    return find(paths)
