"""Many files in worker processes: bounded memory, a deadline for each file that ends the worker (issue "Ingest", Pipeline).

Workers are plain child interpreters fed over pipes, so neither forks of a threaded program nor a re-run of the user's
main module can happen. A worker that exceeds the deadline, or dies, is killed and replaced; its file gets a report. A
long table comes in parts, each with its own deadline; a worker that is ahead of its reader waits at a full pipe, and
that time is not counted.
"""

from __future__ import annotations

import logging
import os
import pickle
import select
import selectors
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...graph.model import FileReport, Observation
from .base import Context, Status
from .reading import Order, companion_report, discover, gather_context, root_of

logger = logging.getLogger(__name__)
DEFAULT_TIMEOUT_S = 30.0
STARTUP_S = 300.0
"""Seconds a child interpreter may take to import; a file's deadline begins when it is ready."""
_HEADER = struct.Struct(">Q")
MAX_MESSAGE = 1 << 33


def write_message(stream: Any, value: Any) -> None:
    """Write one length-prefixed pickle."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_HEADER.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_message(stream: Any) -> Any:
    """Read one length-prefixed pickle; EOFError when the other side is gone."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise EOFError
    (size,) = _HEADER.unpack(header)
    if size > MAX_MESSAGE:
        raise EOFError
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    job: Path | None = None
    left_s: float = 0.0
    """Seconds that may still be spent waiting for its next answer."""
    given: int = 0
    """Observations of the job that were handed on already."""
    buffer: bytearray = field(default_factory=bytearray)
    ready: bool = True

    def feed(self) -> list[Any]:
        """Take what has arrived; the complete messages. EOFError when the worker is gone."""
        assert self.process.stdout is not None
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError
        self.buffer += chunk
        messages, at = [], 0
        while len(self.buffer) - at >= _HEADER.size:
            (need,) = _HEADER.unpack_from(self.buffer, at)
            end = at + _HEADER.size + need
            if len(self.buffer) < end:
                break
            with memoryview(self.buffer) as view:
                messages.append(pickle.loads(view[at + _HEADER.size : end]))
            at = end
        del self.buffer[:at]
        return messages


class Pool:
    """A handful of workers; ``map`` yields (path, report, companions) in the order they come."""

    def __init__(self, workers: int, context: Context, timeout_s: float, adapter: str | None) -> None:
        self.context = context
        self.timeout_s = timeout_s
        self.adapter = adapter
        self._selector = selectors.DefaultSelector()
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []
        self.size = max(1, workers)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in [*self._idle, *self._busy]:
            self._end(worker)
        self._selector.close()

    def _start(self) -> _Worker:
        package_root = str(Path(__file__).resolve().parents[3])
        path = os.pathsep.join([package_root, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)])
        env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "areorag.ingest.adapters.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=1 << 16,
        )  # fmt: skip
        worker = _Worker(process)
        write_message(process.stdin, (self.context, self.adapter))
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        worker.ready = self._is_ready(worker)
        return worker

    @staticmethod
    def _is_ready(worker: _Worker) -> bool:
        """Wait for the child's first message, which says that it has imported everything."""
        assert worker.process.stdout is not None
        end = time.monotonic() + STARTUP_S
        while (left := end - time.monotonic()) > 0:
            arrived, _, _ = select.select([worker.process.stdout], [], [], left)
            try:
                if arrived and worker.feed():
                    return True
            except EOFError:
                return False
        return False

    def _end(self, worker: _Worker) -> None:
        process = worker.process
        if process.stdout is not None:
            self._selector.unregister(process.stdout)
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    logger.debug("pipe of worker %d was already closed", process.pid)
        process.wait()

    def _send(self, path: Path) -> _Worker:
        worker = self._idle.pop() if self._idle else self._start()
        worker.job, worker.left_s, worker.given = path, self.timeout_s if worker.ready else 0.0, 0
        self._busy.append(worker)
        try:
            write_message(worker.process.stdin, str(path))
        except OSError:
            worker.left_s = 0.0
        return worker

    def map(self, files: Iterable[Path]) -> Iterator[tuple[Path, FileReport, list[Path]]]:
        """Read every file; at most one file a worker is in flight. A file's last report is the one without ``more``."""
        waiting = iter(files)
        exhausted = False
        while True:
            while not exhausted and len(self._busy) < self.size:
                path = next(waiting, None)
                if path is None:
                    exhausted = True
                else:
                    self._send(path)
            if not self._busy:
                return
            yield from self._collect()

    def _collect(self) -> Iterator[tuple[Path, FileReport, list[Path]]]:
        begun = time.monotonic()
        soonest = min(w.left_s for w in self._busy)
        arrived = self._selector.select(max(0.0, min(soonest, 1.0)))
        spent = time.monotonic() - begun  # only waiting counts: what the caller does in between is not the worker's
        for worker in self._busy:
            worker.left_s -= spent
        answers: list[tuple[Path, FileReport, list[Path]]] = []
        for key, _ in arrived:
            worker = key.data
            if worker not in self._busy or worker.job is None:
                continue
            try:
                messages = worker.feed()
            except EOFError:
                answers.append(self._lost(worker, "the reader process ended without an answer"))
                continue
            for report, companions in messages:
                answers.append((worker.job, report, companions))
                worker.left_s = self.timeout_s
                worker.given += len(report.observations)
                if not report.more:
                    self._busy.remove(worker)
                    self._idle.append(worker)
        for worker in [w for w in self._busy if w.left_s <= 0.0]:
            slow = f"reading took longer than {self.timeout_s:g} s: stopped"
            answers.append(self._lost(worker, slow if worker.ready else "the reader process did not start"))
        yield from answers

    def _lost(self, worker: _Worker, reason: str) -> tuple[Path, FileReport, list[Path]]:
        job = worker.job
        assert job is not None
        self._busy.remove(worker)
        self._end(worker)
        if worker.given:
            reason = f"read up to observation {worker.given}, then: {reason}"
        status: Status = "partial" if worker.given else "rejected"
        return job, FileReport(path=str(job), status=status, reason=reason), []


def iter_reports(
    paths: Iterable[str | Path] | str | Path,
    *,
    workers: int | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    root: Path | None = None,
    adapter: str | None = None,
    context: Context | None = None,
    parts: bool = False,
) -> Iterator[FileReport]:
    """A report for every file at or below the paths, as they finish; labels first, so that their data files count with them.

    Parameters
    ----------
    paths
        Files and folders.
    workers
        Processes; default one a CPU, at most 8.
    timeout_s
        Seconds a file may take before its reader is killed.
    root
        Ingest root, out of which no file pointer leads; default the first folder given, or the folder of the file.
    adapter
        Name of the adapter to use for every file; default by content.
    context
        Rover positions; default those found among the files.
    parts
        Give a long table as it comes: reports with ``more`` set, and a last one with the rest. Else whole.
    """
    reports = _reports(paths, workers, timeout_s, root, adapter, context)
    return reports if parts else _whole(reports)


def _whole(reports: Iterator[FileReport]) -> Iterator[FileReport]:
    """One report a file."""
    before: dict[str, list[Observation]] = {}
    for report in reports:
        if report.more:
            before.setdefault(report.path, []).extend(report.observations)
        elif report.path in before:
            yield report.model_copy(update={"observations": before.pop(report.path) + report.observations})
        else:
            yield report


def _reports(
    paths: Iterable[str | Path] | str | Path,
    workers: int | None,
    timeout_s: float,
    root: Path | None,
    adapter: str | None,
    context: Context | None,
) -> Iterator[FileReport]:
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files = discover(given)
    if not files:
        return
    if root is None:
        root = _common_root([root_of(Path(p), None) for p in given])
    context = context or gather_context(files, root)
    count = workers if workers is not None else max(1, min(8, os.cpu_count() or 1))
    order = Order(files)
    with Pool(min(count, len(files)), context, timeout_s, adapter) as pool:
        for phase in order.phases:
            for path, report, companions in pool.map(order.waiting(phase)):
                order.note(path, companions)
                yield report
        for path, label in order.left():
            yield companion_report(path, label, root)


def _common_root(roots: list[Path]) -> Path:
    unique = list(dict.fromkeys(r.resolve() for r in roots))
    if len(unique) == 1:
        return roots[0]
    return Path(os.path.commonpath([str(u) for u in unique]))
