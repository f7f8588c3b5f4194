"""Text ingest: files to documents, passages, facts and claims in the graph, with or without a language model.

One document after the other, one batch of passages a transaction. A passage carries the recipe it was written under, so
a run that was cut short goes on where it stopped: passages under the same recipe are not extracted, embedded or paid
for again. When a model's budget runs out, the run stops cleanly and says how to go on.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ...errors import BudgetError, TextError
from ...graph.model import Fact, IngestReport, Passage
from ...graph.text_writer import FactRow, PassageRow, TextWriter
from ...settings import Settings
from .facts import Extracted, extract_facts
from .grounding import Grounder, home_of
from .llm_facts import Schema, ask_facts, expected_tokens, load_schema, recipe
from .passages import split_passages
from .readers import SUFFIXES, Document, Segment, read_segments

if TYPE_CHECKING:
    from ...graph.connection import Database
    from ...llm.chat import ChatModel
    from ...llm.embed import Embedder

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int | None], None] | Callable[[str, int, int], None]
LEXICON_RECIPE = "lexicon@1"
BATCH = 64
MODEL_BATCH = 8
MAX_FAILURES_IN_A_ROW = 3


class TextReport(IngestReport):
    """Outcome of a text ingest. `files` counts documents; `estimate` is filled by a dry run."""

    passages: int = 0
    passages_kept: int = Field(0, description="passages that were there already, under the same recipe")
    facts: int = 0
    claims: int = 0
    dropped_quotes: int = 0
    dropped_entities: int = 0
    failed_passages: int = 0
    warnings: list[str] = Field(default_factory=list)
    method: str = LEXICON_RECIPE
    usage: dict[str, Any] = Field(default_factory=dict)
    cost: float = 0.0
    stopped: str | None = None
    estimate: dict[str, Any] = Field(default_factory=dict)


@dataclass
class _Run:
    """Everything one run works with."""

    settings: Settings
    db: Database | None
    embedder: Embedder | None
    chat: ChatModel | None
    schema: Schema
    method: str
    report: TextReport
    progress: Progress | None
    writer: TextWriter | None = None
    failed: set[str] = field(default_factory=set)
    in_a_row: int = 0
    grounder: Grounder = field(init=False)

    def __post_init__(self) -> None:
        self.grounder = Grounder(self.settings)


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
        from ...llm.embed import get_embedder

        embedder = get_embedder(settings)
    run = _Run(settings, db, embedder, chat, schema, method, report, progress)
    if db is not None:
        run.writer = TextWriter(db, run_id)
    for number, file in enumerate(files):
        if progress:
            progress("documents", number, len(files))
        try:
            for segments in _documents(file):
                _dry(run, segments) if dry_run or db is None else _document(run, segments)
        except TextError as exc:
            report.quarantined.append((str(file), str(exc)))
        except BudgetError as exc:
            report.stopped = f"{exc}. Run the same command again to go on; nothing is paid for twice"
            break
    if progress:
        progress("documents", len(files), len(files))
    _close(run, dry_run)
    report.seconds = round(time.perf_counter() - start, 3)
    return report


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


# ---------------------------------------------------------------- one document
def _document(run: _Run, segments: Iterator[Segment]) -> None:
    """Read, extract, embed and write one document."""
    assert run.db is not None
    assert run.writer is not None
    first = next(segments)
    doc = first.document
    known = {r["id"]: r for r in run.db.read("text_documents_state", ids=[doc.id])}.get(doc.id)
    run.report.files += 1
    if known and (known["sha256"], known["recipe"], known["state"]) == (doc.sha256, _recipe(run), "complete"):
        run.report.unchanged += 1
        for _ in segments:
            pass
        return
    properties = {
        "title": doc.title,
        "name": doc.title,
        "source_file": doc.source,
        "kind": doc.kind,
        "sha256": doc.sha256,
        "recipe": _recipe(run),
    }
    run.writer.begin(doc.id, properties, {"method": run.method, "kind": "text"})
    done = {r["id"] for r in run.db.read("text_passages_done", document_id=doc.id, recipe=_recipe(run))}
    keep: list[str] = []
    facts = dropped = 0
    for segment in _chain(first, segments):
        passages = split_passages(segment, len(keep), run.settings.text_passage_words)
        keep += [p.id for p in passages]
        added, lost = _segment(run, segment, passages, done)
        facts, dropped = facts + added, dropped + lost
    counts = {"passages": len(keep), "warnings": doc.warnings or None}
    state = "partial" if run.failed.intersection(keep) else "complete"
    run.writer.finish(doc.id, keep, {k: v for k, v in counts.items() if v is not None}, state=state)
    run.report.warnings += [f"{Path(doc.source).name}: {w}" for w in doc.warnings]
    if known is None:
        run.report.added += 1
    else:
        run.report.updated += 1


def _recipe(run: _Run) -> str:
    name = run.embedder.name if run.embedder else "-"
    return f"{run.method}|{name}|{run.settings.text_passage_words}"


def _chain(first: Segment, rest: Iterator[Segment]) -> Iterator[Segment]:
    yield first
    yield from rest


def _segment(run: _Run, segment: Segment, passages: list[Passage], done: set[str]) -> tuple[int, int]:
    """Extract and write one segment; (facts, dropped)."""
    todo = [p for p in passages if p.id not in done]
    run.report.passages_kept += len(passages) - len(todo)
    if not todo:
        return 0, 0
    base = segment.start
    found = extract_facts(segment.text, passages, segment.document.id, base=base, body=run.settings.body)
    counts = Counter(m.name for m in found.mentions if m.type == "Feature")
    home = home_of(found.features, counts)
    by_passage: dict[str, list[Fact]] = {}
    for fact in found.facts:
        by_passage.setdefault(fact.passage_id, []).append(fact)
    added = 0
    for lo in range(0, len(todo), BATCH if run.chat is None else MODEL_BATCH):
        part = todo[lo : lo + (BATCH if run.chat is None else MODEL_BATCH)]
        rows = _rows(run, part, by_passage, found, home)
        assert run.writer is not None
        run.writer.write(rows)
        added += sum(len(r.facts) for r in rows)
        if run.progress:
            run.progress("passages", run.report.passages, None)  # type: ignore[arg-type]
    run.report.dropped_quotes += found.dropped
    return added, found.dropped


def _rows(
    run: _Run, part: list[Passage], by_passage: dict[str, list[Fact]], found: Extracted, home: Any
) -> list[PassageRow]:
    assert run.embedder is not None
    facts: dict[str, list[Fact]] = {}
    stop: BudgetError | None = None
    written = part
    for i, p in enumerate(part):
        if run.chat is None:
            facts[p.id] = by_passage.get(p.id, [])
            continue
        try:
            facts[p.id] = _ask(run, p, found)
        except BudgetError as exc:
            stop, written = exc, part[:i]
            break
    vectors = run.embedder.embed([p.text for p in written])
    rows = []
    for p, vector in zip(written, vectors, strict=True):
        made: list[FactRow] = run.grounder.rows(facts[p.id], found.features, home)
        mark = _recipe(run) + ("|failed" if p.id in run.failed else "")
        rows.append(PassageRow(p, mark, vector.tolist(), run.embedder.name, tuple(made)))
    run.report.passages += len(rows)
    run.report.facts += sum(len(r.facts) for r in rows)
    run.report.claims += sum(len(f.fact.claims) for r in rows for f in r.facts)
    if stop is not None:
        if rows and run.writer is not None:
            run.writer.write(rows)
        raise stop
    return rows


def _ask(run: _Run, passage: Passage, found: Extracted) -> list[Fact]:
    """Facts of one passage by the model; its names become those of the lexicons and the gazetteer."""
    assert run.chat is not None
    answer = ask_facts(run.chat, passage, run.schema)
    run.report.dropped_quotes += answer.dropped_quotes
    run.report.dropped_entities += answer.dropped_entities
    if answer.failed is None:
        run.in_a_row = 0
    else:
        run.failed.add(passage.id)
        run.report.failed_passages += 1
        run.in_a_row += 1
        if run.in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise BudgetError(f"{run.in_a_row} passages in a row failed ({answer.failed})")
    here = {m.text.casefold(): (m.type, m.name) for m in found.mentions if passage.start <= m.start < passage.end}
    for fact in answer.facts:
        fact.entities = list(
            dict.fromkeys((role, *here.get(name.casefold(), (label, name))) for role, label, name in fact.entities)
        )
        for claim in fact.claims:
            claim.subject = here.get(claim.subject.casefold(), ("", claim.subject))[1]
            claim.property = here.get(claim.property.casefold(), ("", claim.property))[1]
    return answer.facts


# ---------------------------------------------------------------- dry run, end
def _dry(run: _Run, segments: Iterator[Segment]) -> None:
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


def _close(run: _Run, dry_run: bool) -> None:
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
