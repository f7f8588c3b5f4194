"""Text ingest: files to documents, passages, facts and claims in the graph, with or without a language model.

A passage carries the recipe it was written under, so a run that was cut short goes on where it stopped: passages under
the same recipe are not extracted, embedded or paid for again. When a model's budget runs out, the run stops cleanly and
says how to go on.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BudgetError, TextError
from ...graph.text_writer import TextWriter
from ...settings import Settings
from .documents import LEXICON_RECIPE, Progress, Run, TextReport, flush, write_document
from .facts import extract_facts
from .llm_facts import expected_tokens, load_schema, recipe
from .passages import split_passages
from .readers import SUFFIXES, Document, Segment, read_segments

if TYPE_CHECKING:
    from ...graph.connection import Database
    from ...llm.chat import ChatModel
    from ...llm.embed import Embedder


def find_files(paths: Iterable[str | Path]) -> tuple[list[Path], int]:
    """Text files of the paths, sorted, and how many other files the folders hold. A file named is taken as it is."""
    files: set[Path] = set()
    other = 0
    for given in paths:
        path = Path(given)
        if path.is_dir():
            for file in sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith(".")):
                if file.suffix.lower() in SUFFIXES:
                    files.add(file)
                else:
                    other += 1
        else:
            files.add(path)
    return sorted(files), other


def ingest_text(
    db: Database | None,
    paths: Iterable[str | Path],
    settings: Settings,
    *,
    chat: ChatModel | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> TextReport:
    """Read texts into the graph.

    Parameters
    ----------
    db : the graph; may be None for a dry run
    chat : a language model for the facts; None takes lexicons and patterns
    progress : called with (what, done, total)
    dry_run : read and count only; with a model, estimate calls, tokens and price

    Returns
    -------
    TextReport
        A document that cannot be read is in `quarantined` with its reason; a run out of budget says so in `stopped`.

    Raises
    ------
    SettingsError
        The schema cannot be read.
    """
    start = time.perf_counter()
    schema = load_schema(settings.text_schema)
    method = recipe(schema, chat.name) if chat is not None else LEXICON_RECIPE
    files, other = find_files(paths)
    run_id = "text:" + hashlib.sha256(f"{method}|{[str(f) for f in files]}|{time.time_ns()}".encode()).hexdigest()[:12]
    report = TextReport(run_id=run_id, method=method)
    if other:
        report.warnings.append(f"{other} files of other kinds were left out")
    if not dry_run and embedder is None:
        from ...llm.embed import get_passage_embedder

        embedder = get_passage_embedder(settings)
    run = Run(settings, db, embedder, chat, schema, method, report, progress)
    if db is not None:
        run.writer = TextWriter(db, run_id, {"method": method, "kind": "text"})
    with run.pool:
        for number, file in enumerate(files):
            if progress:
                progress("documents", number, len(files))
            try:
                _file(run, file, dry_run or db is None)
            except TextError as exc:
                report.quarantined.append((str(file), str(exc)))
            except BudgetError as exc:
                report.stopped = f"{exc}. Run the same command again to go on; nothing is paid for twice"
                break
        flush(run)
        run.drain()
    if progress:
        progress("documents", len(files), len(files))
    _close(run, dry_run)
    report.seconds = round(time.perf_counter() - start, 3)
    return report


def _file(run: Run, file: Path, dry: bool) -> None:
    first: Document | None = None

    def seen(segments: Iterator[Segment]) -> Iterator[Segment]:
        nonlocal first
        for segment in segments:
            first = first or segment.document
            yield segment

    for segments in _documents(file):
        _dry(run, seen(segments)) if dry else write_document(run, seen(segments))
    if first is not None:
        run.warn(first)  # a corpus counts its bad lines only at its end


def _documents(file: Path) -> Iterator[Iterator[Segment]]:
    """The documents of one file, each as an iterator over its segments; consumed in order."""
    source = read_segments(file)
    pending: list[Segment] = []

    def one(first: Segment) -> Iterator[Segment]:
        segment = first
        while True:
            yield segment
            if segment.last:
                return
            segment = next(source)

    for segment in source:
        pending.append(segment)
        yield one(pending.pop())


# ---------------------------------------------------------------- dry run, end
def _dry(run: Run, segments: Iterator[Segment]) -> None:
    doc: Document | None = None
    for segment in segments:
        doc = segment.document
        passages = split_passages(segment, 0, run.settings.text_passage_words)
        run.report.passages += len(passages)
        if run.chat is not None:
            sizes = [expected_tokens(p, run.schema) for p in passages]
            e = run.report.estimate
            e["calls"] = e.get("calls", 0) + len(sizes)
            e["tokens_in"] = e.get("tokens_in", 0) + sum(a for a, _ in sizes)
            e["tokens_out"] = e.get("tokens_out", 0) + sum(b for _, b in sizes)
        else:
            found = extract_facts(segment.text, passages, doc.id, base=segment.start, body=run.settings.body)
            run.report.facts += len(found.facts)
            run.report.claims += sum(len(f.claims) for f in found.facts)
    run.report.files += doc is not None


def _close(run: Run, dry_run: bool) -> None:
    report, settings = run.report, run.settings
    if run.chat is not None:
        report.usage = run.chat.usage.as_dict()
        report.cost = round(run.chat.cost, 6)
    if report.estimate:
        e = report.estimate
        e["cost"] = round((e["tokens_in"] * settings.llm_price_in + e["tokens_out"] * settings.llm_price_out) / 1e6, 6)
    if not dry_run and run.db is not None and report.files:
        end = {"status": "stopped" if report.stopped else "done", "documents": report.files, "facts": report.facts}
        run.db.write("write_run_end", id=report.run_id, p=end)
