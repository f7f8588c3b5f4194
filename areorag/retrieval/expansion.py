"""Adaptive expansion over hyperedges (AreoRAG §III-C 1–2): pseudo-binary triples, f_θ, threshold τ₀ − c·i.

From the topic entities each step fetches incident hyperedges in Cypher over ``BINDS``. A supernode ("CRISM" binds every
CRISM record) never opens: beyond `fan_out` hyperedges only those that are already candidates are looked at. Triples
scoring at least τ are kept; while fewer than M are kept, τ is lowered by c, down to 0; the tails of kept triples form
the next frontier, `max_depth` steps at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..graph.ids import entity_id
from ..planet.lexicon import get_lexicon
from .intent.model import SpatialIntent
from .plausibility import Plausibility, Triples

if TYPE_CHECKING:
    from ..graph.connection import Database

FloatArray = npt.NDArray[np.float64]
Coordinates = Callable[[str], tuple[float, npt.NDArray[np.float64]] | None]
FAN_OUT = 100
MAX_EDGES = 40
MAX_FRONTIER = 24
MAX_ROWS = 300


@dataclass(frozen=True)
class Triple:
    """A kept pseudo-binary triple; names are for people."""

    head: str
    head_name: str
    edge: str
    tail: str
    tail_name: str
    role: str
    score: float
    hop: int

    def __str__(self) -> str:
        return f"{self.head_name} → {self.edge} → {self.tail_name}"


@dataclass
class Expansion:
    """What the search kept.

    Attributes
    ----------
    triples : kept, best first
    plausibility : hyperedge id → best score of a triple through it
    paths : hyperedge id → the triples from a topic entity to it, for provenance
    thresholds : τ in force when each step ended
    seeds : topic entities found in the graph
    """

    triples: list[Triple] = field(default_factory=list)
    plausibility: dict[str, float] = field(default_factory=dict)
    paths: dict[str, list[Triple]] = field(default_factory=dict)
    thresholds: list[float] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)
    steps: int = 0
    queries: int = 0


def topic_entities(intent: SpatialIntent, features: Iterable[str] = ()) -> list[str]:
    """Ids the question's own words can have in the graph: places, instruments, platforms, properties."""
    out = [entity_id("Feature", name) for name in dict.fromkeys([*intent.places, *features])]
    out += [entity_id("Instrument", name) for name in intent.instruments]
    out += [entity_id("Platform", name) for name in intent.platforms]
    lexicon = get_lexicon()
    for name in intent.properties:
        term = lexicon.get(name)
        names = dict.fromkeys([name, *([term.name, *(lexicon.narrower(term.name)[:20])] if term else [])])
        for label in ("Mineral", "Concept", "Element"):
            out += [entity_id(label, n) for n in names]
    return list(dict.fromkeys(out))


@dataclass(frozen=True)
class Search:
    """Limits of one search (settings: τ₀ = 0.5, c = 0.1, M, depth)."""

    tau0: float = 0.5
    decay: float = 0.1
    minimum: int = 12
    max_depth: int = 3
    fan_out: int = FAN_OUT
    max_edges: int = MAX_EDGES
    max_frontier: int = MAX_FRONTIER
    max_rows: int = MAX_ROWS


def expand(
    db: Database,
    seeds: Sequence[str],
    candidates: Sequence[str],
    question: npt.NDArray[np.float32],
    *,
    entity_vectors: Callable[[list[str]], npt.NDArray[np.float32]],
    edge_vector: Callable[[str], npt.NDArray[np.float32] | None],
    coordinates: Coordinates,
    model: Plausibility,
    search: Search | None = None,
    K: float = -1.0,
) -> Expansion:
    """Search from the topic entities.

    Parameters
    ----------
    seeds : ids of topic entities; those the graph does not know are ignored
    candidates : ids of hyperedges that supernodes may open
    question : (d,) φ(q)
    entity_vectors : names → (n, d) φ(e)
    edge_vector : hyperedge id → φ(f), or None (then the triple is left out)
    coordinates : name of an entity or id of a hyperedge → (ρ, u), or None where it has no place
    """
    limits = search or Search()
    out = Expansion()
    if not seeds:
        return out
    names: dict[str, str] = {}
    topics = set(seeds)
    hop_of = dict.fromkeys(seeds, 0)
    frontier = list(seeds)[: limits.max_frontier * 4]
    seen: set[tuple[str, str, str]] = set()
    for hop in range(limits.max_depth):
        if not frontier:
            break
        found = db.read(
            "retrieval_expand",
            frontier=frontier,
            candidates=list(candidates),
            fan_out=limits.fan_out,
            edges=limits.max_edges,
        )
        out.queries += 1
        out.steps = hop + 1
        if hop == 0:
            topics = {row["head"] for row in found}
            out.seeds = sorted(topics)
        rows = _rows(found, names, limits.max_rows)
        batch = _new_rows(rows, seen, edge_vector)
        if not batch:
            break
        scores = _score(batch, names, topics, hop_of, hop, question, entity_vectors, edge_vector, coordinates, model, K)
        tau = _threshold(scores, len(out.triples), limits)
        out.thresholds.append(tau)
        kept = [(row, s) for row, s in zip(batch, scores, strict=True) if s >= tau]
        _keep(out, kept, names, hop)
        frontier = _next_frontier(kept, hop_of, hop, limits)
        if len(out.triples) >= limits.minimum:
            break
    out.triples.sort(key=lambda t: (-t.score, t.edge, t.tail))
    return out


def _rows(found: list[dict[str, Any]], names: dict[str, str], limit: int) -> list[dict[str, Any]]:
    """(head, edge, tail, role) rows; heads of few hyperedges first, so that the limit cuts the common ones."""
    out: list[dict[str, Any]] = []
    for step in sorted(found, key=lambda r: (int(r["degree"]), r["head"], r["edge"])):
        names.setdefault(step["head"], str(step["name"] or step["head"]))
        for member in step["members"]:
            tail, name, role = member.split("\t", 2)
            names.setdefault(tail, name)
            out.append({"head": step["head"], "edge": step["edge"], "tail": tail, "role": role})
        if len(out) >= limit:
            break
    return out


def _new_rows(
    rows: list[dict[str, Any]], seen: set[tuple[str, str, str]], edge_vector: Callable[[str], Any]
) -> list[dict[str, Any]]:
    batch = []
    for row in rows:
        key = (row["head"], row["edge"], row["tail"])
        if row["tail"] == row["head"] or key in seen or edge_vector(row["edge"]) is None:
            continue
        seen.add(key)
        batch.append(row)
    return batch


def _score(
    batch: list[dict[str, Any]],
    names: dict[str, str],
    topics: set[str],
    hop_of: dict[str, int],
    hop: int,
    question: npt.NDArray[np.float32],
    entity_vectors: Callable[[list[str]], npt.NDArray[np.float32]],
    edge_vector: Callable[[str], npt.NDArray[np.float32] | None],
    coordinates: Coordinates,
    model: Plausibility,
    K: float,
) -> FloatArray:
    """(n,) f_θ of the rows."""
    members: dict[str, set[str]] = {}
    for row in batch:
        members.setdefault(row["edge"], set()).update((row["head"], row["tail"]))
    wanted = list(dict.fromkeys([names[r["head"]] for r in batch] + [names[r["tail"]] for r in batch]))
    vectors = entity_vectors(wanted)
    at = {name: i for i, name in enumerate(wanted)}
    edges = np.stack([np.asarray(edge_vector(r["edge"])) for r in batch])
    head_rho, head_u = _places(
        [names[r["head"]] for r in batch], [r["edge"] for r in batch], coordinates, edge_first=False
    )
    tail_rho, tail_u = _places(
        [names[r["tail"]] for r in batch], [r["edge"] for r in batch], coordinates, edge_first=True
    )
    triples = Triples(
        question=question,
        head=vectors[[at[names[r["head"]]] for r in batch]],
        edge=edges,
        tail=vectors[[at[names[r["tail"]]] for r in batch]],
        head_hop=np.array([hop_of.get(r["head"], hop) for r in batch], dtype=np.float64),
        tail_hop=np.array([hop_of.get(r["tail"], hop + 1) for r in batch], dtype=np.float64),
        topic_share=np.array([len(members[r["edge"]] & topics) / len(members[r["edge"]]) for r in batch]),
        head_rho=head_rho,
        head_u=head_u,
        tail_rho=tail_rho,
        tail_u=tail_u,
    )
    return model.score(triples, K)


def _places(
    names: list[str], edges: list[str], coordinates: Coordinates, *, edge_first: bool
) -> tuple[FloatArray, FloatArray]:
    """ρ (n,) and u (n, 3) of the entities; one without a place stands where its hyperedge is (tails only)."""
    rho, u = np.full(len(names), np.nan), np.full((len(names), 3), np.nan)
    for i, (name, edge) in enumerate(zip(names, edges, strict=True)):
        found = (coordinates(edge) or coordinates(name)) if edge_first else coordinates(name)
        if found is not None:
            rho[i], u[i] = found[0], found[1][:3]
    return rho, u


def _threshold(scores: FloatArray, already: int, limits: Search) -> float:
    """τ₀, lowered by c while fewer than M triples would be kept; never below 0."""
    tau = limits.tau0
    while tau > 0 and already + int(np.sum(scores >= tau)) < limits.minimum:
        tau = max(0.0, round(tau - limits.decay, 10))
    return tau


def _keep(out: Expansion, kept: list[tuple[dict[str, Any], float]], names: dict[str, str], hop: int) -> None:
    for row, score in kept:
        triple = Triple(
            row["head"],
            names[row["head"]],
            row["edge"],
            row["tail"],
            names[row["tail"]],
            row["role"] or "",
            float(score),
            hop,
        )
        out.triples.append(triple)
        edge = row["edge"]
        if score > out.plausibility.get(edge, -1.0):
            out.plausibility[edge] = float(score)
        path = out.paths.setdefault(edge, [])
        if len(path) < 4:
            path.append(triple)


def _next_frontier(
    kept: list[tuple[dict[str, Any], float]], hop_of: dict[str, int], hop: int, limits: Search
) -> list[str]:
    """Tails of the best triples that were not opened yet."""
    best: dict[str, float] = {}
    for row, score in kept:
        if row["tail"] not in hop_of and score > best.get(row["tail"], -1.0):
            best[row["tail"]] = score
    for tail in best:
        hop_of[tail] = hop + 1
    return sorted(best, key=lambda t: (-round(best[t], 6), t))[: limits.max_frontier]
