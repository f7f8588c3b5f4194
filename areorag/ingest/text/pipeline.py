"""Text ingest: files to documents, passages, facts and claims in the graph, with or without a language model.

A passage carries the recipe it was written under, so a run that was cut short goes on where it stopped: passages under
the same recipe are not extracted, embedded or paid for again. When a model's budget runs out, the run stops cleanly and
says how to go on.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BudgetError, TextError
from ...graph.text_writer import TextWriter, delete_documents
from ...settings import Settings
from .documents import LEXICON_RECIPE, Progress, Run, TextReport, flush, passages_done, settled, states, write_document
from .facts import extract_facts
from .llm_facts import expected_tokens, load_schema, recipe
from .passages import split_passages
from .readers import SUFFIXES, Document, Segment, document_id, read_segments

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
    if first is None:
        return
    run.warn(first)  # a corpus counts its bad lines only at its end
    if first.kind == "jsonl" and not dry:
        _drop_missing(run, file, first)


def _drop_missing(run: Run, file: Path, first: Document) -> None:
    """Remove the documents that a corpus held before and holds no more; where lines cannot be read, they may be these."""
    assert run.db is not None
    here = document_id(file)
    missing = [r["id"] for r in run.db.read("text_documents_named", ids=[here]) if r["id"] not in run.seen]
    if missing and not first.whole:
        run.report.warnings.append(
            f"{file.name}: {len(missing):,} documents of before are not in it and were kept, as some of its lines cannot be "
            "read"
        )
    elif missing:
        flush(run)
        run.drain()
        run.report.removed += delete_documents(run.db, missing)


def _documents(file: Path) -> Iterator[Iterator[Segment]]:
    """The documents of one file, each as an iterator over its segments; consumed in order."""
    source = read_segments(file)

    def one(first: Segment) -> Iterator[Segment]:
        segment = first
        while True:
            yield segment
            if segment.last:
                return
            segment = next(source)

    for first in source:
        yield one(first)


# ---------------------------------------------------------------- dry run, end
def _dry(run: Run, segments: Iterator[Segment]) -> None:
    """Count one document; what is in the graph already, under the same recipe, costs nothing and is not counted."""
    first = next(segments)
    doc = first.document
    run.report.files += 1
    known = states(run, [doc]).get(doc.id)
    if settled(run, doc, known):
        for _ in segments:
            pass
        return
    done = passages_done(run, doc, known)
    for segment in itertools.chain([first], segments):
        passages = split_passages(segment, 0, run.settings.text_passage_words)
        todo = [p for p in passages if p.id not in done]
        run.report.passages += len(todo)
        run.report.passages_kept += len(passages) - len(todo)
        if run.chat is not None:
            _estimate(run, [expected_tokens(p, run.schema) for p in todo])
        elif todo:
            found = extract_facts(segment.text, passages, doc.id, base=segment.start, body=run.settings.body)
            run.report.facts += len(found.facts)
            run.report.claims += sum(len(f.claims) for f in found.facts)


def _estimate(run: Run, sizes: list[tuple[int, int]]) -> None:
    e = run.report.estimate
    for name, more in (
        ("calls", len(sizes)),
        ("tokens_in", sum(a for a, _ in sizes)),
        ("tokens_out", sum(b for _, b in sizes)),
    ):
        e[name] = e.get(name, 0) + more


def _finish_estimate(run: Run) -> None:
    """Price, runs and time of what was counted; the limits are those of one run."""
    e, s = run.report.estimate, run.settings
    tokens = e["tokens_in"] + e["tokens_out"]
    e["cost"] = round((e["tokens_in"] * s.llm_price_in + e["tokens_out"] * s.llm_price_out) / 1e6, 6)
    e["max_calls"], e["max_tokens"] = s.llm_max_calls, s.llm_max_tokens
    shares = [n / limit for n, limit in ((e["calls"], s.llm_max_calls), (tokens, s.llm_max_tokens)) if limit]
    e["runs"] = math.ceil(max(shares)) if len(shares) == 2 else None
    if s.llm_per_minute:
        e["minutes"] = round(e["calls"] / s.llm_per_minute, 1)


def _close(run: Run, dry_run: bool) -> None:
    report = run.report
    if run.chat is not None:
        report.usage = run.chat.usage.as_dict()
        report.cost = round(run.chat.cost, 6)
    if report.estimate:
        _finish_estimate(run)
    if not dry_run and run.db is not None and report.files:
        end = {"status": "stopped" if report.stopped else "done", "documents": report.files, "facts": report.facts}
        run.db.write("write_run_end", id=report.run_id, p=end)
