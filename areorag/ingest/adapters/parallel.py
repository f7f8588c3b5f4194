"""Many files in worker processes: bounded memory, a deadline for each file that ends the worker (issue "Ingest", Pipeline).

Workers are plain child interpreters fed over pipes, so neither forks of a threaded program nor a re-run of the user's
main module can happen. A worker that exceeds the deadline, or dies, is killed and replaced; its file gets a report.
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

from ...graph.model import FileReport
from .base import Context
from .reading import companion_report, discover, gather_context, is_label, root_of

logger = logging.getLogger(__name__)
DEFAULT_TIMEOUT_S = 30.0
STARTUP_S = 300.0
"""Seconds a child interpreter may take to import; a file's deadline begins when it is ready."""
SMALL_LABEL = 1 << 19
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
    deadline: float = 0.0
    buffer: bytearray = field(default_factory=bytearray)
    need: int | None = None
    ready: bool = True

    def feed(self) -> Any:
        """Take what has arrived; a complete message, or None. EOFError when the worker is gone."""
        assert self.process.stdout is not None
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError
        self.buffer += chunk
        if self.need is None and len(self.buffer) >= _HEADER.size:
            (self.need,) = _HEADER.unpack(self.buffer[: _HEADER.size])
            del self.buffer[: _HEADER.size]
        if self.need is None or len(self.buffer) < self.need:
            return None
        message = pickle.loads(bytes(self.buffer[: self.need]))
        del self.buffer[: self.need]
        self.need = None
        return message


class Pool:
    """A handful of workers; ``map`` yields (path, report, companions) in the order they finish."""

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
                if arrived and worker.feed() is not None:
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
        worker.job, worker.deadline = path, time.monotonic() + self.timeout_s if worker.ready else 0.0
        self._busy.append(worker)
        try:
            write_message(worker.process.stdin, str(path))
        except OSError:
            worker.deadline = 0.0
        return worker

    def map(self, files: Iterable[Path]) -> Iterator[tuple[Path, FileReport, list[Path]]]:
        """Read every file; at most one file a worker is in flight."""
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
        now = time.monotonic()
        soonest = min(w.deadline for w in self._busy)
        for key, _ in self._selector.select(max(0.0, min(soonest - now, 1.0))):
            worker: _Worker = key.data
            if worker not in self._busy or worker.job is None:
                continue
            try:
                message = worker.feed()
            except EOFError:
                yield self._lost(worker, "the reader process ended without an answer")
                continue
            if message is not None:
                job = worker.job
                worker.job = None
                self._busy.remove(worker)
                self._idle.append(worker)
                yield job, *message
        now = time.monotonic()
        for worker in [w for w in self._busy if w.deadline <= now]:
            slow = f"reading took longer than {self.timeout_s:g} s: stopped"
            yield self._lost(worker, slow if worker.ready else "the reader process did not start")

    def _lost(self, worker: _Worker, reason: str) -> tuple[Path, FileReport, list[Path]]:
        job = worker.job
        assert job is not None
        self._busy.remove(worker)
        self._end(worker)
        return job, FileReport(path=str(job), status="rejected", reason=reason), []


def iter_reports(
    paths: Iterable[str | Path] | str | Path,
    *,
    workers: int | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    root: Path | None = None,
    adapter: str | None = None,
    context: Context | None = None,
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
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files = discover(given)
    if not files:
        return
    if root is None:
        root = _common_root([root_of(Path(p), None) for p in given])
    context = context or gather_context(files, root)
    count = workers if workers is not None else max(1, min(8, os.cpu_count() or 1))
    small = [p for p in files if is_label(p, SMALL_LABEL)]
    labels = {_key(p) for p in small}
    rest = [p for p in files if _key(p) not in labels]
    owners: dict[Path, Path] = {}
    read: set[Path] = set()
    with Pool(min(count, len(files)), context, timeout_s, adapter) as pool:
        for batch in (small, rest):
            for path, report, companions in pool.map(p for p in batch if _key(p) not in owners):
                read.add(_key(path))
                for companion in companions:
                    if _key(companion) not in labels:
                        owners.setdefault(_key(companion), path)
                yield report
        for path in files:
            if _key(path) not in read:
                yield companion_report(path, owners[_key(path)], root)


def _key(path: Path) -> Path:
    return path.resolve()


def _common_root(roots: list[Path]) -> Path:
    unique = list(dict.fromkeys(r.resolve() for r in roots))
    if len(unique) == 1:
        return roots[0]
    return Path(os.path.commonpath([str(u) for u in unique]))
