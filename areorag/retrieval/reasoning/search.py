"""State search over the levels of a plan, with several trajectories and refinement (PRoH, step 4).

A state holds the answers found so far. Answering one level gives the next states; each of the best answers of a
sub-question starts a trajectory of its own, and its name takes the place of ``#id`` in the sub-questions that depend on
it. A hyperedge may offer several entities as the answer ("contains hematite and jarosite"): they stay together until the
next sub-question enters by one of them, which settles the answer. A sub-question without an answer is dropped and its
dependents ask with their own anchors (refinement); a trajectory that ends in nothing is left and the next best goes on
(recovery).
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .budget import Budget
from .hypergraph import QueryGraph
from .paths import Path, Scorer, find_paths
from .plan import Plan, Step

MIN_SCORE = 0.18
PER_STEP = 3
GROUP = 8  # most entities of one hyperedge that are kept together as one answer
WIDTH = 2  # states that one level of a plan goes on from, a trajectory
NAMED = 3  # entities of a group that are named in the next sub-question

Grow = Callable[[Sequence[str], str], None]
"""(entities, sub-question): bring in the hyperedges of entities that share most words with the sub-question."""


@dataclass(frozen=True)
class Candidate:
    """A possible answer of a sub-question: an entity, the path that reached it, and its score.

    `group` are all entities that the last hyperedge offers as this answer, best first; () where it is one alone.
    """

    entity: str
    path: Path
    score: float
    group: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """The entities that may be meant."""
        return self.group or (self.entity,)


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

    def settled(self, plan: Plan, new: Sequence[tuple[int, Candidate]]) -> tuple[tuple[int, Candidate], ...]:
        """The answers so far, each that a new one goes out from being the entity it goes out by."""
        out = dict(self.answers)
        for step, c in new:
            for d in plan.steps[step].depends:
                if d in out and c.path.via[0] in out[d].group:
                    out[d] = replace(out[d], entity=c.path.via[0], group=())
        return tuple(out.items())


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
    grow: Grow | None = None,
) -> SearchResult:
    """Best-first search over the states of all plans.

    Parameters
    ----------
    anchors : (entity id, words that named it) of the question
    trajectories : answers of a sub-question that start a trajectory each; 1 is a greedy single path
    want : finished trajectories a plan after which the search ends
    grow : called before a sub-question is answered, with the entities it starts from
    """
    result = SearchResult()
    order = itertools.count()
    heap: list[tuple[float, int, State]] = []
    met: set[tuple[int, int, tuple[str, ...]]] = set()
    gone_on: Counter[tuple[int, int]] = Counter()
    for k in range(len(plans)):
        heapq.heappush(heap, (-1.0, next(order), State(0, plan=k)))
    while heap and len(result.finished) < want * len(plans):
        _, _, state = heapq.heappop(heap)
        plan = plans[state.plan]
        if state.level == len(plan.levels):
            result.finished.append(state)
            continue
        gone_on[state.plan, state.level] += 1
        if gone_on[state.plan, state.level] > WIDTH * trajectories:
            continue
        if not budget.take_state():
            break
        for nxt in _advance(plan, state, scorer, anchors, budget, depth, trajectories, result.log, grow):
            ends = (nxt.plan, nxt.level, tuple(e for _, c in nxt.answers[-1:] for e in sorted(c.members)))
            if nxt.level < len(plan.levels) and ends in met:
                continue  # the same place was reached by a better way
            met.add(ends)
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
    grow: Grow | None,
) -> list[State]:
    """States after the next level: the product of its steps' best answers, at most `trajectories` of them."""
    per_step: list[list[tuple[int, Candidate | None]]] = []
    for step_id in plan.levels[state.level]:
        step = plan.steps[step_id]
        text, seeds, used = _ask(step, state, scorer.graph, anchors)
        if grow is not None:
            grow(seeds, text)
        last = state.level == len(plan.levels) - 1
        found = answers(scorer, text, seeds, step.wants, used, budget, depth=depth, together=not last)
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
        out.append(State(state.level + 1, state.settled(plan, new) + new, state.dropped + lost, state.plan))
    return out


def _ask(
    step: Step, state: State, graph: QueryGraph, anchors: Sequence[tuple[str, str]]
) -> tuple[str, list[str], set[str]]:
    """The sub-question with answers filled in, its seed entities, and entities that cannot be its answer."""
    text = step.question
    seeds: list[str] = []
    for d in step.depends:
        c = state.answer(d)
        members = c.members if c is not None else ()
        name = " or ".join(graph.nodes[v].name for v in members[:NAMED])
        text = re.sub(rf"#{d}\b", lambda _, name=name: name, text)  # type: ignore[misc]
        seeds += [v for v in members if v not in seeds]
    text = " ".join(text.split())
    named = [i for i, words in anchors if words.casefold() in step.question.casefold()]
    seeds += [i for i in named if i not in seeds]
    used = set(named) | {c.entity for _, c in state.answers if not c.group} | {i for i, _ in anchors}
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
    together: bool = False,
) -> list[Candidate]:
    """Candidate answers of a sub-question, best first: entities of the last hyperedge of each path.

    An entity of a wanted label is preferred; one the question names already is none. An answer supported by several
    paths keeps its best and gains a little for each other.

    Parameters
    ----------
    together : what one hyperedge offers is one answer, its best entity with the others as its group
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
        if together:
            options = sorted(options, key=lambda v: (-weight.get(v, 0.0), v))[:GROUP]
        group = tuple(options) if together and len(options) > 1 else ()
        for v in options[:1] if together else options:
            score = path.score * penalty * (0.85 + 0.15 * weight.get(v, 0.0)) * (0.9 + 0.1 * reach)
            support[v] = support.get(v, 0) + 1
            old = best.get(v)
            if old is None or score > old.score:
                best[v] = Candidate(v, path, score, group)
    out = [replace(c, score=min(1.0, c.score * (1 + 0.03 * min(4, support[v] - 1)))) for v, c in best.items()]
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
