"""One hypergraph for passages, facts and observations: incidence in compressed sparse rows (AreoRAG §III-B, PRoH).

A hyperedge (a passage, a fact, an observation) binds entities in one of two roles: it is *about* some (a passage's
title, an observation's target) and it *mentions* others. Expansion needs three relations between hyperedges, and all
are products of the two incidence matrices, read row by row and never materialised: p names what t is about, t names
what p is about, and p and t bind the same entity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Incidence:
    """Hyperedge × entity weights in CSR form, with the transpose beside it.

    indptr (m + 1,), indices (nnz,) entities, weight (nnz,) in (0, 1]; t_indptr (v + 1,), t_indices hyperedges.
    """

    indptr: np.ndarray
    indices: np.ndarray
    weight: np.ndarray
    t_indptr: np.ndarray
    t_indices: np.ndarray
    t_weight: np.ndarray

    @classmethod
    def build(cls, rows: Sequence[dict[int, float]], n_entities: int) -> Incidence:
        """From one mapping entity → weight for each hyperedge."""
        indptr = np.zeros(len(rows) + 1, np.int64)
        indptr[1:] = np.cumsum([len(r) for r in rows])
        indices = np.fromiter((e for r in rows for e in sorted(r)), np.int64, int(indptr[-1]))
        weight = np.fromiter((r[e] for r in rows for e in sorted(r)), float, int(indptr[-1]))
        edge = np.repeat(np.arange(len(rows)), np.diff(indptr))
        order = np.argsort(indices, kind="stable")
        t_indptr = np.zeros(n_entities + 1, np.int64)
        t_indptr[1:] = np.cumsum(np.bincount(indices, minlength=n_entities))
        return cls(indptr, indices, weight, t_indptr, edge[order], weight[order])

    def entities(self, edge: int) -> tuple[np.ndarray, np.ndarray]:
        """Entities of one hyperedge and their weights."""
        part = slice(self.indptr[edge], self.indptr[edge + 1])
        return self.indices[part], self.weight[part]

    def edges(self, entity: int) -> tuple[np.ndarray, np.ndarray]:
        """Hyperedges of one entity and their weights."""
        part = slice(self.t_indptr[entity], self.t_indptr[entity + 1])
        return self.t_indices[part], self.t_weight[part]


class Hypergraph:
    """Hyperedges over named entities, with the three relations that expansion walks.

    Parameters
    ----------
    about : for each hyperedge, names of what it is about (title, target) → weight
    mentions : for each hyperedge, names it mentions → weight
    also : for each hyperedge, further names it binds, which are no hyperedge's subject
    crowd : an entity bound by more hyperedges than this carries no relation (it tells nothing apart)
    """

    def __init__(
        self,
        about: Sequence[dict[str, float]],
        mentions: Sequence[dict[str, float]],
        also: Sequence[Iterable[str]] | None = None,
        *,
        crowd: int = 60,
    ) -> None:
        extra: Sequence[Iterable[str]] = also if also is not None else [()] * len(about)
        names: dict[str, int] = {}
        for row in (*about, *mentions, *extra):
            for name in row:
                names.setdefault(name, len(names))
        self.names = list(names)
        self.n = len(about)
        self.about = Incidence.build([{names[e]: w for e, w in r.items()} for r in about], len(names))
        self.mentions = Incidence.build([{names[e]: w for e, w in r.items()} for r in mentions], len(names))
        both = [{names[e]: 1.0 for e in (*a, *m, *x)} for a, m, x in zip(about, mentions, extra, strict=True)]
        self.binds = Incidence.build(both, len(names))
        degree = np.diff(self.binds.t_indptr)
        self.shared = (degree >= 2) & (degree <= crowd)
        n = max(self.n, 2)
        self.idf = np.where(degree > 0, np.log(n / np.maximum(degree, 1)) / np.log(n), 0.0)

    @classmethod
    def from_bindings(cls, bindings: Iterable[Iterable[tuple[str, str]]], *, crowd: int = 60) -> Hypergraph:
        """From (role, name) pairs of each hyperedge, as ``BINDS`` holds them; roles target, feature, subject and title
        say what the hyperedge is about."""
        about: list[dict[str, float]] = []
        mentions: list[dict[str, float]] = []
        for pairs in bindings:
            rows: dict[bool, dict[str, float]] = defaultdict(dict)
            for role, name in pairs:
                rows[role.lower() in ("target", "feature", "subject", "title")][name.lower()] = 1.0
            about.append(rows[True])
            mentions.append(rows[False])
        return cls(about, mentions, crowd=crowd)

    def relations(self, edge: int) -> tuple[np.ndarray, np.ndarray]:
        """Hyperedges related to `edge`, and by what.

        Returns
        -------
        targets (t,) int, ascending, without `edge`; strengths (t, 3) in [0, 1]: `edge` names what the target is about
        (divided by the root of the homonyms), the target names what `edge` is about (divided by the root of the
        number that do), both bind an entity (its normalised inverse frequency; the rarest counts).
        """
        found: dict[int, list[float]] = {}
        named, weights = self.mentions.entities(edge)
        for e, w in zip(named, weights, strict=True):
            targets, strength = self.about.edges(int(e))
            for t, s in zip(targets.tolist(), strength.tolist(), strict=True):
                row = found.setdefault(t, [0.0, 0.0, 0.0])
                row[0] = max(row[0], float(w) * s / len(targets) ** 0.5)
        for e, w in zip(*self.about.entities(edge), strict=True):
            targets, strength = self.mentions.edges(int(e))
            for t, s in zip(targets.tolist(), strength.tolist(), strict=True):
                row = found.setdefault(t, [0.0, 0.0, 0.0])
                row[1] = max(row[1], float(w) * s / len(targets) ** 0.5)
        for e in self.binds.entities(edge)[0].tolist():
            if self.shared[e]:
                for t in self.binds.edges(e)[0].tolist():
                    row = found.setdefault(t, [0.0, 0.0, 0.0])
                    row[2] = max(row[2], float(self.idf[e]))
        found.pop(edge, None)
        targets_sorted = np.array(sorted(found), dtype=np.int64)
        return targets_sorted, np.array([found[int(t)] for t in targets_sorted], float).reshape(-1, 3)

    def incidences(self) -> int:
        """Number of bindings: k per k-ary fact, never k² pairs."""
        return int(self.binds.indices.size)
