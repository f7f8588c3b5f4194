"""The query subgraph: hyperedges and entities around what a question names, read hop by hop (PRoH, step 2).

Each hop is one Cypher statement with a cap per entity, so that a supernode ("Mars", "ChemCam") brings its hyperedges
that share most words with the question and not all of them. What a chain of sub-questions reaches beyond that is read
when it is reached (`grower`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...graph.connection import Database

WORD = re.compile(r"[^\W_]+", re.UNICODE)
STOP = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "been", "by", "did", "do", "does", "for", "from", "had", "has",
        "have", "how", "in", "into", "is", "it", "its", "of", "on", "or", "our", "that", "the", "their", "them",
        "there", "these", "they", "this", "those", "to", "was", "were", "what", "when", "where", "which", "who",
        "whose", "why", "will", "with", "within", "also", "than", "then", "such", "not", "no", "both", "same", "other",
        "any", "all", "each", "per", "via", "can", "could", "may", "might", "would", "should", "about",
    )
)  # fmt: skip


def stems(text: str) -> list[str]:
    """Content words, folded, without a plural s."""
    out = []
    for m in WORD.finditer(text.casefold()):
        w = m[0]
        if w not in STOP and (len(w) > 1 or w.isdigit()):
            out.append(w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w)
    return out


@dataclass(frozen=True)
class Node:
    """An entity."""

    id: str
    name: str
    label: str


@dataclass(frozen=True)
class Edge:
    """A hyperedge: fact, observation, co-location or synonym, with the ids of what it binds."""

    id: str
    kind: str
    text: str
    entities: frozenset[str]
    source: str = ""
    confidence: float = 0.5


@dataclass
class QueryGraph:
    """The subgraph of one question. `hops` says at which hop an edge was first met, `whole` whose edges are all here."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    hops: dict[str, int] = field(default_factory=dict)
    incident: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    _df: Counter[str] = field(default_factory=Counter)

    def add(self, edge: Edge, nodes: Iterable[Node], hop: int) -> None:
        """Add an edge and what it binds."""
        if edge.id in self.edges:
            return
        self.edges[edge.id] = edge
        self.hops[edge.id] = hop
        words = frozenset(stems(edge.text))
        self.words[edge.id] = words
        self._df.update(words)
        for node in nodes:
            self.nodes.setdefault(node.id, node)
            self.incident[node.id].add(edge.id)

    def overlap(self, edge_id: str, words: frozenset[str]) -> float:
        """Share of the idf weight of `words` that the edge's text has, in [0, 1]."""
        total = found = 0.0
        n = len(self.edges) + 1
        for w in words:
            idf = math.log(n / (1 + self._df[w])) + 1.0
            total += idf
            found += idf if w in self.words[edge_id] else 0.0
        return found / total if total else 0.0

    def degree(self, node_id: str) -> int:
        """Number of edges of the subgraph that bind the entity."""
        return len(self.incident.get(node_id, ()))


def _edges(rows: list[dict[str, Any]]) -> list[tuple[Edge, list[Node]]]:
    out = []
    for r in rows:
        nodes = [Node(n["id"], n["name"] or n["id"], n["label"] or "Concept") for n in r["nodes"]]
        edge = Edge(
            r["id"],
            r["kind"],
            r["text"] or "",
            frozenset(n.id for n in nodes),
            r.get("source") or "",
            float(r.get("confidence") or 0.5),
        )
        out.append((edge, nodes))
    return out


def _kinds(synonyms: bool) -> list[str]:
    return ["Fact", "Observation", "Colocation"] + (["Synonym"] if synonyms else [])


def load_subgraph(
    db: Database,
    question: str,
    entities: Iterable[str],
    hyperedges: Iterable[str],
    *,
    hops: int = 3,
    per_entity: int = 60,
    frontier: int = 120,
    max_edges: int = 3000,
    synonyms: bool = True,
) -> QueryGraph:
    """Union of the `hops`-hop neighbourhoods of topic entities and target hyperedges.

    Parameters
    ----------
    per_entity : most hyperedges one entity brings a hop, those that share most words with the question first
    frontier : most entities that are expanded in one hop, the rarest first
    """
    graph = QueryGraph()
    words = sorted(set(stems(question)))
    seen: set[str] = set()
    front = list(dict.fromkeys(entities))
    first = sorted(set(hyperedges))
    if first:
        for edge, nodes in _edges(db.read("reason_edges", ids=first)):
            graph.add(edge, nodes, 0)
            front += [n.id for n in nodes if n.id not in front]
    for hop in range(1, hops + 1):
        todo = [e for e in front if e not in seen][:frontier]
        if not todo or len(graph.edges) >= max_edges:
            break
        seen.update(todo)
        rows = db.read("reason_expand", ids=sorted(todo), words=words, per_entity=per_entity, kinds=_kinds(synonyms))
        reached: Counter[str] = Counter()
        for edge, nodes in _edges(rows):
            if len(graph.edges) >= max_edges:
                break
            graph.add(edge, nodes, hop)
            reached.update(n.id for n in nodes)
        else:
            graph.whole.update(e for e in todo if graph.degree(e) < per_entity)
        front = [e for e, _ in sorted(reached.items(), key=lambda x: (x[1], x[0])) if e not in seen]
    return graph


def grower(
    db: Database, graph: QueryGraph, *, per_entity: int = 60, max_edges: int = 6000, synonyms: bool = True
) -> Callable[[Sequence[str], str], None]:
    """A function that brings in the hyperedges of entities that share most words with a sub-question.

    A chain of six hops leads beyond the neighbourhood of what the question names, and a crowded entity has brought the
    hyperedges that suit the whole question. Entities whose hyperedges are all there are not read again.
    """
    read: set[tuple[str, str]] = set()

    def grow(entities: Sequence[str], question: str) -> None:
        todo = sorted({e for e in entities if e not in graph.whole and (e, question) not in read})
        if not todo or len(graph.edges) >= max_edges:
            return
        read.update((e, question) for e in todo)
        words = sorted(set(stems(question)))
        rows = db.read("reason_expand", ids=todo, words=words, per_entity=per_entity, kinds=_kinds(synonyms))
        for edge, nodes in _edges(rows)[: max_edges - len(graph.edges)]:
            graph.add(edge, nodes, 1 + max((graph.hops[e] for v in todo for e in graph.incident.get(v, ())), default=0))
        graph.whole.update(e for e in todo if graph.degree(e) < per_entity)

    return grow
