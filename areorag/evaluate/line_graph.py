"""Ablation ``mlg``: MultiRAG's multi-source line graph in place of the hyperbolic spatial hypergraph (AreoRAG Table III).

Discrete text entities and binary edges: a record is a node, an edge joins every two records that name one place or whose
footprints meet, built for real (k records at one place: k(k−1)/2 edges). A place is known by its name alone: the records
that name it and their neighbours are candidates, a place given in numbers bounds nothing. Attributes (instrument,
time, resolution) are triples of one record and are tested as in the full system; no scale, no hyperedges, no expansion,
no midpoint.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graph.colocation_index import ColocationIndex, ColocationRules, Site
from ..retrieval.columns import Columns, topic_key
from ..retrieval.engine import Retrieval, Retriever
from ..retrieval.filters import constraints
from ..retrieval.intent.resolve import query_region
from ..retrieval.spatial_arrays import FootprintArrays

NEIGHBOUR = 0.5
"""Score of a record that shares edges with the place's own records; these count 1."""


@dataclass
class LineGraph:
    """Edges between n records, as sorted neighbour lists; `seconds` is what building them took."""

    neighbours: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)
    edges: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, columns: Columns, arrays: FootprintArrays, body: str) -> LineGraph:
        """Build every edge. Masked records (no targets) have none: their incidence is hidden."""
        began = time.perf_counter()
        pairs: set[tuple[int, int]] = set()
        by_place: dict[str, list[int]] = {}
        for row, targets in enumerate(columns.targets):
            for name in targets:
                by_place.setdefault(name, []).append(row)
        for rows in by_place.values():
            pairs.update(combinations(rows, 2))
        index = ColocationIndex(ColocationRules())
        at = {id_: i for i, id_ in enumerate(arrays.ids)}
        index.fill(
            [
                Site(id_, body, arrays.geography(at[id_]), float(columns.rho[row]))
                for row, id_ in enumerate(columns.ids)
                if columns.targets[row] and id_ in at
            ]
        )
        for a, b in index.line_graph():
            i, j = sorted((columns.row_of[a], columns.row_of[b]))
            pairs.add((i, j))
        lists: dict[int, list[int]] = {}
        for i, j in pairs:
            lists.setdefault(i, []).append(j)
            lists.setdefault(j, []).append(i)
        found = {i: np.array(sorted(js), dtype=np.int64) for i, js in lists.items()}
        return cls(found, len(pairs), time.perf_counter() - began)

    def support(self, seeds: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.float64]:
        """(n,) 1 for seeds, up to `NEIGHBOUR` for what shares edges with them (c/(c+1) of c edges), else 0."""
        count = np.zeros(n)
        for seed in seeds:
            near = self.neighbours.get(int(seed))
            if near is not None:
                count[near] += 1
        out = NEIGHBOUR * count / (count + 1)
        out[seeds] = 1.0
        return out


class LineGraphRetriever:
    """Retrieval over a line graph with the full system's reading of the question."""

    def __init__(self, retriever: Retriever, graph: LineGraph) -> None:
        self.r, self.graph = retriever, graph

    def retrieve(self, question: str, k: int) -> Retrieval:
        """Ranked ids by entity matches and cosine; deterministic."""
        r = self.r
        columns = r.columns.get()
        intent = r.understand(question)
        region = query_region(intent, r.gazetteer)
        keep = np.ones(len(columns), dtype=bool)
        for test in constraints(intent, columns):
            keep &= test.mask
        score = np.asarray(columns.vectors @ r.embed([question])[0], dtype=np.float64)
        names = {f.name for f in region.features} | set(intent.places)
        seeds = np.array([i for i, t in enumerate(columns.targets) if names & set(t)], dtype=np.int64)
        if len(seeds):
            support = self.graph.support(seeds, len(columns))
            keep &= support > 0
            score = score + support
        for name in intent.properties:
            rows = columns.topic_rows.get(topic_key(name))
            if rows is not None:
                score[rows] += 1.0 / len(intent.properties)
        rows = np.flatnonzero(keep)
        order = rows[np.lexsort((rows, -np.round(score[rows], 9)))]
        out = Retrieval(intent)
        out.ids = [columns.ids[i] for i in order[:k]]
        return out

    def figures(self) -> dict[str, Any]:
        """Size and cost of the graph."""
        return {"edges": self.graph.edges, "build_s": round(self.graph.seconds, 2)}
