"""Documents of a text ingest on their way to the graph: which are new, what is in them, in which transaction it is written.

Small new documents are written together, up to `BATCH` passages in one transaction; a large, changed or model-read
document by itself, one batch of passages a transaction. Without a model, the database writes one batch while the next
is extracted and embedded.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ...errors import BudgetError
from ...graph.model import Fact, IngestReport, Passage
from ...graph.text_writer import DocumentRow, PassageRow, TextWriter
from ...settings import Settings
from .facts import Extracted, extract_facts
from .grounding import Grounder, home_of
from .llm_facts import Schema, ask_facts
from .passages import split_passages
from .readers import Document, Segment

if TYPE_CHECKING:
    import numpy as np

    from ...graph.connection import Database
    from ...llm.chat import ChatModel
    from ...llm.embed import Embedder
    from ...planet.gazetteer import Feature

Progress = Callable[[str, int, int | None], None] | Callable[[str, int, int], None]
LEXICON_RECIPE = "lexicon@2"
BATCH = 128
MODEL_BATCH = 8
MAX_FAILURES_IN_A_ROW = 3
MAX_PENDING = 3  # batches and the like
MOST_NAMED = 1000  # forgotten documents named in a report; all are counted


class TextReport(IngestReport):
    """Outcome of a text ingest. `files` counts documents; `estimate` is filled by a dry run."""

    passages: int = 0
    passages_kept: int = Field(0, description="passages that were there already, under the same recipe")
    removed: int = Field(0, description="documents of a corpus that its file holds no more")
    facts: int = 0
    claims: int = 0
    dropped_quotes: int = 0
    dropped_entities: int = 0
    failed_passages: int = Field(0, description="without a valid answer of the model: they keep what patterns find")
    warnings: list[str] = Field(default_factory=list)
    method: str = LEXICON_RECIPE
    usage: dict[str, Any] = Field(default_factory=dict)
    cost: float = 0.0
    stopped: str | None = None
    estimate: dict[str, Any] = Field(default_factory=dict)


@dataclass
class Run:
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
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "text-writer"))
    pending: deque[Future[None]] = field(default_factory=deque)
    bucket: list[tuple[Segment, list[Passage]]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    warned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.grounder = Grounder(self.settings)

    def later(self, step: Callable[..., None], *args: Any, **options: Any) -> None:
        """Write in the order of the calls, while the caller goes on; with a model, at once. Errors come up here."""
        self.pending.append(self.pool.submit(step, *args, **options))
        self.drain(0 if self.chat is not None else MAX_PENDING)

    def warn(self, doc: Document) -> None:
        """Put the document's warnings into the report, each once."""
        name = Path(doc.source).name
        said = [f"{name}: {w}" for w in doc.warnings] + [f"{name.split('#')[0]}: {w}" for w in doc.remarks]
        for line in said:
            if line not in self.warned:
                self.warned.add(line)
                self.report.warnings.append(line)

    def drain(self, left: int = 0) -> None:
        """Wait until at most `left` writes are under way."""
        while len(self.pending) > left:
            self.pending.popleft().result()


# ---------------------------------------------------------------- small documents, many at once
def write_document(run: Run, segments: Iterator[Segment]) -> None:
    """One document: into the bucket where it is small and no model reads it, else by itself."""
    first = next(segments)
    doc = first.document
    if doc.id in run.seen:
        flush(run)
        run.drain()
    run.seen.add(doc.id)
    run.report.files += 1
    if first.last and run.chat is None:
        passages = split_passages(first, 0, run.settings.text_passage_words)
        if len(passages) <= BATCH:
            run.bucket.append((first, passages))
            if sum(len(p) for _, p in run.bucket) >= BATCH:
                flush(run)
            return
    flush(run)
    known = states(run, [doc]).get(doc.id)
    if not settled(run, doc, known):
        _alone(run, _chain(first, segments), doc, known)
    for _ in segments:
        pass


def flush(run: Run) -> None:
    """Write the small documents collected so far: new ones together in one transaction, changed ones by themselves."""
    bucket, run.bucket = run.bucket, []
    if not bucket:
        return
    assert run.writer is not None
    stored = states(run, [first.document for first, _ in bucket])
    new: list[tuple[Segment, list[Passage]]] = []
    for first, passages in bucket:
        known = stored.get(first.document.id)
        if settled(run, first.document, known):
            continue
        if known is None or not known["there"]:
            new.append((first, passages))
        else:
            _alone(run, iter([first]), first.document, known)
    found = [_extract(run, first, passages) for first, passages in new]
    vectors = iter(_embed(run, [p for _, passages in new for p in passages]))
    rows: list[PassageRow] = []
    for (first, passages), made in zip(new, found, strict=True):
        here = list(itertools.islice(vectors, len(passages)))
        rows += _rows(run, first.document, passages, here, made)
        run.report.added += 1
        run.warn(first.document)
    if new:
        documents = [
            DocumentRow(f.document.id, _properties(run, f.document) | _counts(f.document, len(p))) for f, p in new
        ]
        run.later(run.writer.write_new, documents, rows)
    _progress(run)


def states(run: Run, documents: list[Document]) -> dict[str, dict[str, Any]]:
    """What the graph knows of the documents, by id; {} without a graph."""
    if run.db is None:
        return {}
    return {r["id"]: r for r in run.db.read("text_documents_state", ids=[d.id for d in documents])}


def settled(run: Run, doc: Document, known: dict[str, Any] | None) -> bool:
    """Whether there is nothing to do: the same content, read in the same way, or content that somebody forgot."""
    if known is None:
        return False
    if doc.sha256 in (known["forgotten"] or ()):
        run.report.forgotten += 1
        run.report.forgotten_ids += [doc.id] if len(run.report.forgotten_ids) < MOST_NAMED else []
        return True
    same = (known["sha256"], known["recipe"], known["state"]) == (doc.sha256, document_recipe(run), "complete")
    run.report.unchanged += same
    return same


def passages_done(run: Run, doc: Document, known: dict[str, Any] | None) -> set[str]:
    """Ids of the document's passages that are written under the run's recipe already."""
    if run.db is None or known is None or not known["there"]:
        return set()
    rows = run.db.read("text_passages_done", document_id=doc.id, recipe=_mark(run, doc))
    return {r["id"] for r in rows}


# ---------------------------------------------------------------- one document by itself
def _alone(run: Run, segments: Iterator[Segment], doc: Document, known: dict[str, Any] | None) -> None:
    """Read, extract, embed and write a document that is large, changed, or read by a model."""
    assert run.db is not None
    assert run.writer is not None
    done = passages_done(run, doc, known)
    run.later(run.writer.begin, DocumentRow(doc.id, _properties(run, doc)))
    keep: list[str] = []
    for segment in segments:
        passages = split_passages(segment, len(keep), run.settings.text_passage_words)
        keep += [p.id for p in passages]
        _segment(run, segment, passages, done)
    state = "partial" if run.failed.intersection(keep) else "complete"
    run.later(run.writer.finish, DocumentRow(doc.id, _counts(doc, len(keep))), keep, state=state)
    run.warn(doc)
    if known is None or not known["there"]:
        run.report.added += 1
    else:
        run.report.updated += 1


def _properties(run: Run, doc: Document) -> dict[str, Any]:
    return {
        "title": doc.title,
        "name": doc.title,
        "source_file": doc.source,
        "kind": doc.kind,
        "sha256": doc.sha256,
        "recipe": document_recipe(run),
    }


def _counts(doc: Document, passages: int) -> dict[str, Any]:
    return {"passages": passages} | ({"warnings": list(doc.warnings)} if doc.warnings else {})


def document_recipe(run: Run) -> str:
    """Names everything that decides what a document gives: method, embedder, length of passages."""
    name = run.embedder.name if run.embedder else "-"
    return f"{run.method}|{name}|{run.settings.text_passage_words}"


def _mark(run: Run, doc: Document) -> str:
    """What a passage is written under. Lexicons and patterns read a passage with its whole document in view, so there the
    document's content is part of it; a model sees the passage alone, and is not asked again when another one changes.
    """
    return document_recipe(run) + (f"|{doc.sha256[:16]}" if run.chat is None else "")


def _chain(first: Segment, rest: Iterator[Segment]) -> Iterator[Segment]:
    yield first
    yield from rest


@dataclass
class _Found:
    """What the patterns found in one segment, and where the document lies."""

    extracted: Extracted
    by_passage: dict[str, list[Fact]]
    home: Feature | None


def _extract(run: Run, segment: Segment, passages: list[Passage]) -> _Found:
    found = extract_facts(segment.text, passages, segment.document.id, base=segment.start, body=run.settings.body)
    counts = Counter(m.name for m in found.mentions if m.type == "Feature")
    by_passage: dict[str, list[Fact]] = {}
    for fact in found.facts:
        by_passage.setdefault(fact.passage_id, []).append(fact)
    run.report.dropped_quotes += found.dropped
    return _Found(found, by_passage, home_of(found.features, counts))


def _segment(run: Run, segment: Segment, passages: list[Passage], done: set[str]) -> None:
    """Extract and write one segment."""
    assert run.writer is not None
    todo = [p for p in passages if p.id not in done]
    run.report.passages_kept += len(passages) - len(todo)
    if not todo:
        return
    found = _extract(run, segment, passages)
    size = BATCH if run.chat is None else MODEL_BATCH
    for lo in range(0, len(todo), size):
        part, stop = todo[lo : lo + size], None
        if run.chat is not None:
            part, stop = _asked(run, part, found)
        rows = _rows(run, segment.document, part, _embed(run, part), found)
        if rows:
            run.later(run.writer.write, rows)
        if stop is not None:
            raise stop
        _progress(run)


def _embed(run: Run, passages: list[Passage]) -> np.ndarray:
    assert run.embedder is not None
    return run.embedder.embed([p.text for p in passages])


def _rows(
    run: Run, doc: Document, passages: list[Passage], vectors: Iterable[np.ndarray], found: _Found
) -> list[PassageRow]:
    assert run.embedder is not None
    rows = []
    for p, vector in zip(passages, vectors, strict=True):
        facts = run.grounder.rows(found.by_passage.get(p.id, []), found.extracted.features, found.home)
        mark = _mark(run, doc) + ("|failed" if p.id in run.failed else "")
        rows.append(PassageRow(p, mark, vector.tolist(), run.embedder.name, tuple(facts)))
    run.report.passages += len(rows)
    run.report.facts += sum(len(r.facts) for r in rows)
    run.report.claims += sum(len(f.fact.claims) for r in rows for f in r.facts)
    return rows


def _progress(run: Run) -> None:
    if run.progress:
        run.progress("passages", run.report.passages, None)  # type: ignore[arg-type]


# ---------------------------------------------------------------- with a model
def _asked(run: Run, part: list[Passage], found: _Found) -> tuple[list[Passage], BudgetError | None]:
    """Facts of the passages by the model, put in the place of those found; the passages that were answered, and why not
    all were.
    """
    for i, p in enumerate(part):
        try:
            facts = _ask(run, p, found.extracted)
            if facts is not None:
                found.by_passage[p.id] = facts
        except BudgetError as exc:
            return part[:i], exc
    return part, None


def _ask(run: Run, passage: Passage, found: Extracted) -> list[Fact] | None:
    """Facts of one passage by the model; its names become those of the lexicons and the gazetteer. None when it gave no
    valid answer: the passage then keeps what the patterns found, and is asked again by the next run.
    """
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
        return None
    here = {m.text.casefold(): (m.type, m.name) for m in found.mentions if passage.start <= m.start < passage.end}
    for fact in answer.facts:
        fact.entities = list(
            dict.fromkeys((role, *here.get(name.casefold(), (label, name))) for role, label, name in fact.entities)
        )
        for claim in fact.claims:
            claim.subject = here.get(claim.subject.casefold(), ("", claim.subject))[1]
            claim.property = here.get(claim.property.casefold(), ("", claim.property))[1]
    return answer.facts
