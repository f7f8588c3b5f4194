"""`areorag eval regions`: region and season questions over an archive, from text to evidence after triage (AreoRAG §IV).

Questions come from the archive's own records (`region_questions`), fixed by the seed; gold from `region_gold`, which
shares no code with the retriever. Evidence passes triage as ``areorag ask`` does it (`region_triage`). recall@5 is
|top 5 ∩ gold| / min(5, |gold|); k = max(5, min(|gold|, 20)) results are asked for, F1 is over all of them where the
question states its constraints, over the first min(|gold|, 20) where it has to be ranked. Records that nobody can judge
(within the gold's tolerance of a border) count for and against nobody. The throw-away archive holds scientific
disagreements (`region_conflicts`), half of them found by earlier questions (for the feedback). CPR is the share of those
met whose two sides stay, NRR the share of the false copies (``inject``, `region_noise`) among the evidence that triage
leaves out.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.connection import Database
from ..graph.model import Observation
from ..llm.embed import Embedder, get_embedder
from ..retrieval.engine import Retriever
from ..settings import Settings, load_settings
from ..triage.pict import Triage
from ..triage.store import write_conflicts
from .choices import known
from .line_graph import LineGraph, LineGraphRetriever
from .region_baselines import Baselines
from .region_conflicts import disagreements
from .region_gold import Archive, Gold
from .region_noise import Copies, disturb
from .region_questions import N_REGION, N_TEMPORAL, SEED, Generator, Question
from .region_reads import Remembered
from .region_triage import Judged, Remembering, judge, triages

log = logging.getLogger(__name__)
Progress = Callable[[int, int], None]

ABLATIONS: dict[str, tuple[str, ...]] = {
    "sparse": ("sparse",),
    "dense": ("dense",),
    "semantic": ("semantic",),
    "pareto": ("pareto",),
    "plausibility": ("plausibility", "expansion"),
    "oem": ("oem",),
    "einstein": ("outward",),
    "euclidean": ("hyperbolic",),
    "feedback": ("feedback",),
    "coverage": ("coverage",),
}
"""What each ``--ablate`` leaves out of the retriever."""
TRIAGE_ABLATIONS = ("pict", "uniform", "delta_hp")
"""Ablations of triage: the same evidence is retrieved, another rule says what stays (`region_triage`)."""
OTHER = ("mlg", "both")
"""``mlg``: a line graph in place of the hypergraph (`line_graph`); ``both``: text-only dense retrieval (Standard RAG)."""
EVERY = (*ABLATIONS, "mlg", *TRIAGE_ABLATIONS, "both")
RECORDS = 3000
PAIRS_PER_THOUSAND = 20


@dataclass
class Result:
    """Scores of one method, one entry a question."""

    recall: list[float] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, found: Sequence[str], gold: Gold, seconds: float, *, ranked: bool = False) -> None:
        """Score one ranked list; `ranked`: F1 over the first |gold| (a question that any number of records answer more
        or less well says nothing of how many are wanted)."""
        k = min(len(gold.ids), 20) if ranked else depth(gold)
        judged = [i for i in found if i not in gold.doubtful]
        top5, top = judged[:5], judged[:k]
        self.recall.append(len(set(top5) & gold.ids) / min(5, len(gold.ids)))
        hits = len(set(top) & gold.ids)
        precision = hits / len(top) if top else 0.0
        recall = hits / min(k, len(gold.ids))
        self.f1.append(2 * precision * recall / (precision + recall) if hits else 0.0)
        self.seconds.append(seconds)

    def summary(self) -> dict[str, float]:
        """Per cent and milliseconds (of questions that this process had not asked in another configuration)."""
        return {
            "n": len(self.recall),
            "recall@5": round(100 * float(np.mean(self.recall)), 1),
            "f1": round(100 * float(np.mean(self.f1)), 1),
            "p50_ms": round(1000 * float(np.median(self.seconds)), 1),
        }


def depth(gold: Gold) -> int:
    """How many results are asked for."""
    return max(5, min(len(gold.ids), 20))


@dataclass(frozen=True)
class Pair:
    """Two observations that disagree for a physical reason."""

    a: str
    b: str
    label: str
    property: str


@dataclass
class Conflicts:
    """What triage did over all questions: false copies by kind, scientific pairs by label, right answers lost."""

    copies: dict[str, list[int]] = field(default_factory=dict)
    pairs: dict[str, list[int]] = field(default_factory=dict)
    lost: int = 0
    kept_false: int = 0
    kept: int = 0

    def add(self, judged: Judged, ids: Sequence[str], gold: Gold, copies: Copies, pairs: Sequence[Pair]) -> None:
        """One question; `pairs` are the scientific ones it is about: met where one side is retrieved, kept where both
        stand in what is answered from."""
        for id_ in ids:
            if id_ in copies.by_id:
                self.copies.setdefault(copies.by_id[id_].kind, []).append(int(id_ in judged.dropped))
        shown = (judged.seen | set(ids)) - judged.dropped
        for pair in pairs:
            if pair.a in ids or pair.b in ids:
                self.pairs.setdefault(pair.label, []).append(int(pair.a in shown and pair.b in shown))
        self.lost += len(set(ids) & gold.ids & judged.dropped)
        self.kept += len(judged.kept)
        self.kept_false += sum(i in copies.by_id for i in judged.kept)

    def summary(self) -> dict[str, Any]:
        """Per cent; None where there was nothing to measure."""

        def share(values: list[int]) -> float | None:
            return round(100 * float(np.mean(values)), 1) if values else None

        copies = [v for found in self.copies.values() for v in found]
        pairs = [v for found in self.pairs.values() for v in found]
        return {
            "nrr": share(copies),
            "nrr_contradicting": share(self.copies.get("flip", [])),
            "copies_met": len(copies),
            "false_in_evidence": round(100 * self.kept_false / max(1, self.kept), 1),
            "cpr": share(pairs),
            "pairs_met": len(pairs),
            "right_answers_lost": self.lost,
            "copies": {k: [len(v), share(v)] for k, v in sorted(self.copies.items())},
            "pairs": {k: [len(v), share(v)] for k, v in sorted(self.pairs.items())},
        }


class World:
    """An archive loaded once, its questions, and the parts that all configurations share."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        drawn: list[tuple[Question, Gold]] | None = None,
        *,
        n_region: int = N_REGION,
        n_temporal: int = N_TEMPORAL,
        seed: int = SEED,
        science: Sequence[Pair] = (),
        embedder: Embedder | None = None,
        questions: Path | None = None,
    ) -> None:
        self.db: Database = Remembered(db)  # type: ignore[assignment]
        db = self.db
        self.settings, self.seed = settings, seed
        self.embedder = embedder or get_embedder(settings)
        self.archive = Archive(_rows(db, settings.body))
        if drawn is not None:
            self.drawn = drawn
        elif questions is not None:
            self.drawn = _from_file(questions, self.archive)
        else:
            self.drawn = Generator(self.archive, seed).questions(n_region, n_temporal)
        self.science = list(science)
        first = Retriever(db, settings, self.embedder)
        self.columns = first.columns.get()
        self.outlines = db.read("spatial_all", body=settings.body)
        chat = first.chat
        self.triage = Remembering(settings, chat, self.embedder)
        self._triages: dict[str, Triage] = triages(self.triage)
        self._found: dict[tuple[Any, ...], list[tuple[Any, float]]] = {}
        self._baselines: dict[tuple[float, float], list[dict[str, tuple[list[str], float]]]] = {}
        self._graphs: dict[tuple[float, float], LineGraphRetriever] = {}
        self._copies: dict[tuple[float, float], Copies] = {}

    # ------------------------------------------------------------ the parts
    def retriever(self, without: Sequence[str], mask: float, inject: float) -> Retriever:
        """A retriever over the archive, disturbed as asked; the graph is never touched."""
        out = Retriever(self.db, self.settings, self.embedder, without=without)
        self._copies[mask, inject] = disturb(out, self.columns, self.outlines, mask, inject, self.seed)
        return out

    def search(self, ablate: str | None, mask: float, inject: float, progress: Progress | None = None) -> list[Any]:
        """(retrieval, seconds) of every question; configurations that differ in triage alone share it."""
        kind = None if ablate in TRIAGE_ABLATIONS else ablate
        key = (kind, mask, inject)
        if key not in self._found:
            retriever = self.retriever(ABLATIONS.get(kind or "", ()), mask, inject)
            asked: Retriever | LineGraphRetriever = retriever
            if kind == "mlg":
                arrays = retriever.spatial(retriever.columns.get()).warm()
                graph = LineGraph.of(retriever.columns.get(), arrays, self.settings.body)
                asked = self._graphs[mask, inject] = LineGraphRetriever(retriever, graph)
            found = []
            for n, (question, gold) in enumerate(self.drawn):
                began = time.perf_counter()
                got = asked.retrieve(question.question, k=depth(gold) + len(gold.doubtful))
                found.append((got, time.perf_counter() - began))
                if progress is not None:
                    progress(n + 1, len(self.drawn))
            self._found[key] = found
        return self._found[key]

    def baselines(self, mask: float, inject: float) -> list[dict[str, tuple[list[str], float]]]:
        """The four baselines' lists for every question."""
        if (mask, inject) not in self._baselines:
            simple = Baselines(self.retriever((), mask, inject))
            self._baselines[mask, inject] = [
                simple.run(q.question, depth(gold) + len(gold.doubtful)) for q, gold in self.drawn
            ]
        return self._baselines[mask, inject]

    # ------------------------------------------------------------ a configuration
    def measure(
        self, ablate: str | None = None, mask: float = 0.0, inject: float = 0.0, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Answer every question in one configuration, score it and the baselines.

        Returns
        -------
        ``{n, methods: {name: {group: figures}}, triage, questions}``; groups are region, temporal, all and the forms.
        """
        others = self.baselines(mask, inject)
        found = None if ablate == "both" else self.search(ablate, mask, inject, progress)
        copies = self._copies[mask, inject]
        triage = self._triages.get(ablate or "", self.triage)
        tables: dict[str, dict[str, Result]] = {}
        conflicts, plain = Conflicts(), Conflicts()
        listed = []
        for n, (question, gold) in enumerate(self.drawn):
            k = depth(gold) + len(gold.doubtful)
            if found is None:
                ids, seconds = others[n]["text-only dense"]
                kept, judged = list(ids), Judged(list(ids))
            else:
                retrieval, seconds = found[n]
                ids = retrieval.ids[:k]
                judged = judge(triage, question.question, retrieval, ids, copies.records,
                               lambda claiming: copies.partners(claiming, 24))  # fmt: skip
                kept = judged.kept
            about = [p for p in self.science if p.property in question.spec.get("claims", ())]
            conflicts.add(judged, ids, gold, copies, about)
            plain.add(Judged(list(ids)), ids, gold, copies, ())
            for name, (got, spent) in {"areorag": (kept, seconds), **others[n]}.items():
                for group in (question.kind, "all", question.form):
                    tables.setdefault(name, {}).setdefault(group, Result()).add(
                        got, gold, spent, ranked=question.form != "stated"
                    )
            listed.append(
                {"id": question.id, "kind": question.kind, "form": question.form, "question": question.question,
                 "spec": dict(question.spec), "gold": len(gold.ids), "doubtful": len(gold.doubtful),
                 "left_out": sorted(judged.dropped & set(ids)),
                 "recall@5": round(tables["areorag"]["all"].recall[-1], 4),
                 "f1": round(tables["areorag"]["all"].f1[-1], 4)}
            )  # fmt: skip
        triaged = conflicts.summary() | {"false_before_triage": plain.summary()["false_in_evidence"]}
        out = {
            "n": len(self.drawn),
            "methods": {name: {g: r.summary() for g, r in groups.items()} for name, groups in tables.items()},
            "triage": triaged,
            "observations": len(self.archive.rows),
            "mask": mask,
            "inject": inject,
            "ablate": ablate,
            "seed": self.seed,
        }
        if (mask, inject) in self._graphs and ablate == "mlg":
            out["line_graph"] = self._graphs[mask, inject].figures()
        return out | {"questions": listed}


def check(ablate: str | None) -> None:
    """Refuse an unknown ablation.

    Raises
    ------
    UsageError
        There is no such ablation; the message lists them.
    """
    if ablate is not None:
        known("ablation", ablate, EVERY)


def run(
    questions: Path | None = None,
    mask: float | None = None,
    inject: float | None = None,
    ablate: str | None = None,
    home: Path | None = None,
    progress: Progress | None = None,
    n_region: int = N_REGION,
    n_temporal: int = N_TEMPORAL,
    seed: int = SEED,
    settings: Settings | None = None,
    records: int = RECORDS,
) -> dict[str, Any]:
    """Generate questions over an archive, answer them, score them and the baselines.

    Parameters
    ----------
    questions : a file this command wrote earlier (JSON Lines id, kind, question, spec) instead of new ones
    mask : share of records whose place names and incidence are hidden from the retriever (hyperedge masking)
    inject : share of records that get a false copy (noise)
    ablate : one of `EVERY`
    home : the managed database to use; None: a throw-away one with `records` synthetic observations and scientific
        disagreements among them

    Raises
    ------
    UsageError
        Unknown ablation, or an archive without placed observations.
    """
    check(ablate)
    with opened(home, settings, records, seed) as (db, base, science):
        world = World(
            db, base, n_region=n_region, n_temporal=n_temporal, seed=seed, science=science, questions=questions
        )
        return world.measure(ablate, mask or 0.0, inject or 0.0, progress) | {"mask": mask, "inject": inject}


@contextmanager
def opened(
    home: Path | None, settings: Settings | None, records: int, seed: int
) -> Iterator[tuple[Database, Settings, list[Pair]]]:
    """(graph, settings, scientific pairs) of the user's archive, or of a throw-away one."""
    base = settings or load_settings(**({"home": home} if home is not None else {}))
    if home is not None or base.neo4j_uri:
        with Database.open(base) as db:
            yield db, base, []
        return
    from .loading import load
    from .synthetic import synthetic_archive

    pairs = disagreements(max(3, records * PAIRS_PER_THOUSAND // 1000), seed)
    archive = [*synthetic_archive(max(1, records - 2 * len(pairs))), *(o for a, b, _ in pairs for o in (a, b))]
    with Database.temporary(base) as db:
        load(db, base, archive, "eval-regions")
        _asked_before(db, base, pairs[::2])
        yield db, base, [Pair(a.id, b.id, label, a.claims[0].property) for a, b, label in pairs]


def _asked_before(db: Database, settings: Settings, pairs: Sequence[tuple[Observation, Observation, str]]) -> None:
    """Conflicts found by earlier questions, for the feedback to act on: triage of these pairs, stored as ask stores it."""
    triage = Triage(settings, None, get_embedder(settings))
    for a, b, _ in pairs:
        question = f"Do the observations agree about {a.claims[0].property}?"
        write_conflicts(db, [v for v in triage.triage_evidence(question, [a, b]) if v.detected])


def _rows(db: Database, body: str) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    after = ""
    while True:
        page = db.read("region_gold_rows", after=after, limit=5000, body=body)
        out += page
        if len(page) < 5000:
            return out
        after = page[-1]["id"]


def _from_file(path: Path, archive: Archive) -> list[tuple[Question, Gold]]:
    out = []
    for line in Path(path).read_text("utf-8").splitlines():
        if line.strip():
            d = json.loads(line)
            asked = Question(d["id"], d["kind"], d["question"], d["spec"], d.get("form", "stated"))
            out.append((asked, archive.gold(d["spec"])))
    return [(q, g) for q, g in out if g.ids]


__all__ = ["ABLATIONS", "EVERY", "Generator", "Question", "World", "run"]
