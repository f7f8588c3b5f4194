"""Reasoning paths for one sub-question: a beam over hyperedges from seed entities, guided by EWO (PRoH, step 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .asks import Ask
from .budget import Budget
from .ewo import edge_weight, entity_weights
from .hypergraph import Edge, QueryGraph

Embed = Callable[[Sequence[str]], np.ndarray]
LLMScore = Callable[[str, Sequence[str]], Mapping[str, float]]

BEAM = 4
POOL = 12
POOL_LATER = 6
TEXT_CHARS = 400
W_EWO, W_SE, W_WORDS, W_TARGET = 0.15, 0.25, 0.45, 0.15
DECAY = 0.85
ENOUGH = 0.5  # overlap of a hyperedge that offers what is wanted, from which no longer path is looked for
UNTYPED = 0.6


@dataclass(frozen=True)
class Path:
    """A chain of hyperedges from a seed: ids of edges, the entity entered by at each, and the score."""

    edges: tuple[str, ...]
    via: tuple[str, ...]
    score: float
    scored: int = 0  # hyperedges the score is of: synonym hyperedges are crossed, not scored


@dataclass
class Scorer:
    """Similarities of one question, each text embedded once."""

    graph: QueryGraph
    embed: Embed
    use_ewo: bool = True
    llm_score: LLMScore | None = None
    _vectors: dict[str, np.ndarray] = field(default_factory=dict)

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of texts, each embedded once."""
        missing = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        if missing:
            for t, v in zip(missing, self.embed(missing), strict=True):
                self._vectors[t] = v
        return np.stack([self._vectors[t] for t in texts])

    def similarity(self, texts: Sequence[str], question: str) -> np.ndarray:
        """SE: cosine of each text and the question, (n,)."""
        if not texts:
            return np.zeros(0)
        return np.asarray(self.vectors(texts) @ self.vectors([question])[0])

    def weights(self, ids: Iterable[str], ask: Ask, but: Iterable[str] = ()) -> dict[str, float]:
        """EW of entities for a sub-question; SE of an entity is that of the hyperedges that bind it.

        A name alone says little of what an entity is good for ("Stephen"): an entity is as near to a sub-question as the
        hyperedge that binds it and shares most words with it, `but` some (the one it was reached by), and less near
        where that one offers nothing of the kind wanted.
        """
        order = sorted(set(ids))
        found, skip = self.graph.overlaps(ask.words), set(but)
        se = {
            v: max(
                (
                    found[e] * (1.0 if self.graph.offers(e, ask.wants, (v,)) else UNTYPED)
                    for e in self.graph.incident.get(v, ())
                    if e in found and e not in skip
                ),
                default=0.0,
            )
            for v in order
        }
        if self.llm_score is None:
            return entity_weights(se)
        near = entity_weights(se)
        names = {v: self.graph.nodes[v].name for v in order if near[v] > 0}
        said = self.llm_score(ask.text, list(names.values())) if names else {}
        return entity_weights(se, {v: said.get(n, 0.0) for v, n in names.items()})


def find_paths(
    scorer: Scorer,
    ask: Ask,
    seeds: Sequence[str],
    budget: Budget,
    *,
    depth: int = 3,
    beam: int = BEAM,
    before: frozenset[str] = frozenset(),
) -> list[Path]:
    """Best paths of 1 … depth hyperedges from the seeds, best first.

    Every hop takes the `beam` best hyperedges: of the incident ones, the `POOL` (later `POOL_LATER`) that share most
    words with the sub-question are embedded, and scored by EWO, meaning, words and being target hyperedges. A synonym
    hyperedge leads from a seed to its other names without being a hop.

    Parameters
    ----------
    before : entities of the hyperedge that led to the seeds: e of EWO(e' | q, e) at the first hop
    """
    done: list[Path] = []
    front = [(Path((), (), 1.0), frozenset(seeds)), *_synonyms(scorer.graph, seeds)]
    for _ in range(depth):
        options: dict[tuple[str, ...], tuple[Path, frozenset[str]]] = {}
        for path, entities in front:
            for step in _steps(scorer, ask, path, entities, budget, before):
                edge = scorer.graph.edges[step.edges[-1]]
                options[step.edges] = (step, edge.entities - frozenset(step.via[-1:]))
        if not options:
            break
        best = sorted(options.values(), key=lambda x: (-x[0].score, x[0].edges))[: POOL if not done else beam]
        done += [p for p, _ in best]
        if any(_says_it(scorer.graph, p, ask) for p, _ in best):
            break
        front = best[:beam]
    return sorted(done, key=lambda p: (-p.score, p.edges))


def _synonyms(graph: QueryGraph, seeds: Sequence[str]) -> list[tuple[Path, frozenset[str]]]:
    out = []
    for v in seeds:
        for e in sorted(graph.incident.get(v, ())):
            others = graph.edges[e].entities.difference(seeds)
            if graph.edges[e].kind == "Synonym" and others:
                out.append((Path((e,), (v,), 1.0), others))
    return out


def _says_it(graph: QueryGraph, path: Path, ask: Ask) -> bool:
    last = path.edges[-1]
    return graph.overlap(last, ask.words) >= ENOUGH and graph.offers(last, ask.wants, path.via)


def _steps(
    scorer: Scorer, ask: Ask, path: Path, entities: frozenset[str], budget: Budget, before: frozenset[str]
) -> list[Path]:
    graph = scorer.graph
    if path.scored:
        entities = frozenset(v for v in entities if graph.degree(v) <= 400)
    incident = {e for v in entities for e in graph.incident.get(v, ())} - set(path.edges)
    pool = sorted(
        (e for e in incident if graph.edges[e].kind != "Synonym"),
        key=lambda e: (-graph.overlap(e, ask.words) - 0.5 * ask.targets.get(e, 0.0), e),
    )[: POOL_LATER if path.scored else POOL]
    if not pool or not budget.take_edges(len(pool)):
        return []
    se = scorer.similarity([graph.edges[e].text[:TEXT_CHARS] for e in pool], ask.text)
    here = graph.edges[path.edges[-1]].entities if path.scored else entities | before
    weights: Mapping[str, float] = {}
    if scorer.use_ewo:
        weights = scorer.weights({v for e in pool for v in graph.edges[e].entities & here}, ask)
    out = []
    for e, s in zip(pool, se, strict=True):
        local = _local(scorer, ask, e, float(s), edge_weight(here, graph.edges[e].entities, weights))
        via = _door(graph.edges[e], entities, weights)
        n = path.scored
        score = DECAY * (path.score * n + local) / (n + 1) if n else local
        out.append(Path((*path.edges, e), (*path.via, via), score, n + 1))
    return out


def _local(scorer: Scorer, ask: Ask, edge_id: str, se: float, ewo: float) -> float:
    """Score of one hyperedge for a sub-question in [0, 1]: the weighted mean of the parts that are switched on."""
    w_ewo = W_EWO if scorer.use_ewo else 0.0
    w_target = W_TARGET if ask.targets else 0.0
    return (
        w_ewo * ewo
        + W_SE * max(0.0, se)
        + W_WORDS * scorer.graph.overlap(edge_id, ask.words)
        + w_target * ask.targets.get(edge_id, 0.0)
    ) / (w_ewo + W_SE + W_WORDS + w_target)


def leap(scorer: Scorer, ask: Ask, seeds: Sequence[str], budget: Budget) -> list[Path]:
    """Target hyperedges of a sub-question that bind none of its seeds, as paths that nothing leads to.

    What a question says of a fact may find it where the way to it is not written in the graph, or was lost by a wrong
    answer before.
    """
    near = {e for v in seeds for e in scorer.graph.incident.get(v, ())}
    far = [e for e in ask.targets if e in scorer.graph.edges and e not in near]
    if not far or not budget.take_edges(len(far)):
        return []
    se = scorer.similarity([scorer.graph.edges[e].text[:TEXT_CHARS] for e in far], ask.text)
    found = [Path((e,), ("",), _local(scorer, ask, e, float(s), 0.0), 1) for e, s in zip(far, se, strict=True)]
    return sorted(found, key=lambda p: (-p.score, p.edges))


def _door(edge: Edge, entities: frozenset[str], weights: Mapping[str, float]) -> str:
    """The entity a hyperedge is entered by: of those it shares, the one with the largest weight."""
    return max(sorted(edge.entities & entities), key=lambda v: weights.get(v, 0.0))
