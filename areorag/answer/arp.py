"""The ARP procedure (AreoRAG Algorithm 1): retrieve, triage, build the differential context, answer, keep everything.

One `Asker` holds the parts that stay warm between questions. What it returns is the whole record (`Answer`): the
sentences, their sources, the conflicts with their physics, and the trace of how it came about.
"""

from __future__ import annotations

import functools
import importlib.metadata
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..graph.connection import Database
from ..graph.model import Observation
from ..settings import Settings
from ..triage.recalibration import normalised
from .compose import compose, quote, relevant, topics
from .model import Answer, ConflictView, Sentence, Source, Trace
from .store import save
from .views import conflict_view, fact_source, passage_source, source_of

if TYPE_CHECKING:
    from ..llm.chat import ChatModel
    from ..llm.embed import Embedder
    from ..retrieval.engine import Retrieval, Retriever
    from ..retrieval.intent.model import SpatialIntent
    from ..retrieval.reasoning import ReasoningResult
    from ..retrieval.texts import Text
    from ..triage.pict import Triage, Verdict

MAX_PARTNERS = 6
MAX_PASSAGES = 3
MAX_STATED = 24  # text facts that triage compares with the evidence
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHOWN_SETTINGS = ("body", "curvature", "embedding_dim", "spatial_share", "oem_power", "k", "lambda_spatial", "pool",
                   "selector", "tau0", "tau_decay", "max_depth", "epsilon", "eta", "beta", "beta_temp", "tau_temp_deg",
                   "alpha", "abstain_below", "embedder", "llm", "feedback")  # fmt: skip


@dataclass
class Chosen:
    """An observation that goes into the answer, with its retrieval scores."""

    observation: Observation
    score: float = 0.0
    scores: dict[str, float] = field(default_factory=dict)
    added: bool = False


class Asker:
    """Retriever, triage and (where one is configured) a language model over one database."""

    def __init__(self, db: Database, settings: Settings, embedder: Embedder) -> None:
        self.db, self.settings, self.embedder = db, settings, embedder

    @functools.cached_property
    def retriever(self) -> Retriever:
        """Spatiotemporal retrieval (AreoRAG §III-C)."""
        from ..retrieval.engine import Retriever

        return Retriever(self.db, self.settings, self.embedder)

    @functools.cached_property
    def chat(self) -> ChatModel | None:
        """The configured language model, or None."""
        from ..llm.chat import get_chat

        return get_chat(self.settings)

    @functools.cached_property
    def triage(self) -> Triage:
        """Conflict triage (AreoRAG §III-D)."""
        from ..triage import Triage

        return Triage(self.settings, self.chat, self.embedder)

    def ask(self, question: str, k: int | None = None, *, explain: bool = False) -> Answer:
        """Answer `question` and store the answer.

        Parameters
        ----------
        k
            Pieces of evidence to keep (default: the setting). Sources that disagree with a kept one on the property
            asked are added, at most six, observations and facts of ingested texts: a conflict shown with one side only
            would be no conflict.
        """
        from ..retrieval.texts import passages_about

        began = time.perf_counter()
        intent = self.retriever.understand(question)
        if intent.unresolved and not intent.is_spatial:
            return self._unknown_place(question, intent, began)
        retrieval = self.retriever.retrieve(intent, k=k, explain=explain)
        trace = self._trace(retrieval)
        clock = trace.seconds
        with _timed(clock, "texts"):
            passages = passages_about(self.db, question, self.embedder, MAX_PASSAGES)
        with _timed(clock, "reasoning"):
            chain = self._reason(question, trace)
        if not retrieval.evidence and not passages and chain is None:
            return self._finish(self._nothing(question, retrieval, trace), clock, began)
        with _timed(clock, "triage"):
            chosen = self._chosen(retrieval)
            claims = [c for item in chosen for c in item.observation.claims]
            asked = list(retrieval.intent.properties) or topics(question, claims)
            verdicts = self._verdicts(question, chosen, asked)
            records = [c.observation for c in chosen]
        with _timed(clock, "answer"):
            sources, conflicts = _number(chosen, verdicts, passages)
            _mark_left_out(trace, sources)
            steps = _chain_sources(chain, sources) if chain is not None else []
            self._suggest(conflicts, verdicts, records)
            compare = retrieval.intent.compare
            sentences = steps + self._sentences(question, sources, conflicts, asked, compare, trace)
            answer = Answer(
                id=f"a-{secrets.token_hex(4)}",
                question=question,
                created=datetime.now(UTC),
                text=" ".join(str(s) for s in sentences),
                sentences=sentences,
                sources=sources,
                conflicts=conflicts,
                suggestions=_suggestions(conflicts),
                trace=trace,
            )
        with _timed(clock, "store"):
            self._keep(verdicts)
        return self._finish(answer, clock, began)

    # ------------------------------------------------------------ steps
    def _chosen(self, retrieval: Retrieval) -> list[Chosen]:
        """The kept evidence, and what states the same properties at the same place: observations and text facts."""
        from ..graph.reader import observations

        out = [Chosen(e.observation, e.score, dict(e.scores)) for e in retrieval.evidence]
        ids = [c.observation.id for c in out]
        rows = self.db.read("answer_partners", ids=ids, limit=MAX_PARTNERS * 4)
        excluded = retrieval.intent.exclude
        asked = list(retrieval.intent.properties)
        partners = observations(self.db, [r["id"] for r in rows])
        partners += self._stated(ids, asked or [c.property for e in out for c in e.observation.claims])
        for o in partners:
            barred = (
                o.instrument in excluded.instruments or o.platform in excluded.platforms or o.kind in excluded.kinds
            )
            on_topic = not asked or any(relevant(c.property, asked) for c in o.claims)
            if on_topic and not barred:
                out.append(Chosen(o, added=True))
        return out

    def _stated(self, ids: Sequence[str], properties: Sequence[str]) -> list[Observation]:
        """What documents claim of these properties at the places and targets of the observations `ids`."""
        from ..graph.text_reader import facts_near
        from ..planet.lexicon import get_lexicon

        lexicon = get_lexicon()
        names = {n.lower() for p in properties for n in (p, *lexicon.narrower(p))}
        return facts_near(self.db, ids, sorted(names), limit=MAX_STATED) if ids and names else []

    def _verdicts(self, question: str, chosen: list[Chosen], asked: Sequence[str]) -> list[Verdict]:
        """Triage of what was chosen."""
        return settle(self.triage, question, chosen, asked, self.db)

    def _reason(self, question: str, trace: Trace) -> ReasoningResult | None:
        """Planned reasoning where the question chains facts (PRoH); None where it does not, or leads nowhere."""
        from ..retrieval.reasoning import needs_reasoning, reason

        if not needs_reasoning(question):
            return None
        result = reason(self.db, question, self.settings, self.embedder, self.chat, store=True)
        if not result.answers:
            trace.notes.append("the question chains facts, but no path through the graph answers it")
            return None
        trace.path = "reasoning"
        trace.model = self.chat.name if self.chat is not None else None
        trace.reasoning = {
            "tree": result.trace.tree(),
            "svg": result.trace.svg(),
            "answers": [n for n, _ in result.answers],
        }
        return result

    def _sentences(
        self,
        question: str,
        sources: list[Source],
        conflicts: list[ConflictView],
        asked: Sequence[str],
        compare: bool,
        trace: Trace,
    ) -> list[Sentence]:
        if self.chat is not None:
            from .prompted import write

            written = write(self.chat, question, sources, conflicts, trace)
            if written:
                return written
        return compose(sources, conflicts, asked, compare)

    def _suggest(
        self, conflicts: list[ConflictView], verdicts: Sequence[Verdict], records: Sequence[Observation]
    ) -> None:
        """What would settle each conflict, and the product in the graph that comes nearest to it."""
        from ..triage.suggest import suggest

        for view, verdict in zip(conflicts, verdicts, strict=True):
            found = suggest(self.db, verdict, records)
            if found is not None:
                view.would_settle, view.nearest = found.what, found.nearest

    def _keep(self, verdicts: Sequence[Verdict]) -> None:
        from ..triage.store import write_conflicts

        write_conflicts(self.db, verdicts)

    def _finish(self, answer: Answer, clock: dict[str, float], began: float) -> Answer:
        clock["total"] = time.perf_counter() - began
        save(self.db, answer)
        return answer

    def _nothing(self, question: str, retrieval: Retrieval, trace: Trace) -> Answer:
        return Answer(
            id=f"a-{secrets.token_hex(4)}",
            question=question,
            created=datetime.now(UTC),
            text=retrieval.message or "Nothing in the graph answers this question, so nothing is cited.",
            suggestions=list(retrieval.relax),
            trace=trace,
            found=False,
        )

    def _unknown_place(self, question: str, intent: SpatialIntent, began: float) -> Answer:
        """A place that no gazetteer knows would make every record "in place": say so instead of guessing."""
        from ..retrieval.engine import Retrieval

        name = intent.unresolved[0]
        near = [m.feature.name for m in self.retriever.gazetteer.lookup(name, fuzzy=True)][:3]
        hint = f"Did you mean {', '.join(near)}?" if near else "Give coordinates, for example  at 77.4 E, 18.5 N"
        retrieval = Retrieval(intent, message=f"{name} is not a place known on {intent.body}. {hint}")
        trace = self._trace(retrieval)
        return self._finish(self._nothing(question, retrieval, trace), trace.seconds, began)

    def _trace(self, retrieval: Retrieval) -> Trace:
        intent = retrieval.intent
        values = self.settings.model_dump(mode="json", include=set(_SHOWN_SETTINGS))
        oem = retrieval.trace.get("oem") or {}
        return Trace(
            intent=intent.contract() | {"body": intent.body},
            read_as=[f"{label} {text}" for label, text in intent.describe()],
            stages=list(retrieval.counts),
            seconds=dict(retrieval.seconds),
            lambdas={k: float(v) for k, v in retrieval.lambdas.items()},
            selector=retrieval.selector,
            coverage=retrieval.coverage,
            explain=retrieval.explanation,
            settings=values,
            versions=_versions() | {"neo4j": self.db.server_version(), "embedder": self.embedder.name},
            graph_version=self.db.version(),
            region_vector=[float(x) for x in oem.get("lorentz", [])] or None,
            notes=list(intent.disagreements),
        )


def settle(
    triage: Triage, question: str, chosen: list[Chosen], asked: Sequence[str], db: Database | None = None
) -> list[Verdict]:
    """Triage all claim pairs; of the added observations only those in a conflict about the topic stay in `chosen`."""
    similarity = {c.observation.id: c.scores.get("f_k", 0.0) for c in chosen}
    verdicts = triage.triage_evidence(question, [c.observation for c in chosen], similarity, db=db)
    verdicts = [v for v in verdicts if v.detected and (not asked or relevant(v.property, asked))]
    original = {c.observation.id for c in chosen if not c.added}
    verdicts = [v for v in verdicts if v.a_id in original or v.b_id in original]
    partners = list(dict.fromkeys(i for v in verdicts for i in (v.a_id, v.b_id) if i not in original))[:MAX_PARTNERS]
    stay = original | set(partners)
    chosen[:] = [c for c in chosen if c.observation.id in stay]
    return [v for v in verdicts if v.a_id in stay and v.b_id in stay][: len(LETTERS)]


def left_out(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Ids that triage leaves out of the answer, each with the reason."""
    out: dict[str, str] = {}
    for v in verdicts:
        for id_, kept in zip((v.a_id, v.b_id), v.kept, strict=True):
            if not kept:
                out[id_] = (
                    f"{v.category}{f' ({v.sub_category})' if v.sub_category else ''}: {v.bridge or v.explanation}"
                )
    return out


@contextmanager
def _timed(clock: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    finally:
        clock[name] = clock.get(name, 0.0) + time.perf_counter() - began


@functools.cache
def _versions() -> dict[str, str]:
    names = ("areorag", "neo4j", "spherely", "onnxruntime", "numpy")
    found = {n: importlib.metadata.version(n) for n in names}
    return {("neo4j driver" if n == "neo4j" else n): v for n, v in found.items()}


def _number(
    chosen: Sequence[Chosen], verdicts: Sequence[Verdict], passages: Sequence[Text]
) -> tuple[list[Source], list[ConflictView]]:
    """Numbers for sources (kept first, left-out last), letters for conflicts, confidences onto the sources."""
    dropped = left_out(verdicts)
    order = sorted(chosen, key=lambda c: c.observation.id in dropped)
    sources = [source_of(n, c.observation, c.score, c.scores) for n, c in enumerate(order, 1)]
    sources += [passage_source(len(sources) + n, found) for n, found in enumerate(passages, 1)]
    by_id = {s.id: s for s in sources}
    for v in verdicts:
        for id_, before, after in zip((v.a_id, v.b_id), v.c_base, v.c_triage, strict=True):
            source = by_id[id_]
            if source.confidence_after is None or normalised(after) > source.confidence_after:
                source.confidence_before, source.confidence_after = normalised(before), normalised(after)
    for id_, why in dropped.items():
        by_id[id_].kept, by_id[id_].why_left_out = False, why
    numbers = {s.id: s.n for s in sources}
    return sources, [conflict_view(LETTERS[i], v, numbers) for i, v in enumerate(verdicts)]


def _mark_left_out(trace: Trace, sources: Sequence[Source]) -> None:
    """The explanation says of what retrieval kept and triage left out that it was left out, and why."""
    why = {s.id: s.why_left_out for s in sources if not s.kept}
    for row in trace.explain:
        if row.get("id") in why:
            reason = str(why[row["id"]]).split(":", 1)[0]
            row["fate"], row["why"] = "left out", f"{row['why']}; left out by triage as {reason}"


def _chain_sources(chain: ReasoningResult, sources: list[Source]) -> list[Sentence]:
    """Sentences for the best path, its hyperedges added to `sources` where they are not there yet."""
    path = chain.paths[0] if chain.paths else []
    facts = {f.id: f for f in chain.facts}
    numbers = {s.id: s.n for s in sources}
    for id_ in path:
        if id_ not in numbers and id_ in facts:
            numbers[id_] = len(sources) + 1
            sources.append(fact_source(numbers[id_], facts[id_]))
    cites = [numbers[i] for i in path if i in numbers]
    if not cites:
        return []
    told = [Sentence(text=f"Linked facts lead to {', '.join(chain.leading)}.", cites=cites)]
    told += [Sentence(text=f"“{quote(facts[i].text)}”.", cites=[numbers[i]]) for i in path if i in facts]
    return told


def _suggestions(conflicts: Sequence[ConflictView]) -> list[str]:
    """One line a conflict: what would decide, and what exists already."""
    found = [
        f"{c.letter}: {c.would_settle}" + (f". Nearest existing: {c.nearest}" if c.nearest else "")
        for c in conflicts
        if c.would_settle
    ]
    return list(dict.fromkeys(found))
