"""State search over the levels of a plan, with several trajectories and refinement (PRoH, step 4).

A state holds the answers found so far. Answering one level gives the next states; each of the best answers of a
sub-question starts a trajectory of its own, and its name takes the place of ``#id`` in the sub-questions that depend on
it. A hyperedge may offer several entities as the answer ("contains hematite and jarosite"): they stay together until the
next sub-question enters by one of them, which settles the answer. What an entity is worth to the sub-questions that
depend on it (EW) orders the entities of a hyperedge and the states. A sub-question that nothing on the way answers is
looked for at its target hyperedges; without an answer it is dropped and its dependents ask with their own anchors
(refinement). A trajectory that ends in nothing is left and the next best goes on (recovery).
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .asks import Ask, asks
from .budget import Budget
from .hypergraph import QueryGraph
from .paths import UNTYPED, Path, Scorer, find_paths, leap
from .plan import Plan, Step

MIN_SCORE = 0.06
KEPT = 9  # most answers of a sub-question
GROUP = 8  # most entities of one hyperedge that are kept together as one answer
WIDTH = 2  # states that one level of a plan goes on from, a trajectory
NAMED = 3  # entities of a group that are named in the next sub-question
LEAP = 0.6  # of the score, where nothing leads to a hyperedge
SECOND = 0.45  # score of the first plan's states under which the next plan is begun
OTHER_KIND = 0.85  # of the score, for a label that stands not first among those wanted
KNOWN = 0.9  # of the score, for an entity that the sub-question starts from, or that the question names elsewhere

Grow = Callable[[Iterable[str], Iterable[str], int], None]
"""(entities, words, least): bring in the hyperedges of entities that share most, and at least so many, of the words."""
Targets = Mapping[str, Mapping[str, float]]
"""Target hyperedges and their match in (0, 1], by the text of a sub-question without its ``#id``."""


@dataclass(frozen=True)
class Candidate:
    """A possible answer of a sub-question: an entity, the path that reached it, and its score.

    `group` are all entities that the last hyperedge offers as this answer, best first; () where it is one alone.
    `promise` is the largest EW of them for what depends on the answer.
    """

    entity: str
    path: Path
    score: float
    group: tuple[str, ...] = ()
    promise: float | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """The entities that may be meant."""
        return self.group or (self.entity,)

    @property
    def rank(self) -> float:
        """Score, with what it promises for the next step."""
        return self.score if self.promise is None else (self.score + self.promise) / 2


@dataclass(frozen=True)
class State:
    """A trajectory so far: answers by step, dropped steps, other answers of the last step, and the mean score."""

    level: int
    answers: tuple[tuple[int, Candidate], ...] = ()
    dropped: tuple[int, ...] = ()
    plan: int = 0
    also: tuple[Candidate, ...] = ()

    @property
    def score(self) -> float:
        """Mean score of the answers, a dropped step counting as 0.1."""
        values = [c.score for _, c in self.answers] + [0.1] * len(self.dropped)
        return sum(values) / len(values) if values else 1.0

    def priority(self, fresh: int) -> float:
        """The mean that the next level is expected to give: with the promise of the `fresh` newest answers."""
        values = [c.score for _, c in self.answers] + [0.1] * len(self.dropped)
        promises = [c.promise for _, c in self.answers[len(self.answers) - fresh :] if c.promise is not None]
        values += promises
        return sum(values) / len(values) + 0.02 * self.level if values else 1.0

    def answer(self, step: int) -> Candidate | None:
        """The answer of a step, when it has one."""
        return next((c for i, c in self.answers if i == step), None)

    def endings(self) -> list[tuple[Candidate, float]]:
        """Each answer of the last step, with the score of the state that would end in it."""
        if not self.answers:
            return []
        step, best = self.answers[-1]
        others = ((c, replace(self, answers=(*self.answers[:-1], (step, c))).score) for c in self.also)
        return [(best, self.score), *others]

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
    targets: Targets | None = None,
) -> SearchResult:
    """Best-first search over the states of all plans; a plan after the first begins when that one does not go well.

    Parameters
    ----------
    anchors : (entity id, words that named it) of the question
    trajectories : answers of a sub-question that start a trajectory each; 1 is a greedy single path
    want : finished trajectories a plan after which the search ends
    grow : called before a sub-question is answered, with the entities it starts from
    targets : target hyperedges by sub-question, as `Ask.targets`
    """
    result = SearchResult()
    runs = [_Run(p, asks(p, targets), scorer, anchors, budget, depth, trajectories, result.log, grow) for p in plans]
    order = itertools.count()
    heap: list[tuple[float, int, State]] = []
    met: set[tuple[int, int, tuple[str, ...]]] = set()
    gone_on: Counter[tuple[int, int]] = Counter()
    begun: set[int] = set()
    for k in range(len(plans)):
        heapq.heappush(heap, (-1.0 if k == 0 else -SECOND, next(order), State(0, plan=k)))
    while heap and len(result.finished) < want * max(1, len(begun)):
        _, _, state = heapq.heappop(heap)
        plan = plans[state.plan]
        begun.add(state.plan)
        if state.level == len(plan.levels):
            result.finished.append(state)
            continue
        gone_on[state.plan, state.level] += 1
        if gone_on[state.plan, state.level] > WIDTH * trajectories:
            continue
        if not budget.take_state():
            break
        for nxt in runs[state.plan].advance(state):
            ends = (nxt.plan, nxt.level, tuple(e for _, c in nxt.answers[-1:] for e in sorted(c.members)))
            if nxt.level < len(plan.levels) and ends in met:
                continue  # the same place was reached by a better way
            met.add(ends)
            heapq.heappush(heap, (-nxt.priority(len(plan.levels[nxt.level - 1])), next(order), nxt))
    if not result.finished and heap:  # out of budget: the furthest state is what there is
        best = max((s for _, _, s in heap), key=lambda s: (s.level, s.score))
        result.finished.append(best)
    result.finished.sort(key=lambda s: (-_final(s, plans[s.plan]), s.plan))
    return result


def _final(state: State, plan: Plan) -> float:
    """Score of a finished trajectory: its mean, less where the last step has no answer."""
    last = plan.levels[-1][-1]
    return state.score - (0.5 if state.answer(last) is None else 0.0) - (0.05 if plan.source == "side by side" else 0.0)


@dataclass
class _Run:
    """What stays the same while one plan is searched."""

    plan: Plan
    asks: Mapping[int, Ask]
    scorer: Scorer
    anchors: Sequence[tuple[str, str]]
    budget: Budget
    depth: int
    trajectories: int
    log: list[dict[str, Any]]
    grow: Grow | None

    def advance(self, state: State) -> list[State]:
        """States after the next level: the product of its steps' best answers, at most `trajectories` of them.

        The last step's answers need no trajectory each: they are kept together in one state.
        """
        last = state.level == len(self.plan.levels) - 1
        per_step: list[list[tuple[int, Candidate | None]]] = []
        also: tuple[Candidate, ...] = ()
        for step_id in self.plan.levels[state.level]:
            found = self._step(state, self.plan.steps[step_id], last)
            kept = found[: 1 if last else self.trajectories]
            also = tuple(found[1:]) if last else ()
            per_step.append([(step_id, c) for c in kept] or [(step_id, None)])
        combos = sorted(
            itertools.product(*per_step), key=lambda combo: -sum(c.rank for _, c in combo if c is not None)
        )[: self.trajectories]
        out = []
        for combo in combos:
            new = tuple((i, c) for i, c in combo if c is not None)
            lost = tuple(i for i, c in combo if c is None)
            settled = state.settled(self.plan, new) + new
            out.append(State(state.level + 1, settled, state.dropped + lost, state.plan, also))
        return out

    def _step(self, state: State, step: Step, last: bool) -> list[Candidate]:
        graph = self.scorer.graph
        text, seeds, used = _fill(self.plan, step, state, self.scorer, self.anchors)
        ask = self.asks[step.id].filled(text)
        if self.grow is not None:
            self.grow(seeds, ask.words, 0)
        before: set[str] = set()
        for d in step.depends:
            c = state.answer(d)
            if c is not None:
                before |= graph.edges[c.path.edges[-1]].entities
        found = answers(
            self.scorer,
            ask,
            seeds,
            used,
            self.budget,
            depth=self.depth,
            together=not last,
            known={*seeds, *(i for i, _ in self.anchors)},
            before=frozenset(before),
            then=[self.asks[s.id] for s in self.plan.steps.values() if step.id in s.depends],
            grow=self.grow,
        )
        self.log.append(_entry(self.plan, state, step, text, seeds, found[: self.trajectories], graph))
        return found


def _fill(
    plan: Plan, step: Step, state: State, scorer: Scorer, anchors: Sequence[tuple[str, str]]
) -> tuple[str, list[str], set[str]]:
    """The sub-question with answers filled in, its seed entities, and entities that cannot be its answer."""
    graph = scorer.graph
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
    used = set(named) | {c.entity for _, c in state.answers if not c.group}
    if not seeds:  # a step that names nothing, or whose ground was dropped, starts from all anchors
        seeds = [i for i, _ in anchors]
    return text, [s for s in seeds if s in graph.nodes], used


def answers(
    scorer: Scorer,
    ask: Ask,
    seeds: Sequence[str],
    used: set[str],
    budget: Budget,
    *,
    depth: int = 3,
    together: bool = False,
    known: Collection[str] = (),
    before: frozenset[str] = frozenset(),
    then: Sequence[Ask] = (),
    grow: Grow | None = None,
) -> list[Candidate]:
    """Candidate answers of a sub-question, best first: entities of the last hyperedge of each path.

    An entity of a wanted label is preferred; one the sub-question names already is none, and a new one is preferred to
    one it starts from. An answer supported by several paths keeps its best and gains a little for each other.

    Parameters
    ----------
    used : entities that cannot be the answer
    known : entities that are less likely to be it
    together : what one hyperedge offers is one answer, its best entity with the others as its group
    before : entities of the hyperedge that led to the seeds
    then : the sub-questions that depend on this one
    """
    graph = scorer.graph
    offers: list[tuple[Path, float, list[str]]] = []
    paths = [(p, p.score) for p in find_paths(scorer, ask, seeds, budget, depth=depth, before=before)]
    paths += [(p, LEAP * p.score) for p in leap(scorer, ask, seeds, budget)]
    for path, score in paths:
        entities = graph.edges[path.edges[-1]].entities
        options = [v for v in sorted(entities) if v not in used and v not in path.via]
        typed = [v for v in options if graph.nodes[v].label in ask.wants]
        # where a hyperedge binds all anchors of the question it explains more
        reach = len(entities & set(seeds)) / max(1, len(seeds))
        score *= (0.9 + 0.1 * reach) * (UNTYPED if ask.wants and not typed else 1.0)
        if options and score >= MIN_SCORE:
            offers.append((path, score, typed or options))
    if then and grow is not None and scorer.use_ewo:
        for nxt in then:
            grow({v for _, _, options in offers for v in options}, nxt.words, 1)
    best: dict[frozenset[str], Candidate] = {}
    support: Counter[frozenset[str]] = Counter()
    for path, score, options in offers:
        worth = _worth(scorer, options, ask, then, path)
        ordered = sorted(options, key=lambda v: (-worth[v] * _likely(graph, v, ask, known), v))[:GROUP]
        for members in [ordered] if together else [[v] for v in options]:
            kind = max(_likely(graph, v, ask, known) for v in members)
            promise = max(worth[v] for v in members) if then and scorer.use_ewo else None
            key = frozenset(members)
            support[key] += 1
            value = score * kind * (1.0 if together else 0.97 + 0.03 * worth[members[0]])
            if key not in best or value > best[key].score:
                best[key] = Candidate(members[0], path, value, tuple(members) if len(members) > 1 else (), promise)
    out = [replace(c, score=min(1.0, c.score * (1 + 0.03 * min(4, support[k] - 1)))) for k, c in best.items()]
    if not together:  # an answer of another kind is one only where there is none of the kind
        out = [c for c in out if graph.nodes[c.entity].label in ask.wants] or out
    return sorted(out, key=lambda c: (-c.rank, c.entity, c.path.edges))[:KEPT]


def _likely(graph: QueryGraph, entity: str, ask: Ask, known: Collection[str]) -> float:
    kind = 1.0 if not ask.wants or graph.nodes[entity].label == ask.wants[0] else OTHER_KIND
    return kind * (KNOWN if entity in known else 1.0)


def _worth(scorer: Scorer, options: Sequence[str], ask: Ask, then: Sequence[Ask], path: Path) -> dict[str, float]:
    """What each entity is worth as an answer: EW for the sub-questions that depend on it; of the last, its name's SE."""
    if then and scorer.use_ewo:
        found = [scorer.weights(options, nxt, path.edges) for nxt in then]
        return {v: sum(f[v] for f in found) / len(found) for v in options}
    se = scorer.similarity([scorer.graph.nodes[v].name for v in options], ask.text)
    return {v: max(0.0, float(s)) for v, s in zip(options, se, strict=True)}


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
                "leap": c.path.via[0] == "",
                "path": [
                    {"id": e, "text": graph.edges[e].text[:200], "kind": graph.edges[e].kind} for e in c.path.edges
                ],
            }
            for c in kept
        ],
        "refined": "no answer: dropped, its dependents go on from the question's own anchors" if not kept else "",
    }
