"""Files → graph: read in worker processes, written from one place, resumable, idempotent (AreoRAG §III-B).

Readers (a pool of processes, or a Dask cluster with ``scheduler``) only parse. This process computes coordinates,
cells, participants and embeddings for a batch while the batch before it is being written: at most two batches are in
memory. Each batch is one transaction; findings and co-locations follow. Killed anywhere, the same call completes the
work to the same graph; called again, it writes nothing.
"""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import AreoRAGError, LabelError, UsageError
from ..graph.connection import Database
from ..graph.decide import decide
from ..graph.install import file_lock
from ..graph.model import FileReport, IngestReport, Observation, well_formed
from ..graph.rows import HyperedgeRow, content_hash
from ..graph.writer import ObservationWriter, WriteReport, prepare
from .build import RowBuilder
from .findings import FindingsFile, attach, is_findings, place_findings, read_findings
from .journal import Journal, is_quarantined
from .paths import check_paths

if TYPE_CHECKING:
    from ..graph.colocation import Gathered
    from ..llm.embed import Embedder
    from ..settings import Settings

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]

_FLUSH_FILES = 500
MOST_GATHERED = 200_000
"""Observations of a run that co-location is handed in memory; of more it reads them from the graph."""
LONG_FILES, LONG_BYTES = 200, 4 << 20
"""From here on it pays to let the server get ready while the first files are read."""
FIRST_BATCH = 250
MOST_NAMED = 1000
"""Observations that stay forgotten are named up to this many; all are counted."""


def ingest_paths(
    db: Database,
    paths: Iterable[str | Path],
    settings: Settings,
    *,
    adapter: str | None = None,
    progress: Progress | None = None,
    scheduler: str | None = None,
    dry_run: bool = False,
    embedder: Embedder | None = None,
) -> IngestReport:
    """Ingest files and folders.

    Parameters
    ----------
    adapter : name of one adapter; default by content
    progress : ``progress(stage, done, total)``
    scheduler : address of a Dask scheduler that reads the files, or ``local`` for a cluster on this machine
    dry_run : read and compare, write nothing
    embedder : default that of the settings

    Returns
    -------
    IngestReport
        Observations added, updated (a new version, or computed anew), unchanged, and met again but forgotten before;
        files put aside, each with its reason.

    Raises
    ------
    UsageError
        A path does not exist or is a device or pipe, there is no file below the paths, or no adapter has that name.
    """
    begun = time.monotonic()
    given = check_paths(paths)
    if adapter is not None:
        from .adapters.registry import get_adapter

        get_adapter(adapter)
    files = _discover(given)
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(_one_ingest(db, settings))
        run = _Run(db, given, files, settings, adapter, progress, embedder, dry_run)
        stack.enter_context(_old_objects_left_alone())
        reports = _reports(given, files, settings, adapter, scheduler)
        if dry_run:
            run.compare(reports)
        else:
            run.write(reports)
        run.report.seconds = round(time.monotonic() - begun, 3)
        if not dry_run:
            run.close()
    return run.report


@contextmanager
def _old_objects_left_alone() -> Iterator[None]:
    """Spare the garbage collector the half million objects of modules and gazetteers at each of its full rounds."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _discover(given: Sequence[Path]) -> list[Path]:
    from .adapters import discover

    try:
        files = discover(given)
    except OSError as exc:
        raise UsageError(f"{exc.filename or 'a folder'} cannot be read ({exc.strerror})") from None
    if not files:
        raise UsageError(f"no file in {', '.join(str(p) for p in given)}; give a folder with labels")
    return files


def _one_ingest(db: Database, settings: Settings) -> Any:
    """One ingest into a database at a time on this machine; a second one waits. (Batches lock in the graph as well.)"""
    from ..graph.ids import short_hash

    return file_lock(settings.cache_dir.expanduser() / f"ingest-{short_hash(db.uri + db.database)}.lock")


def _reports(
    given: list[Path], files: list[Path], settings: Settings, adapter: str | None, scheduler: str | None
) -> Iterator[FileReport]:
    if scheduler is not None:
        from .cluster import cluster_reports

        return cluster_reports(given, scheduler, settings, adapter=adapter)
    from .adapters import iter_reports

    workers = min(settings.workers, len(files))
    return iter_reports(given, workers=workers, timeout_s=settings.file_timeout_s, adapter=adapter, parts=True)


def ingest_root(given: Sequence[Path]) -> Path:
    """The folder that paths in the graph are relative to: the one given, or what the given ones share."""
    import os

    roots = [path if path.is_dir() else path.parent for path in given]
    unique = list(dict.fromkeys(str(root.resolve()) for root in roots))
    return Path(unique[0] if len(unique) == 1 else os.path.commonpath(unique))


class _Run:
    """One call of `ingest_paths`: its journal, builder, writer and report."""

    def __init__(
        self,
        db: Database,
        given: list[Path],
        files: list[Path],
        settings: Settings,
        adapter: str | None,
        progress: Progress | None,
        embedder: Embedder | None,
        dry_run: bool,
    ) -> None:
        self.dry_run = dry_run
        if embedder is None and not dry_run:
            from ..llm.embed import get_embedder

            embedder = get_embedder(settings)
        self.db = db
        self.settings = settings
        self.progress = progress or (lambda stage, done, total: None)
        self.total = len(files)
        self.is_long = len(files) > LONG_FILES or sum(p.stat().st_size for p in files if p.exists()) > LONG_BYTES
        self.root = ingest_root(given)
        self.journal = Journal(db, given, adapter, settings, self.root)
        self.builder = RowBuilder(settings, embedder)
        self.writer = ObservationWriter(db, self.journal.run_id, run=self.journal.run, batch_size=settings.batch_size)
        self.report = IngestReport(run_id=self.journal.run_id)
        self.changed: set[str] = set(self.journal.left_over)
        self.gathered = None if dry_run else self._gathering()
        self.written = WriteReport()
        self.findings: list[FindingsFile] = []
        for path in (p for p in files if is_findings(p)):
            try:
                self.findings.append(read_findings(path))
            except LabelError as exc:
                log.info("%s", exc)
        self.finding_ids = {f.claim.id for source in self.findings for f in source.findings}

    def _gathering(self) -> Gathered | None:
        """Where the graph holds no observation yet, what is written is gathered for the co-locations at the end."""
        from ..graph.colocation import Gathered, rules_of

        return None if self.db.read("hysh_observation_count")[0]["n"] else Gathered(rules_of(self.settings))

    # ------------------------------------------------------------ reading
    def _observations(self, reports: Iterable[FileReport]) -> Iterator[Observation]:
        """Observations of the files as they come; notes each file, keeps claims of side files for later."""
        before: dict[str, int] = {}
        for report in reports:
            count = before.get(report.path, 0) + len(report.observations)
            observations, report.observations = report.observations[::-1], []
            if report.more:
                before[report.path] = count
                while observations:
                    yield self._own(observations.pop())
                continue
            self.report.files += 1
            self.journal.record(report, count)
            if is_quarantined(report):
                self.report.quarantined.append(well_formed((report.path, report.reason or "unreadable")))
            while observations:  # given out one by one, so that a long table is not held twice
                yield self._own(observations.pop())
            if not self.dry_run and self.report.files % _FLUSH_FILES == 0:
                self.journal.flush()
            self.progress("reading files", self.report.files, self.total)

    def _own(self, o: Observation) -> Observation:
        o = well_formed(o)
        if self.finding_ids and any(c.id in self.finding_ids for c in o.claims):
            return o.model_copy(update={"claims": [c for c in o.claims if c.id not in self.finding_ids]})
        return o

    def _batches(self, observations: Iterable[Observation]) -> Iterator[list[Observation]]:
        """The first batches are small, so that the server has something to do while the next ones are read."""
        batch: list[Observation] = []
        size = min(self.settings.batch_size, FIRST_BATCH)
        for o in observations:
            batch.append(o)
            if len(batch) >= size:
                yield batch
                batch, size = [], min(2 * size, self.settings.batch_size)
        if batch:
            yield batch

    # ------------------------------------------------------------ writing
    def write(self, reports: Iterable[FileReport]) -> None:
        """Read, build and write; a batch is built while the one before it is written."""
        pending: Future[WriteReport] | None = None
        written: list[HyperedgeRow] = []
        with ThreadPoolExecutor(1, thread_name_prefix="areorag-writer") as pool:
            if self.is_long:
                pool.submit(self.writer.warm)
            for batch in self._batches(self._observations(reports)):
                rows = self._rows(batch)
                done = pending.result() if pending else None
                pending = pool.submit(self.writer.write, rows, look_first=False)
                self._take(done, written)  # while the next one is on its way
                written = rows
            self._take(pending.result() if pending else None, written)
        self.report.quarantined.sort()
        self._write_findings()
        self.journal.flush()
        self._colocate()

    def _rows(self, batch: list[Observation]) -> list[HyperedgeRow]:
        """Rows of a batch without the unchanged ones' cost: what is known and current is not built again."""
        digests = {id(o): content_hash(o) for o in batch}
        states = {s["id"]: s for s in self.db.read("observation_states", ids=[o.id for o in batch])}
        recipe = HyperedgeRow(
            batch[0],
            hysh={"embedding_version": self._version()},
            embedder=None if self.builder.embedder is None else self.builder.embedder.name,
        ).recipe
        fresh = []
        for o in batch:
            state = states.get(o.id) or {}
            if digests[id(o)] in (state.get("forgotten") or ()):
                self._stays_forgotten(o.id)
                continue
            current = digests[id(o)] == state.get("content_hash")
            if digests[id(o)] in (state.get("known_hashes") or ()) and not (
                current and state.get("recipe") not in (recipe, f"-|{recipe.split('|')[1]}")
            ):
                self.report.unchanged += 1
            else:
                fresh.append(o)
        good = []
        for row in self.builder.build(fresh, [digests[id(o)] for o in fresh]):
            try:
                good.append(prepare(row))
            except AreoRAGError as exc:
                self.report.quarantined.append((row.observation.product.source_file or row.observation.id, str(exc)))
        return good

    def _stays_forgotten(self, *ids: str) -> None:
        """Count observations whose content somebody forgot: a tombstone stands, so they are not written."""
        self.report.forgotten += len(ids)
        self.report.forgotten_ids += ids[: max(0, MOST_NAMED - len(self.report.forgotten_ids))]

    def _version(self) -> str:
        from ..graph.hysh import closed_form_version

        return closed_form_version(self.settings)

    def _take(self, done: WriteReport | None, rows: list[HyperedgeRow]) -> None:
        if done is None:
            return
        self._gather(rows, done)
        self.written.add(done)
        self.changed.update(done.changed)
        self.report.added += done.added
        self.report.updated += done.updated
        self.report.unchanged += done.unchanged + done.kept
        self._stays_forgotten(*done.forgotten)
        self.progress("writing observations", self.report.added + self.report.updated + self.report.unchanged, 0)

    def _gather(self, rows: list[HyperedgeRow], done: WriteReport) -> None:
        """Keep what co-location needs of the rows just written, where the graph was empty before."""
        if self.gathered is None:
            return
        changed = set(done.changed)
        if len(self.gathered.ids) + len(rows) > MOST_GATHERED or len(changed) != len(done.changed):
            self.gathered = None
            return
        self.gathered.add(row for row in rows if row.observation.id in changed)

    def _write_findings(self) -> None:
        for source in self.findings:
            relative = self.journal.path_of(FileReport(path=str(source.path), status="ok"))
            attached, alone = place_findings(self.db, source, relative)
            rows = self.builder.build(alone)
            done = self.writer.write(rows)
            self._gather(rows, done)
            self.written.add(done)
            self.changed.update(done.changed)
            gained = attach(self.db, attached, self.builder, self.journal.run_id, self.journal.run)
            if gained:
                self.writer.run_written = True
            self.report.added += done.added
            self.report.updated += done.updated + len(set(gained) - set(self.written.changed))
            self.report.unchanged += done.unchanged + done.kept
            self._stays_forgotten(*done.forgotten)
            self.report.quarantined += [(str(source.path), problem) for problem in source.problems]
            self.progress("attaching findings", len(source.findings), len(source.findings))

    def _colocate(self) -> None:
        if not self.changed:
            return
        from ..graph.colocation import update_colocations

        self.progress("finding co-locations", 0, len(self.changed))
        update_colocations(self.db, self.changed, self.settings, gathered=self.gathered)
        self.progress("finding co-locations", len(self.changed), len(self.changed))

    def close(self) -> None:
        """Close the journal."""
        self.journal.finish(self.report, self.writer.run_written)

    # ------------------------------------------------------------ dry run
    def compare(self, reports: Iterable[FileReport]) -> None:
        """Count what writing would do."""
        for batch in self._batches(self._observations(reports)):
            states = {s["id"]: s for s in self.db.read("observation_states", ids=[o.id for o in batch])}
            for o in batch:
                action = decide(HyperedgeRow(o), content_hash(o), states.get(o.id)).action
                if action == "new":
                    self.report.added += 1
                elif action == "replace":
                    self.report.updated += 1
                elif action == "forgotten":
                    self._stays_forgotten(o.id)
                else:
                    self.report.unchanged += 1
        self.report.quarantined.sort()
