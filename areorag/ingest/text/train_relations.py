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


def fit_relations(documents: list[BratDocument], docs: list[int], c: float = 0.05) -> RelationModel:
    """Fit on `docs`; the threshold maximises the F1 of out-of-fold (target, component) pairs, a pair counted once a
    document.
    """
    from .train import _fit

    contexts = {i: context_of(documents[i]) for i in docs}
    rows = {i: pair_rows(contexts[i]) for i in docs}
    gold = {i: gold_pairs(documents[i]) for i in docs}

    def fit(indices: list[int]) -> dict[str, float]:
        x = [(f, (t.text, comp.start, comp.end) in gold[i]) for i in indices for comp, t, f in rows[i]]
        return _fit([f for f, _ in x], [y for _, y in x], c)

    probability: dict[int, list[float]] = {}
    for k in range(5):
        fold = docs[k::5]
        weights = fit([d for d in docs if d not in fold])
        for i in fold:
            probability[i] = smoothed(contexts[i], rows[i], weights)
    best = (0.0, 0.5)
    for threshold in np.arange(0.1, 0.6, 0.025):
        tp = fp = fn = 0
        for i in docs:
            said = {(t, documents[i].text[a:b]) for t, a, b in gold[i]}
            found = {
                (t.text, comp.text) for (comp, t, _), p in zip(rows[i], probability[i], strict=True) if p >= threshold
            }
            tp, fp, fn = tp + len(found & said), fp + len(found - said), fn + len(said - found)
        best = max(best, (2 * tp / max(1, 2 * tp + fp + fn), float(threshold)))
    return RelationModel(fit(docs), round(best[1], 3))
