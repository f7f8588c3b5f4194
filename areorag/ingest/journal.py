"""The journal of ingest, kept in the graph: runs, files with their outcome, and what a killed run left to do.

A run is a node ``:IngestRun``, made with the first thing it writes; a run over unchanged files writes nothing at all.
A run that was cut short stays ``running``; the same ingest, run again, goes on under its id, so that the graph ends the
same as without the cut. Files are ``:File`` nodes by path and content, with status and reason: the quarantine list.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graph.model import FileReport, IngestReport, well_formed

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..settings import Settings

_NO_OBSERVATION = "of its own"


def job_key(paths: Sequence[Path], adapter: str | None) -> str:
    """Names an ingest: the same paths and adapter give the same key, so that a cut run is found again."""
    text = json.dumps([sorted(str(p.resolve()) for p in paths), adapter])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_version() -> str:
    """Version of the installed package."""
    try:
        return version("areorag")
    except PackageNotFoundError:
        return "unknown"


def is_quarantined(report: FileReport) -> bool:
    """Whether a file is put aside as bad; one that serves others (positions, findings) is not."""
    return report.status == "rejected" and _NO_OBSERVATION not in (report.reason or "")


class Journal:
    """The journal of one run.

    Attributes
    ----------
    run_id : id of the run: that of a cut run with the same key, else a new one
    left_over : ids of observations that cut runs wrote and whose co-locations may be missing
    """

    def __init__(
        self, db: Database, paths: Sequence[Path], adapter: str | None, settings: Settings, root: Path
    ) -> None:
        self._db = db
        self._root = root
        key = job_key(paths, adapter)
        cut = db.read("runs_cut_short")
        same = [run["id"] for run in cut if run["key"] == key]
        now = datetime.now(UTC)
        self.run_id = same[0] if same else f"run-{now:%Y%m%dT%H%M%S}-{key[:6]}{secrets.token_hex(2)}"
        self.resumed = bool(same)
        self._cut = [run["id"] for run in cut]
        self.left_over = {row["id"] for row in db.read("observations_of_runs", runs=self._cut)} if cut else set()
        self.run: dict[str, Any] = {
            "name": f"ingest {now:%Y-%m-%d %H:%M}",
            "key": key,
            "started": now,
            "paths": well_formed([str(p) for p in paths]),
            "areorag": code_version(),
            "embedder": settings.embedder,
            "curvature": settings.curvature,
            "dim": settings.embedding_dim,
        }
        self._files: dict[str, dict[str, Any]] = {}
        self._wrote_files = False

    def path_of(self, report: FileReport) -> str:
        """Path of a file below the ingest root."""
        path = Path(report.path)
        with contextlib.suppress(ValueError):
            path = path.resolve().relative_to(self._root.resolve())
        return str(well_formed(path.as_posix()))

    def record(self, report: FileReport, observations: int) -> None:
        """Note what became of a file, and how many observations it gave; `flush` writes it."""
        path = self.path_of(report)
        status = "quarantined" if is_quarantined(report) else ("used" if report.status == "rejected" else report.status)
        properties = {
            "path": path,
            "name": Path(path).name,
            "sha256": report.sha256,
            "status": status,
            "reason": well_formed(report.reason),
            "adapter": report.adapter,
            "observations": observations,
        }
        key = f"{path}#{(report.sha256 or '-')[:12]}"
        self._files[key] = {name: value for name, value in properties.items() if value is not None}

    def flush(self) -> None:
        """Write the noted files that the graph does not know as they are now."""
        if not self._files:
            return
        known = {row["id"]: row["file"] for row in self._db.read("files_by_id", ids=sorted(self._files))}
        rows = []
        for key in sorted(self._files):
            old = {name: value for name, value in known.get(key, {}).items() if name != "id"}
            if old != self._files[key]:
                rows.append({"id": key, "p": {"id": key, **self._files[key]}})
        if rows:
            self._db.write("write_files", rows=rows, run=self.run_id, p=self.run)
            self._wrote_files = True
        self._files.clear()

    def finish(self, report: IngestReport, wrote: bool) -> None:
        """Close the run, and those that were cut short; nothing is written where nothing was."""
        self.flush()
        closing = set(self._cut) | ({self.run_id} if wrote or self._wrote_files or self.resumed else set())
        for run in sorted(closing):
            properties: dict[str, Any] = {"status": "done", "finished": datetime.now(UTC)}
            if run == self.run_id:
                properties |= {
                    "files": report.files,
                    "added": report.added,
                    "updated": report.updated,
                    "unchanged": report.unchanged,
                    "quarantined": len(report.quarantined),
                    "seconds": report.seconds,
                }
            self._db.write("write_run_end", id=run, p=properties)


def quarantine(db: Database) -> list[dict[str, Any]]:
    """Files that were put aside: ``{path, reason, sha256}``."""
    return db.read("files_quarantined")
