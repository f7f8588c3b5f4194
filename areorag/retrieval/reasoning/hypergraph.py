"""The query subgraph: hyperedges and entities around what a question names, read hop by hop (PRoH, step 2).

Each hop is one Cypher statement with a cap per entity, so that a supernode ("Mars", "ChemCam") brings its hyperedges
that share most words with the question and not all of them. What a chain of sub-questions reaches beyond that is read
when it is reached (`grower`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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

GLUED = 5  # letters from which a word is found inside a longer one: texts from PDFs glue words


def stem(word: str) -> str:
    """A folded word without a plural s, -ed or -ing: what it begins with in other forms.

    >>> stem("contains"), stem("contained"), stem("glass")
    ('contain', 'contain', 'glass')
    """
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for end in ("ing", "ed"):
        if len(word) >= GLUED + len(end) and word.endswith(end):
            return word[: -len(end)]
    return word


def stems(text: str) -> list[str]:
    """Stems of the content words, in order of the text."""
    words = (m[0] for m in WORD.finditer(text.casefold()))
    return [stem(w) for w in words if w not in STOP and (len(w) > 1 or w.isdigit())]


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
    _texts: dict[str, str] = field(default_factory=dict)
    _holders: dict[str, set[str]] = field(default_factory=dict)
    _overlaps: dict[tuple[int, tuple[tuple[str, float], ...]], dict[str, float]] = field(default_factory=dict)

    def add(self, edge: Edge, nodes: Iterable[Node], hop: int) -> None:
        """Add an edge and what it binds."""
        if edge.id in self.edges:
            return
        self.edges[edge.id] = edge
        self.hops[edge.id] = hop
        self.words[edge.id] = frozenset(stems(edge.text))
        self._texts[edge.id] = edge.text.casefold()
        for word, holders in self._holders.items():
            if self._has(edge.id, word):
                holders.add(edge.id)
        for node in nodes:
            self.nodes.setdefault(node.id, node)
            self.incident[node.id].add(edge.id)

    def _has(self, edge_id: str, word: str) -> bool:
        return word in self.words[edge_id] or (len(word) >= GLUED and word in self._texts[edge_id])

    def holders(self, word: str) -> set[str]:
        """Hyperedges whose text has the word (folded, without a plural s), alone or glued to another."""
        if word not in self._holders:
            self._holders[word] = {e for e in self.edges if self._has(e, word)}
        return self._holders[word]

    def overlaps(self, words: Mapping[str, float]) -> dict[str, float]:
        """Share of the weight × idf of `words` that a hyperedge's text has, in (0, 1], for those that have any.

        A word that no hyperedge here has tells none from another and is left out.
        """
        key = (len(self.edges), tuple(words.items()))
        if key not in self._overlaps:
            values = {
                w: weight * (math.log((len(self.edges) + 1) / (1 + len(self.holders(w)))) + 1.0)
                for w, weight in words.items()
                if self.holders(w)
            }
            found: dict[str, float] = defaultdict(float)
            for w, value in values.items():
                for e in self.holders(w):
                    found[e] += value
            total = sum(values.values())
            self._overlaps[key] = {e: x / total for e, x in found.items()}
        return self._overlaps[key]

    def overlap(self, edge_id: str, words: Mapping[str, float]) -> float:
        """`overlaps` of one hyperedge; 0 where it has none of the words."""
        return self.overlaps(words).get(edge_id, 0.0)

    def offers(self, edge_id: str, labels: Sequence[str], but: Iterable[str] = ()) -> bool:
        """True when the hyperedge binds an entity of one of the labels (of any, where none is wanted) beside `but`."""
        others = self.edges[edge_id].entities.difference(but)
        return any(not labels or self.nodes[v].label in labels for v in others)

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


def add_edges(db: Database, graph: QueryGraph, ids: Sequence[str]) -> None:
    """Bring hyperedges and what they bind into the graph, as its hop 0."""
    missing = [i for i in ids if i not in graph.edges]
    for edge, nodes in _edges(db.read("reason_edges", ids=missing)) if missing else []:
        graph.add(edge, nodes, 0)


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
    add_edges(db, graph, first)
    front += sorted({v for e in first if e in graph.edges for v in graph.edges[e].entities}.difference(front))
    for hop in range(1, hops + 1):
        todo = [e for e in front if e not in seen][:frontier]
        if not todo or len(graph.edges) >= max_edges:
            break
        seen.update(todo)
        # the last hop leads no further: without a word of the question it leads nowhere
        found = {"words": words, "per_entity": per_entity, "least": int(hop == hops > 1), "kinds": _kinds(synonyms)}
        rows = db.read("reason_expand", ids=sorted(todo), **found)
        reached: Counter[str] = Counter()
        for edge, nodes in _edges(rows):
            if len(graph.edges) >= max_edges:
                break
            graph.add(edge, nodes, hop)
            reached.update(n.id for n in nodes)
        else:
            if not found["least"]:
                graph.whole.update(e for e in todo if graph.degree(e) < per_entity)
        front = [e for e, _ in sorted(reached.items(), key=lambda x: (x[1], x[0])) if e not in seen]
    return graph


def grower(
    db: Database, graph: QueryGraph, *, per_entity: int = 60, max_edges: int = 6000, synonyms: bool = True
) -> Callable[[Iterable[str], Iterable[str], int], None]:
    """A function that brings in the hyperedges of entities that share most words with a sub-question.

    A chain of six hops leads beyond the neighbourhood of what the question names, and a crowded entity has brought the
    hyperedges that suit the whole question. Entities whose hyperedges are all there are not read again.
    """
    read: set[tuple[str, tuple[str, ...]]] = set()
    looked: set[tuple[str, tuple[str, ...]]] = set()

    def grow(entities: Iterable[str], words: Iterable[str], least: int = 0) -> None:
        key = tuple(sorted(set(words)))
        done = looked if least else read
        todo = sorted({e for e in entities if e not in graph.whole and (e, key) not in read and (e, key) not in done})
        if not todo or len(graph.edges) >= max_edges:
            return
        done.update((e, key) for e in todo)
        found = {"words": list(key), "per_entity": per_entity, "least": least, "kinds": _kinds(synonyms)}
        rows = db.read("reason_expand", ids=todo, **found)
        hop = 1 + max((graph.hops[e] for v in todo for e in graph.incident.get(v, ())), default=0)
        for edge, nodes in _edges(rows)[: max_edges - len(graph.edges)]:
            graph.add(edge, nodes, hop)
        if not least:
            graph.whole.update(e for e in todo if graph.degree(e) < per_entity)

    return grow
