"""Reasoning plans: a question taken apart into sub-questions that depend on one another (PRoH, step 3).

A plan is a directed acyclic graph in its Hasse reduction (no dependency that others imply). A plan with a cycle, an
unknown dependency or too many steps is rejected with a reason. Without a model the plan follows the question's own
clauses, the innermost first; a second plan takes the clauses side by side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from .hypergraph import QueryGraph

MAX_STEPS = 8

TYPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"minerals?|phases?|clays?|sulfates?|salts?", ("Mineral",)),
    (r"elements?|oxides?|ions?|species", ("Element", "Mineral", "Concept")),
    (r"instruments?|cameras?|spectrometers?|sensors?", ("Instrument",)),
    (r"targets?|rocks?|soils?|samples?|drill holes?|outcrops?|boulders?", ("Target",)),
    (r"craters?|places?|regions?|features?|sites?|valleys?|plains?|areas?|locations?", ("Feature",)),
    (r"rovers?|spacecraft|missions?|orbiters?|landers?|platforms?", ("Platform", "Concept")),
    (r"institutions?|agenc(?:y|ies)|teams?|universit(?:y|ies)", ("Institution", "Concept")),
    (r"components?|constituents?|materials?", ("Mineral", "Element", "Concept")),
)


@dataclass(frozen=True)
class Step:
    """One sub-question: `depends` are ids of steps whose answers it needs (written ``#id`` in its text)."""

    id: int
    question: str
    depends: tuple[int, ...] = ()
    wants: tuple[str, ...] = ()


@dataclass
class Plan:
    """A Hasse-reduced acyclic plan; `levels` are ids that can be answered together."""

    steps: dict[int, Step]
    levels: list[list[int]] = field(default_factory=list)
    source: str = "clauses"

    def as_dict(self) -> dict[str, Any]:
        """JSON form for the trace."""
        return {
            "source": self.source,
            "levels": self.levels,
            "steps": [
                {"id": s.id, "question": s.question, "depends": list(s.depends), "wants": list(s.wants)}
                for s in self.steps.values()
            ],
        }


class SaidStep(BaseModel):
    """A step as a model gives it."""

    id: int
    question: str = Field(max_length=400)
    depends: list[int] = Field(default_factory=list, max_length=MAX_STEPS)


class SaidPlan(BaseModel):
    """A plan as a model gives it."""

    steps: list[SaidStep] = Field(max_length=MAX_STEPS)


def wanted(question: str) -> tuple[str, ...]:
    """Labels of entities that answer a question, from the noun it asks for; () when it names none.

    >>> wanted("Which mineral was found at Windjana?")
    ('Mineral',)
    """
    head = re.match(
        r"(?i)\W*(?:in |on |at |by |with |of |from )?(?:which|what|whose)\s+((?:[\w-]+\s+){0,3}?[\w-]+)", question
    )
    first = head[1] if head else question
    for pattern, labels in TYPES:
        if re.search(rf"(?i)\b(?:{pattern})\b", first):
            return labels
    if re.match(r"(?i)\W*where\b", question):
        return ("Feature",)
    return ()


def build_plan(steps: Sequence[Step], source: str = "clauses") -> tuple[Plan | None, str]:
    """A plan of the steps, or None and why it is rejected: a cycle, a missing step, none at all, too many."""
    import networkx as nx

    if not steps:
        return None, "no steps"
    if len(steps) > MAX_STEPS:
        return None, f"more than {MAX_STEPS} steps"
    by_id = {s.id: s for s in steps}
    if len(by_id) != len(steps):
        return None, "two steps have one id"
    graph = nx.DiGraph()
    graph.add_nodes_from(by_id)
    for s in steps:
        for d in s.depends:
            if d not in by_id:
                return None, f"step {s.id} depends on step {d}, which is not there"
            graph.add_edge(d, s.id)
    if not nx.is_directed_acyclic_graph(graph):
        cycle = " → ".join(str(a) for a, _ in nx.find_cycle(graph))
        return None, f"the steps depend on one another in a circle ({cycle})"
    reduced = nx.transitive_reduction(graph)
    out = {
        i: Step(
            i, by_id[i].question, tuple(sorted(reduced.predecessors(i))), by_id[i].wants or wanted(by_id[i].question)
        )
        for i in sorted(by_id)
    }
    levels = [sorted(level) for level in nx.topological_generations(reduced)]
    return Plan(out, levels, source), ""


# ---------------------------------------------------------------- clauses
_LINK = re.compile(
    r",?\s+\b(?:that|which|who|where|in which|at which|on which|with which|by which|from which|whose)\b\s+|"
    r",?\s+\b(?=(?:found|drilled|detected|observed|measured|reported|identified|located|named|seen|analy[sz]ed|imaged|"
    r"brushed|sampled|rich|enriched|depleted|close|next|near)\s(?:in|at|by|with|on|near|from|to|as|together)\b)",
    re.I,
)
_AND = re.compile(r",?\s+\b(?:and|but)\b\s+(?:also\s+|that\s+|which\s+|where\s+)?(?=\w+\s)", re.I)
_NOUN = re.compile(r"(?i)\b(the|a|an|same|other|another|those|that)\s+([\w-]+(?:\s[\w-]+)?)\s*$")


def clauses(question: str) -> list[str]:
    """The question's clauses, the outermost first: split at relative words and participles.

    >>> clauses("Which mineral occurs in the target that ChemCam analysed at the place where Stephen lies?")
    ['Which mineral occurs in the target', 'ChemCam analysed at the place', 'Stephen lies']
    """
    text = question.strip().rstrip("?.! ")
    first = re.match(r"\W*\w+", text)
    offset = first.end() if first else 0
    parts, last = [], 0
    for m in _LINK.finditer(text, offset):
        relative = bool(m[0].strip(" ,"))
        if not relative and len(text[last : m.start()].split()) < 3:
            continue  # "that ChemCam analysed at": the participle belongs to the clause it stands in
        parts.append(text[last : m.start()].strip(" ,"))
        last = m.end()
    parts.append(text[last:].strip(" ,"))
    return [p for p in parts if p]


def clause_plans(question: str, n0: int = 2) -> list[list[Step]]:
    """Up to `n0` plans from the clauses: a chain from the innermost outwards, and the clauses side by side."""
    parts = clauses(question)
    if len(parts) < 2:
        return [[Step(1, question, (), wanted(question))]]
    chain: list[Step] = []
    n = len(parts)
    for i, part in enumerate(reversed(parts), start=1):
        outer = parts[n - i - 1] if i < n else ""
        noun = _NOUN.search(outer)
        wants = wanted("which " + noun[2]) if noun else (wanted(outer) if i < n and outer else ())
        if i == n:
            wants = wanted(question)
        text = part if i == 1 else f"{part} #{i - 1}"
        ask = f"Which {noun[2]} {part}" if noun and i < n else text
        chain.append(Step(i, f"{ask} #{i - 1}" if i > 1 and "#" not in ask else ask, (i - 1,) if i > 1 else (), wants))
    plans = [chain]
    if n0 > 1:
        side = [Step(i, p, (), ()) for i, p in enumerate(parts[1:], start=1)]
        side.append(Step(len(parts), question, tuple(s.id for s in side), wanted(question)))
        plans.append(side)
    return plans[:n0]


# ---------------------------------------------------------------- context sketch
def sketch(graph: QueryGraph, question: str, anchors: Sequence[str], depth: int = 3, width: int = 6) -> list[str]:
    """Plan context: the hyperedges within `depth` hops of the anchors that share most with the question, as lines."""
    from .hypergraph import stems

    words = dict.fromkeys(stems(question), 1.0)
    seen_edges: set[str] = set()
    front = list(anchors)
    seen = set(front)
    lines: list[str] = []
    for hop in range(1, depth + 1):
        options = sorted(
            {e for v in front for e in graph.incident.get(v, ())} - seen_edges,
            key=lambda e: (-graph.overlap(e, words), e),
        )[:width]
        if not options:
            break
        nxt: list[str] = []
        for e in options:
            seen_edges.add(e)
            edge = graph.edges[e]
            names = ", ".join(sorted(graph.nodes[v].name for v in edge.entities)[:8])
            lines.append(f"hop {hop}: {{{names}}} — {edge.text[:160]}")
            nxt += [v for v in sorted(edge.entities) if v not in seen]
        seen.update(nxt)
        front = nxt[:40]
    return lines
