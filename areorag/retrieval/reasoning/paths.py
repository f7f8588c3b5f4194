"""Reasoning paths for one sub-question: a beam over hyperedges from seed entities, guided by EWO (PRoH, step 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .budget import Budget
from .ewo import edge_weight, entity_weights
from .hypergraph import Edge, QueryGraph, stems

Embed = Callable[[Sequence[str]], np.ndarray]
LLMScore = Callable[[str, Sequence[str]], Mapping[str, float]]

BEAM = 4
POOL = 12
POOL_LATER = 6
TEXT_CHARS = 400
W_EWO, W_SE, W_WORDS, W_TARGET = 0.30, 0.35, 0.25, 0.10
DECAY = 0.85


@dataclass(frozen=True)
class Path:
    """A chain of hyperedges from a seed: ids of edges, the entity entered by at each, and the score."""

    edges: tuple[str, ...]
    via: tuple[str, ...]
    score: float


@dataclass
class Scorer:
    """Similarities of one question, computed once an item. `targets` are the target hyperedges' similarities."""

    graph: QueryGraph
    embed: Embed
    targets: Mapping[str, float]
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

    def weights(self, ids: Iterable[str], question: str) -> dict[str, float]:
        """EW of entities for a sub-question."""
        order = sorted(set(ids))
        names = [self.graph.nodes[i].name for i in order]
        se = dict(zip(order, (float(x) for x in self.similarity(names, question)), strict=True))
        if self.llm_score is None:
            return entity_weights(se)
        said = self.llm_score(question, names)
        return entity_weights(se, {i: said.get(n, 0.0) for i, n in zip(order, names, strict=True)})


def find_paths(
    scorer: Scorer, question: str, seeds: Sequence[str], budget: Budget, *, depth: int = 3, beam: int = BEAM
) -> list[Path]:
    """Best paths of 1 … depth hyperedges from the seeds, best first.

    Every hop takes the `beam` best hyperedges: of the incident ones, the `POOL` (later `POOL_LATER`) that share most
    words with the sub-question are embedded, and scored by EWO, meaning, words and being target hyperedges.
    """
    words = frozenset(w for w in stems(question))
    done: list[Path] = []
    front: list[tuple[Path, frozenset[str]]] = [(Path((), (), 1.0), frozenset(seeds))]
    for hop in range(depth):
        options: dict[tuple[str, ...], tuple[Path, frozenset[str]]] = {}
        for path, entities in front:
            for step in _steps(scorer, question, words, path, entities, budget):
                edge = scorer.graph.edges[step.edges[-1]]
                options[step.edges] = (step, edge.entities - frozenset(step.via[-1:]))
        if not options:
            break
        best = sorted(options.values(), key=lambda x: (-x[0].score, x[0].edges))[:beam]
        done += [p for p, _ in best]
        front = best
        if hop == 0 and best[0][0].score > 0.72:
            break  # a hyperedge that says it all
    return sorted(done, key=lambda p: (-p.score, p.edges))


def _steps(
    scorer: Scorer, question: str, words: frozenset[str], path: Path, entities: frozenset[str], budget: Budget
) -> list[Path]:
    graph = scorer.graph
    incident = {e for v in entities for e in graph.incident.get(v, ())} - set(path.edges)
    if path.edges:
        entities = frozenset(v for v in entities if graph.degree(v) <= 400)
    pool = sorted(incident, key=lambda e: (-_prior(scorer, e, words), e))[: POOL_LATER if path.edges else POOL]
    if not pool or not budget.take_edges(len(pool)):
        return []
    texts = [graph.edges[e].text[:TEXT_CHARS] for e in pool]
    se = scorer.similarity(texts, question)
    here = graph.edges[path.edges[-1]].entities if path.edges else entities
    shared = {v for e in pool for v in graph.edges[e].entities & here}
    weights = scorer.weights(shared, question) if scorer.use_ewo else {}
    out = []
    for e, s in zip(pool, se, strict=True):
        edge = graph.edges[e]
        ewo = edge_weight(here, edge.entities, weights) if scorer.use_ewo else 0.0
        local = (
            W_EWO * ewo
            + W_SE * max(0.0, float(s))
            + W_WORDS * graph.overlap(e, words)
            + W_TARGET * max(0.0, scorer.targets.get(e, 0.0))
        ) / (W_EWO * scorer.use_ewo + W_SE + W_WORDS + W_TARGET)
        if edge.kind == "Synonym":
            local = max(local, 0.5)
        via = _door(edge, entities, weights)
        if via:
            score = local if not path.edges else DECAY * (path.score * len(path.edges) + local) / (len(path.edges) + 1)
            out.append(Path((*path.edges, e), (*path.via, via), score))
    return out


def _prior(scorer: Scorer, edge_id: str, words: frozenset[str]) -> float:
    return scorer.graph.overlap(edge_id, words) + 0.5 * max(0.0, scorer.targets.get(edge_id, 0.0))


def _door(edge: Edge, entities: frozenset[str], weights: Mapping[str, float]) -> str:
    """The entity a hyperedge is entered by: of those it shares, the one with the largest weight."""
    shared = edge.entities & entities
    return max(sorted(shared), key=lambda v: weights.get(v, 0.0)) if shared else ""
