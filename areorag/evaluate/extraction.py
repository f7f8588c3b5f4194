"""`areorag eval extraction DIR`: brat annotations against the model-free extractor (contract "eval extraction").

Target, Element and Mineral spans count only when both offsets are right. A Contains event is a (target, component)
pair, counted once a document by the exact words of both; ``contains_mentions`` is the stricter count in which every
annotated component mention has to be found at its place, tied to a target of the same name.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..ingest.text.brat import BratDocument, read_brat
from ..ingest.text.extract import find_all
from ..ingest.text.relations import RelationModel
from ..ingest.text.targets import TargetModel

KINDS = ("Target", "Element", "Mineral")
Key = tuple[Any, ...]


class Count:
    """True and false positives and false negatives, summed over documents."""

    def __init__(self) -> None:
        self.tp = self.fp = self.fn = 0

    def add(self, found: set[Key], gold: set[Key]) -> None:
        """Count one document."""
        self.tp += len(found & gold)
        self.fp += len(found - gold)
        self.fn += len(gold - found)

    def result(self) -> dict[str, Any]:
        """Precision, recall, F1 in [0, 1] (None where the denominator is zero) and the counts."""

        def ratio(a: int, b: int) -> float | None:
            return round(a / b, 4) if b else None

        return {
            "precision": ratio(self.tp, self.tp + self.fp),
            "recall": ratio(self.tp, self.tp + self.fn),
            "f1": ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn),
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
        }


def _events(doc: BratDocument) -> set[tuple[str, int, int]]:
    out = set()
    for _, targets, components in doc.contains:
        for t in targets:
            for c in components:
                if t in doc.by_id and c in doc.by_id:
                    out.add((doc.by_id[t].text, doc.by_id[c].start, doc.by_id[c].end))
    return out


def score_document(
    doc: BratDocument, counts: dict[str, Count], targets: TargetModel | None, relations: RelationModel | None
) -> dict[str, Any]:
    """Predict one document and add it to `counts` where it is annotated."""
    found = find_all(doc.text, targets, relations)
    spans = {k: {(s.start, s.end) for s in found.of(k)} for k in KINDS}
    pairs = {(p.target.text, p.component.start, p.component.end) for p in found.pairs}
    words: set[Key] = {(t, doc.text[a:b]) for t, a, b in pairs}
    if doc.by_id:
        for kind in KINDS:
            counts[kind].add(set(spans[kind]), {(s.start, s.end) for s in doc.spans if s.type == kind})
        gold = _events(doc)
        counts["Contains"].add(words, {(t, doc.text[a:b]) for t, a, b in gold})
        counts["contains_mentions"].add(set(pairs), set(gold))
    return {
        "id": doc.id,
        "spans": [[s.start, s.end, s.type, s.text] for s in found.spans if s.type in KINDS],
        "contains": [
            {
                "target": [p.target.start, p.target.end, p.target.text],
                "component": [p.component.start, p.component.end, p.component.text],
                "p": round(p.probability, 3),
            }
            for p in found.pairs
        ],
    }


def run(
    directory: Path,
    progress: Callable[[int, int], None] | None = None,
    folds: int = 0,
    predictions: bool = True,
) -> dict[str, Any]:
    """Score the extractor on a directory of brat files.

    Parameters
    ----------
    directory : holds ``.txt`` and ``.ann``; a ``.txt`` alone is predicted and not scored.
    folds : 0 uses the shipped weights; k > 1 fits the weights on the other documents of each fold (needs scikit-learn),
        which is the honest figure for the directory the shipped weights were fitted to.

    Returns
    -------
    ``{n, Target, Element, Mineral, Contains: {precision, recall, f1, …}, contains_mentions, documents, seconds}``.
    """
    start = time.perf_counter()
    documents = read_brat(Path(directory))
    counts = {k: Count() for k in (*KINDS, "Contains", "contains_mentions")}
    rows: list[dict[str, Any]] = []
    for models, group in _groups(documents, folds):
        for doc in group:
            rows.append(score_document(doc, counts, *models))
            if progress:
                progress(len(rows), len(documents))
    out: dict[str, Any] = {"n": len(documents), "folds": folds}
    out |= {k: c.result() for k, c in counts.items()}
    out["seconds"] = round(time.perf_counter() - start, 3)
    if predictions:
        out["documents"] = sorted(rows, key=lambda r: str(r["id"]))
    return out


Models = tuple[TargetModel | None, RelationModel | None]


def _groups(documents: list[BratDocument], folds: int) -> list[tuple[Models, list[BratDocument]]]:
    if folds < 2:
        return [((None, None), documents)]
    from ..ingest.text.train import TargetData, fit_targets
    from ..ingest.text.train_relations import fit_relations

    data = TargetData(documents)
    indices = list(range(len(documents)))
    out: list[tuple[Models, list[BratDocument]]] = []
    for k in range(folds):
        train = [i for i in indices if i % folds != k]
        models = (fit_targets(data, train), fit_relations(documents, train))
        out.append((models, [documents[i] for i in indices if i % folds == k]))
    return out
