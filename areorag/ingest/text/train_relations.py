"""Fit the (target, component) pair model to the Contains events of brat files."""

from __future__ import annotations

import numpy as np

from .brat import BratDocument
from .elements import find_elements
from .minerals import find_minerals
from .relations import PairContext, RelationModel, find_materials, pair_rows, smoothed
from .spans import Span, Zones


def gold_pairs(doc: BratDocument) -> set[tuple[str, int, int]]:
    """(target text, component start, component end) of every Contains event."""
    out = set()
    for _, targets, components in doc.contains:
        for t in targets:
            for c in components:
                if t in doc.by_id and c in doc.by_id:
                    out.add((doc.by_id[t].text, doc.by_id[c].start, doc.by_id[c].end))
    return out


def context_of(doc: BratDocument) -> PairContext:
    """Pair context with gold targets and found components, which is what training sees."""
    zones = Zones(doc.text)
    targets = [s for s in doc.spans if s.type == "Target"]
    found: set[Span] = set(find_elements(doc.text, zones)) | set(find_minerals(doc.text, zones))
    found |= set(find_materials(doc.text, zones))
    return PairContext(doc.text, targets, sorted(found), zones)


class RelationData:
    """Pair contexts, candidate pairs with features, and gold pairs of a set of documents."""

    def __init__(self, documents: list[BratDocument]) -> None:
        self.documents = documents
        self.contexts = [context_of(d) for d in documents]
        self.rows = [pair_rows(c) for c in self.contexts]
        self.gold = [gold_pairs(d) for d in documents]


def fit_relations(data: RelationData, docs: list[int], c: float = 0.02) -> RelationModel:
    """Fit on `docs`; the threshold maximises the F1 of (target, component) pairs out of inner folds of `docs`, a pair
    counted once a document.

    Pairs weigh n**-0.7, n the pairs of their document: two mineralogy abstracts hold a third of the annotated pairs, and with
    equal weights the model learns the habits of their annotators.
    """
    from .train import _fit

    documents, contexts, rows, gold = data.documents, data.contexts, data.rows, data.gold

    def fit(indices: list[int]) -> dict[str, float]:
        x = [(f, (t.text, comp.start, comp.end) in gold[i]) for i in indices for comp, t, f in rows[i]]
        share = np.array([len(rows[i]) ** -0.7 for i in indices for _ in rows[i]])
        return _fit([f for f, _ in x], [y for _, y in x], c, list(share * len(x) / share.sum()))

    probability: list[dict[int, list[float]]] = []
    for seed in range(4):  # one split into inner folds leaves the threshold to chance
        order = [docs[int(i)] for i in np.random.default_rng(seed).permutation(len(docs))]
        probability.append({})
        for k in range(5):
            fold = order[k::5]
            weights = fit([d for d in docs if d not in fold])
            probability[-1] |= {i: smoothed(contexts[i], rows[i], weights) for i in fold}
    grid = np.arange(0.08, 0.62, 0.02)
    scores = []
    for threshold in grid:
        tp = fp = fn = 0
        for i in docs:
            said = {(t, documents[i].text[a:b]) for t, a, b in gold[i]}
            for p_of in probability:
                at = zip(rows[i], p_of[i], strict=True)
                found = {(t.text, comp.text) for (comp, t, _), p in at if p >= threshold}
                tp, fp, fn = tp + len(found & said), fp + len(found - said), fn + len(said - found)
        scores.append(2 * tp / max(1, 2 * tp + fp + fn))
    # the curve is jagged: the middle of the best three in a row is steadier than its highest point
    smooth = np.convolve(np.pad(scores, 1, mode="edge"), np.ones(3) / 3, "valid")
    return RelationModel(fit(docs), round(float(grid[int(smooth.argmax())]), 3))
