"""State search over the levels of a plan, with several trajectories and refinement (PRoH, step 4).

A state holds the answers found so far. Answering one level gives the next states; each of the best answers of a
sub-question starts a trajectory of its own, and its name takes the place of ``#id`` in the sub-questions that depend on
it. A sub-question without an answer is dropped and its dependents ask with their own anchors (refinement); a
trajectory that ends in nothing is left and the next best goes on (recovery).
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .budget import Budget
from .hypergraph import QueryGraph
from .paths import Path, Scorer, find_paths
from .plan import Plan, Step

MIN_SCORE = 0.18
PER_STEP = 3


@dataclass(frozen=True)
class Candidate:
    """A possible answer of a sub-question: an entity, the path that reached it, and its score."""

    entity: str
    path: Path
    score: float


@dataclass(frozen=True)
class State:
    """A trajectory so far: answers by step, dropped steps, and the mean score."""

    level: int
    answers: tuple[tuple[int, Candidate], ...] = ()
    dropped: tuple[int, ...] = ()
    plan: int = 0

    @property
    def score(self) -> float:
        """Mean score of the answers, a dropped step counting as 0.1."""
        values = [c.score for _, c in self.answers] + [0.1] * len(self.dropped)
        return sum(values) / len(values) if values else 1.0

    def answer(self, step: int) -> Candidate | None:
        """The answer of a step, when it has one."""
        return next((c for i, c in self.answers if i == step), None)


@dataclass
class SearchResult:
    """Finished trajectories, best first, and the log of what was done."""

    finished: list[State] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)


def search(
    plans: Sequence[Plan],
    scorer: Scorer,
    anchors: Sequence[tuple[str, str]],
    budget: Budget,
    *,
    depth: int = 3,
    trajectories: int = 3,
    want: int = 3,
) -> SearchResult:
    """Best-first search over the states of all plans.

    Parameters
    ----------
    anchors : (entity id, words that named it) of the question
    trajectories : answers of a sub-question that start a trajectory each; 1 is a greedy single path
    want : finished trajectories after which the search ends
    """
    result = SearchResult()
    order = itertools.count()
    heap: list[tuple[float, int, State]] = []
    for k in range(len(plans)):
        heapq.heappush(heap, (-1.0, next(order), State(0, plan=k)))
    while heap and len(result.finished) < want * len(plans):
        _, _, state = heapq.heappop(heap)
        plan = plans[state.plan]
        if state.level == len(plan.levels):
            result.finished.append(state)
            continue
        if not budget.take_state():
            break
        for nxt in _advance(plan, state, scorer, anchors, budget, depth, trajectories, result.log):
            progress = 0.02 * nxt.level
            heapq.heappush(heap, (-(nxt.score + progress), next(order), nxt))
    if not result.finished and heap:  # out of budget: the furthest state is what there is
        best = max((s for _, _, s in heap), key=lambda s: (s.level, s.score))
        result.finished.append(best)
    result.finished.sort(key=lambda s: (-_final(s, plans[s.plan]), s.plan))
    return result


def _final(state: State, plan: Plan) -> float:
    """Score of a finished trajectory: its mean, less where the last step has no answer."""
    last = plan.levels[-1][-1]
    return state.score - (0.5 if state.answer(last) is None else 0.0) - (0.05 if plan.source == "side by side" else 0.0)


def _advance(
    plan: Plan,
    state: State,
    scorer: Scorer,
    anchors: Sequence[tuple[str, str]],
    budget: Budget,
    depth: int,
    trajectories: int,
    log: list[dict[str, Any]],
) -> list[State]:
    """States after the next level: the product of its steps' best answers, at most `trajectories` of them."""
    per_step: list[list[tuple[int, Candidate | None]]] = []
    for step_id in plan.levels[state.level]:
        step = plan.steps[step_id]
        text, seeds, used = _ask(step, state, scorer.graph, anchors)
        found = answers(scorer, text, seeds, step.wants, used, budget, depth=depth)
        kept = found[:trajectories]
        log.append(_entry(plan, state, step, text, seeds, kept, scorer.graph))
        per_step.append([(step_id, c) for c in kept] or [(step_id, None)])
    combos = sorted(itertools.product(*per_step), key=lambda combo: -sum(c.score for _, c in combo if c is not None))[
        :trajectories
    ]
    out = []
    for combo in combos:
        new = tuple((i, c) for i, c in combo if c is not None)
        lost = tuple(i for i, c in combo if c is None)
        out.append(State(state.level + 1, state.answers + new, state.dropped + lost, state.plan))
    return out


def _ask(
    step: Step, state: State, graph: QueryGraph, anchors: Sequence[tuple[str, str]]
) -> tuple[str, list[str], set[str]]:
    """The sub-question with answers filled in, its seed entities, and entities that cannot be its answer."""
    text = step.question
    seeds: list[str] = []
    for d in step.depends:
        c = state.answer(d)
        name = graph.nodes[c.entity].name if c is not None else ""
        text = re.sub(rf"#{d}\b", name, text)
        if c is not None:
            seeds.append(c.entity)
    text = " ".join(text.split())
    named = [i for i, words in anchors if words.casefold() in step.question.casefold()]
    seeds += [i for i in named if i not in seeds]
    used = set(seeds) | {c.entity for _, c in state.answers} | {i for i, _ in anchors}
    if not seeds:  # a step that names nothing, or whose ground was dropped, starts from all anchors
        seeds = [i for i, _ in anchors]
    return text, [s for s in seeds if s in graph.nodes], used


def answers(
    scorer: Scorer,
    question: str,
    seeds: Sequence[str],
    wants: Sequence[str],
    used: set[str],
    budget: Budget,
    *,
    depth: int = 3,
) -> list[Candidate]:
    """Candidate answers of a sub-question, best first: entities of the last hyperedge of each path.

    An entity of a wanted label is preferred; one the question names already is none. An answer supported by several
    paths keeps its best and gains a little for each other.
    """
    graph = scorer.graph
    best: dict[str, Candidate] = {}
    support: dict[str, int] = {}
    for path in find_paths(scorer, question, seeds, budget, depth=depth):
        edge = graph.edges[path.edges[-1]]
        options = [v for v in sorted(edge.entities) if v not in used and v not in path.via]
        typed = [v for v in options if graph.nodes[v].label in wants]
        penalty = 1.0
        if wants and not typed:
            penalty = 0.6
        elif typed:
            options = typed
        if not options:
            continue
        # where a hyperedge binds all anchors of the question it explains more
        reach = len(edge.entities & set(seeds)) / max(1, len(seeds))
        weight = scorer.weights(options, question)
        for v in options:
            score = path.score * penalty * (0.85 + 0.15 * weight.get(v, 0.0)) * (0.9 + 0.1 * reach)
            support[v] = support.get(v, 0) + 1
            old = best.get(v)
            if old is None or score > old.score:
                best[v] = Candidate(v, path, score)
    out = [
        Candidate(c.entity, c.path, min(1.0, c.score * (1 + 0.03 * min(4, support[v] - 1)))) for v, c in best.items()
    ]
    return sorted((c for c in out if c.score >= MIN_SCORE), key=lambda c: (-c.score, c.entity))[: PER_STEP * 3]


def _entry(
    plan: Plan, state: State, step: Step, text: str, seeds: Sequence[str], kept: Sequence[Candidate], graph: QueryGraph
) -> dict[str, Any]:
    return {
        "plan": plan.source,
        "level": state.level,
        "step": step.id,
        "question": text,
        "seeds": [graph.nodes[s].name for s in seeds],
        "answers": [
            {
                "name": graph.nodes[c.entity].name,
                "score": round(c.score, 3),
                "path": [
                    {"id": e, "text": graph.edges[e].text[:200], "kind": graph.edges[e].kind} for e in c.path.edges
                ],
            }
            for c in kept
        ],
        "refined": "no answer: dropped, its dependents go on from the question's own anchors" if not kept else "",
    }
