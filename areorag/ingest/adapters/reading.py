"""One file to its report, in this process: choose an adapter, read, turn every refusal into a reason (AreoRAG §III-B)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from ...errors import LabelError, RejectedFileError
from ...graph.model import FileReport, Observation
from . import localisation
from .base import Context, Result, Source
from .registry import choose, get_adapter

logger = logging.getLogger(__name__)
MAX_REASON = 600
SMALL_LABEL = 1 << 19


def discover(paths: Iterable[str | Path] | str | Path) -> list[Path]:
    """Every regular file at or below the paths, sorted, each once; folders are not followed through links."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    out: dict[Path, None] = {}
    for item in given:
        path = Path(item)
        if path.is_dir():
            for found in sorted(path.rglob("*")):
                if found.is_file() and not any(part.is_symlink() for part in _between(path, found)):
                    out.setdefault(found)
        elif path.exists():
            out.setdefault(path)
    return list(out)


def _between(root: Path, path: Path) -> list[Path]:
    return [p for p in path.parents if p != root and root in p.parents]


def root_of(path: Path, root: Path | None) -> Path:
    """Ingest root of a path: as given, else the folder itself or the file's folder."""
    if root is not None:
        return root
    return path if path.is_dir() else path.parent


def gather_context(files: Iterable[Path], root: Path) -> Context:
    """Rover positions among the files of an ingest."""
    return Context(root, localisation.gather(files, root, Source))


def _refused(source: Source, adapter: str | None, reason: str, digest: bool = True) -> FileReport:
    sha256 = None
    if digest:
        try:
            sha256 = source.sha256
        except LabelError:
            sha256 = None
    return FileReport(
        path=str(source.path), status="rejected", reason=reason[:MAX_REASON], adapter=adapter, sha256=sha256
    )


def read_file(path: Path, context: Context, adapter: str | None = None) -> tuple[FileReport, list[Path]]:
    """Report of one file and the companions read with it. Never raises: what goes wrong is the report's reason."""
    *before, (report, companions) = read_in_parts(path, context, adapter)
    if before:
        observations = [o for part, _ in before for o in part.observations] + report.observations
        report = report.model_copy(update={"observations": observations})
    return report, companions


def read_in_parts(path: Path, context: Context, adapter: str | None = None) -> Iterator[tuple[FileReport, list[Path]]]:
    """Reports of one file: any number with ``more`` set, then the last, whose status and reason hold for the file.

    Nothing is raised. What goes wrong before the first observation rejects the file; what goes wrong later leaves it
    partial, since what came before is taken already.
    """
    source = Source(path, context.root)
    name = adapter
    held: list[Observation] = []
    given = 0
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(context.root.resolve()):
            yield _refused(source, None, "a symbolic link that leaves the ingest root: not followed", False), []
            return
        chosen = get_adapter(adapter) if adapter else choose(source)
        name = chosen.name
        result: Result = chosen.read(source, context)
        held = result.observations
        for batch in result.batches or ():
            if held:
                given += len(held)
                yield FileReport(path=str(path), status="ok", adapter=name, observations=held, more=True), []
            held = batch
    except Exception as exc:  # noqa: BLE001 - a third party's adapter may raise anything; `_reason` logs what is new
        reason = _reason(exc, name, path)
        report = _refused(source, name, reason)
        if given or held:
            report.status, report.observations = "partial", held
            report.reason = f"read up to observation {given + len(held)}, then: {reason}"[:MAX_REASON]
        yield report, []
        return
    yield FileReport(
        path=str(path), status=result.status, reason=(result.reason or None) and str(result.reason)[:MAX_REASON],
        adapter=name, observations=held, sha256=source.sha256,
    ), result.companions  # fmt: skip


def _reason(exc: Exception, name: str | None, path: Path) -> str:
    """Why a file could not be read, in plain words; the trace of what nobody foresaw goes to the log."""
    if isinstance(exc, RejectedFileError | LabelError):
        return str(exc)
    if isinstance(exc, ValidationError):
        first = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"])
        return f"values that make no observation: {where}: {first['msg']}"
    if isinstance(exc, RecursionError):
        return "nested too deep to be read"
    logger.error("adapter %s failed on %s", name, path, exc_info=exc)
    return f"could not be read ({type(exc).__name__}: {str(exc)[:200]})"


def companion_report(path: Path, label: Path, root: Path) -> FileReport:
    """Report of a data file that was counted with its label."""
    source = Source(path, root)
    try:
        digest = source.sha256
    except LabelError:
        digest = None
    return FileReport(
        path=str(path),
        status="ok",
        reason=f"data file of {label.name}: counted with its label",
        adapter=None,
        sha256=digest,
    )


class Order:
    """In which order the files of an ingest are read, and which data file counts with which label.

    Short labels come first, then long ones (attached to their data), then the rest, so that what a label's data are is
    known before they would be read by themselves. Of several labels that name a file the first by name owns it,
    whichever was read first: two readers at work give the same reports as one.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = list(files)
        short = [p for p in self.files if is_label(p, SMALL_LABEL)]
        self._short = {p.resolve() for p in short}
        long = [p for p in self.files if p.resolve() not in self._short and is_label(p, None)]
        self._long = {p.resolve() for p in long}
        labels = self._short | self._long
        self.phases = (short, long, [p for p in self.files if p.resolve() not in labels])
        self._owners: dict[Path, Path] = {}
        self._read: set[Path] = set()

    def waiting(self, phase: Iterable[Path]) -> Iterator[Path]:
        """Files of a phase that count with no label so far."""
        return (p for p in phase if p.resolve() not in self._owners)

    def note(self, path: Path, companions: Iterable[Path]) -> None:
        """A file was read, and these with it."""
        own = path.resolve()
        self._read.add(own)
        for companion in companions:
            key = companion.resolve()
            if key not in self._short and (key not in self._long or own in self._short):
                self._owners[key] = min(path, self._owners.get(key, path))

    def left(self) -> Iterator[tuple[Path, Path]]:
        """(file, its label) of the files that were not read by themselves."""
        return ((p, self._owners[p.resolve()]) for p in self.files if p.resolve() not in self._read)


def is_label(path: Path, limit: int | None) -> bool:
    """Whether a file is a label by content and no longer than `limit` bytes (longer ones may be data with a label)."""
    from .sniff import sniff

    try:
        if limit is not None and path.stat().st_size > limit:
            return False
        with path.open("rb") as stream:
            head = stream.read(1 << 14)
    except OSError:
        return False
    return b"\x00" not in head[:4096] and sniff(head) in ("pds3", "pds4", "isis")
