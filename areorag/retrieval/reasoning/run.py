"""One reasoning run from question to paths (PRoH; METHODS §4): d_p = 3, d_max = 3, n₀ = 2.

Without a model every step has a deterministic form (PRoH-L): plans follow the question's clauses, and EW is the
similarity itself. With one, plans and entity scores come from it, within the budget; when it fails or the budget is
spent, the deterministic form takes over and the trace says so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from ...errors import BudgetError, ModelError
from ...llm.prompt import fence, load_prompt
from .anchoring import Anchors, anchor, step_targets
from .asks import asks
from .budget import Budget
from .hypergraph import QueryGraph, add_edges, grower, load_subgraph
from .paths import Scorer
from .plan import MAX_STEPS, Plan, SaidPlan, Step, build_plan, clause_plans, clauses, sketch, wanted
from .search import SearchResult, State, search
from .trace import Trace

if TYPE_CHECKING:
    from ...graph.connection import Database
    from ...llm.chat import ChatModel
    from ...llm.embed import Embedder
    from ...settings import Settings

NEAR = 0.95
MAX_FAILURES = 2  # invalid answers of a model to scoring, after which it is not asked again in this run


PARTS = ("ewo", "synonyms", "plan", "target", "trajectories")
"""Parts of the method that can be left out."""


@dataclass(frozen=True)
class ReasoningOptions:
    """Depths and ablations. Each flag switches one part of the method off in `eval facts --ablate NAME`."""

    plan_depth: int = 3
    max_depth: int = 3
    plans: int = 2
    trajectories: int = 3
    max_edges: int = 4000
    max_seconds: float = 30.0
    max_states: int = 200
    ewo: bool = True
    synonyms: bool = True
    plan: bool = True
    target: bool = True

    def without(self, name: str) -> ReasoningOptions:
        """These options with one of `PARTS` off.

        Raises
        ------
        ValueError
            There is no such part.
        """
        from dataclasses import replace

        if name == "trajectories":
            return replace(self, trajectories=1)
        if name not in PARTS:
            raise ValueError(f"no part called {name!r}: {', '.join(PARTS)}")
        return replace(self, **{name: False})


@dataclass(frozen=True)
class AnswerFact:
    """A hyperedge on the way to the answer."""

    id: str
    kind: str
    text: str
    source: str
    score: float


@dataclass
class ReasoningResult:
    """Answers (names, best first), the facts that lead to them, the paths as ids, and the trace."""

    answers: list[tuple[str, float]] = field(default_factory=list)
    facts: list[AnswerFact] = field(default_factory=list)
    paths: list[list[str]] = field(default_factory=list)
    trace: Trace = field(default_factory=lambda: Trace("", ""))

    @property
    def leading(self) -> list[str]:
        """The best answer and those within `NEAR` of its score, at most three."""
        return [n for n, s in self.answers[:3] if s >= NEAR * self.answers[0][1]]

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "answers": [{"name": n, "score": round(s, 4)} for n, s in self.answers],
            "facts": [f.__dict__ for f in self.facts],
            "paths": self.paths,
            "trace": self.trace.as_dict(),
        }


class _Scores(BaseModel):
    scores: list[float] = Field(max_length=64)


def needs_reasoning(question: str) -> bool:
    """True when a question chains facts: at least two links between what is named and what is asked.

    >>> needs_reasoning("Which instrument analysed the target that contains the mineral found at Stephen?")
    True
    >>> needs_reasoning("Which HiRISE images of Jezero were taken in northern winter?")
    False
    """
    links = len(clauses(question)) - 1
    same = len(re.findall(r"(?i)\bthe same\b|\bboth\b.*\band\b|\balso\b", question))
    shared = len(re.findall(r"(?i)\bshares?\b|\bin common\b|\bconnect\w*\b|\bvia\b|\bthrough which\b", question))
    links += len(
        re.findall(r"(?i)\b(?:the|a|an) [\w-]+ of (?:the|a|an) (?=[\w-]+ (?:of|in|at|that|which|near)\b)", question)
    )
    return links >= 2 or (links >= 1 and same + shared >= 1)


def reason(
    db: Database,
    question: str,
    settings: Settings,
    embedder: Embedder,
    chat: ChatModel | None = None,
    *,
    options: ReasoningOptions | None = None,
    store: bool = False,
) -> ReasoningResult:
    """Answer a question with paths of hyperedges.

    Parameters
    ----------
    chat : a model for plans and entity scores; None is PRoH-L
    store : keep the trace in the graph as a ``:Query`` that USED the hyperedges of the answer

    Returns
    -------
    ReasoningResult
        Without anchors or paths, no answers; the trace says where it ended.
    """
    opt = options or ReasoningOptions()
    budget = Budget(opt.max_edges, opt.max_seconds, opt.max_states)
    trace = Trace(question, "PRoH-L (no language model)" if chat is None else f"PRoH with {chat.name}")
    anchors = anchor(db, question, embedder, targets=opt.target)
    trace.anchors = [{"id": n.id, "name": n.name, "label": n.label, "words": w} for n, w in anchors.entities]
    trace.targets = [{"id": i, "score": round(s, 3)} for i, s in anchors.hyperedges]
    graph = load_subgraph(
        db, question, anchors.ids, [i for i, _ in anchors.hyperedges], hops=opt.max_depth, synonyms=opt.synonyms
    )
    trace.subgraph = {"edges": len(graph.edges), "nodes": len(graph.nodes)}
    if not graph.edges:
        trace.budget = _budget(budget)
        return ReasoningResult(trace=trace)
    trace.sketch = sketch(graph, question, anchors.ids, opt.plan_depth) if opt.plan else []
    plans = _plans(question, trace, chat, opt)
    trace.plans = [p.as_dict() for p in plans]
    targets = _targets(db, plans, graph) if opt.target else {}
    scorer = Scorer(graph, embedder.embed, opt.ewo, _llm_score(chat, trace, budget))
    seeds, grow = _seeds(anchors, graph), grower(db, graph, synonyms=opt.synonyms)
    found = search(
        plans,
        scorer,
        seeds,
        budget,
        depth=opt.max_depth,
        trajectories=opt.trajectories,
        grow=grow,
        targets=targets,
    )
    trace.steps = found.log
    trace.budget = _budget(budget)
    if chat is not None:
        trace.usage = chat.usage.as_dict()
    result = _result(found, plans, graph, anchors, trace)
    if store:
        keep(db, result)
    return result


def _targets(db: Database, plans: Sequence[Plan], graph: QueryGraph) -> dict[str, dict[str, float]]:
    """Target hyperedges of every sub-question, brought into the graph."""
    words = {a.text: a.spelled() for p in plans for a in asks(p).values()}
    found = step_targets(db, words)
    add_edges(db, graph, sorted({e for targets in found.values() for e in targets}))
    return found


def _budget(budget: Budget) -> dict[str, Any]:
    return {"edges": budget.edges, "states": budget.states, "spent_by": budget.spent_by}


def _seeds(anchors: Anchors, graph: QueryGraph) -> list[tuple[str, str]]:
    """Anchors that are in the subgraph; where none is, the entities of the target hyperedges."""
    seeds = [(n.id, words) for n, words in anchors.entities if n.id in graph.nodes]
    if not seeds:
        for edge_id, _ in anchors.hyperedges[:3]:
            if edge_id in graph.edges:
                seeds += [(v, graph.nodes[v].name) for v in sorted(graph.edges[edge_id].entities)]
    return seeds


def _plans(question: str, trace: Trace, chat: ChatModel | None, opt: ReasoningOptions) -> list[Plan]:
    """Initial plans, each acyclic and reduced; a rejected one is named in the trace."""
    out: list[Plan] = []
    if chat is not None and opt.plan:
        steps = _asked_plan(question, trace, chat)
        if steps is not None:
            plan, why = build_plan(steps, "model")
            out += [plan] if plan else []
            trace.rejected += [f"model: {why}"] if why else []
    drafts = clause_plans(question, opt.plans) if opt.plan else [[Step(1, question, (), wanted(question))]]
    for k, steps in enumerate(drafts):
        if len(out) >= opt.plans:
            break
        plan, why = build_plan(steps, ("clauses", "side by side")[min(k, 1)])
        out += [plan] if plan else []
        trace.rejected += [why] if why else []
    if not out:
        plan, _ = build_plan([Step(1, question, (), wanted(question))], "whole question")
        out = [plan] if plan else []
    return out


def _asked_plan(question: str, trace: Trace, chat: ChatModel) -> list[Step] | None:
    prompt = load_prompt("reason_plan")
    trace.prompts.append(prompt.id)
    text = prompt.render(
        most=str(MAX_STEPS),
        question=fence(question, "QUESTION"),
        sketch=fence("\n".join(trace.sketch) or "(nothing)", "SKETCH"),
    )
    try:
        said = chat.structured(text, SaidPlan, max_tokens=600)
    except ModelError as exc:
        trace.rejected.append(f"model: {exc}")
        return None
    return [Step(s.id, s.question, tuple(dict.fromkeys(s.depends))) for s in said.steps]


def _llm_score(chat: ChatModel | None, trace: Trace, budget: Budget) -> Any:
    """LLMScore(v, q_j) as a function, or None. Where the model gives no score, or may not be asked any more (its budget,
    the run's seconds, `MAX_FAILURES` invalid answers), every name has 0.5 and the other terms decide.
    """
    if chat is None:
        return None
    prompt = load_prompt("reason_score")
    trace.prompts.append(prompt.id)
    known: dict[tuple[str, str], float] = {}
    failures: list[str] = []
    closed: list[str] = []

    def score(question: str, names: Sequence[str]) -> Mapping[str, float]:
        todo = [n for n in dict.fromkeys(names) if (question, n) not in known][:24]
        if todo and not closed and not budget.over():
            listed = "\n".join(f"{i}. {n}" for i, n in enumerate(todo, start=1))
            text = prompt.render(question=fence(question, "QUESTION"), names=fence(listed, "NAMES"))
            said: list[float] = []
            try:
                limit = 16 * len(todo) + 40
                said = chat.structured(text, _Scores, max_tokens=limit, items="scores").scores
            except BudgetError as exc:
                closed.append(str(exc))
                trace.rejected.append(f"scores: {exc}")
            except ModelError as exc:
                failures.append(str(exc))
                trace.rejected.append(f"scores: {exc}")
                if len(failures) >= MAX_FAILURES:
                    closed.append("failures")
                    trace.rejected.append(f"scores: {MAX_FAILURES} invalid answers, the model is not asked again")
            said = [*said, *[0.5] * len(todo)][: len(todo)]
            known.update({(question, n): min(1.0, max(0.0, s)) for n, s in zip(todo, said, strict=True)})
        return {n: known.get((question, n), 0.5) for n in names}

    return score


def _result(
    found: SearchResult, plans: list[Plan], graph: QueryGraph, anchors: Anchors, trace: Trace
) -> ReasoningResult:
    answers: dict[str, float] = {}
    facts: dict[str, AnswerFact] = {}
    paths: list[list[str]] = []
    for state in found.finished:
        plan = plans[state.plan]
        ended = state.answer(plan.levels[-1][-1]) is not None
        trace.trajectories.append(
            {
                "plan": plan.source,
                "score": round(state.score, 3),
                "answers": [graph.nodes[c.entity].name for _, c in state.answers] or ["no answer"],
            }
        )
        for last, score in state.endings() if ended else ():
            name = graph.nodes[last.entity].name
            answers[name] = max(answers.get(name, 0.0), score)
        path = _edges_of(state)
        if path and path not in paths:
            paths.append(path)
        for e in path:
            edge = graph.edges[e]
            old = facts.get(e)
            if old is None or old.score < state.score:
                facts[e] = AnswerFact(e, edge.kind, edge.text, edge.source, round(state.score, 4))
    for edge_id, score in anchors.hyperedges:  # what the question is about, after what answers it
        if edge_id in graph.edges and edge_id not in facts:
            edge = graph.edges[edge_id]
            facts[edge_id] = AnswerFact(edge_id, edge.kind, edge.text, edge.source, round(0.3 * score, 4))
    ordered = sorted(answers.items(), key=lambda x: (-x[1], x[0]))
    return ReasoningResult(ordered, sorted(facts.values(), key=lambda f: (-f.score, f.id)), paths, trace)


def _edges_of(state: State) -> list[str]:
    return list(dict.fromkeys(e for _, c in state.answers for e in c.path.edges))


def keep(db: Database, result: ReasoningResult) -> str:
    """Store the trace in the graph: a ``:Query`` with the tree, and USED to the hyperedges of its paths; its id."""
    import orjson

    question = result.trace.question
    query_id = "q-" + hashlib.sha256(f"reason|{question}".encode()).hexdigest()[:10]
    used: dict[str, dict[str, Any]] = {}
    for step, path in enumerate(result.paths):
        for rank, e in enumerate(path):
            used.setdefault(e, {"id": e, "rank": rank, "score": 0.0, "step": step})
    for fact in result.facts:
        if fact.id in used:
            used[fact.id]["score"] = fact.score
    body = {k: v for k, v in result.trace.as_dict().items() if k not in ("svg", "tree")}
    properties = {
        "id": query_id,
        "text": question,
        "name": question,
        "method": result.trace.method,
        "reasoning_tree": result.trace.tree(),
        "reasoning": orjson.dumps(body).decode(),
        "reasoning_answers": [n for n, _ in result.answers],
    }
    db.write("reason_store", id=query_id, p=properties, used=sorted(used.values(), key=lambda u: u["id"]))
    return query_id
