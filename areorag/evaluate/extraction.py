"""`areorag eval extraction DIR`: brat annotations against the model-free extractor (contract "eval extraction").

Target, Element and Mineral spans count only when both offsets are right. A Contains event is a (target, component) pair,
counted three ways: ``Contains``, once a document by the exact words of both; ``contains_mentions``, every annotated
component mention at its place, tied to a target of the same name; ``contains_spans``, both at their places.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingExtraError, SettingsError
from ..ingest.text.brat import BratDocument, read_brat
from ..ingest.text.candidates import normal
from ..ingest.text.extract import find_all
from ..ingest.text.lexicons import fingerprint, trained_on
from ..ingest.text.relations import RelationModel
from ..ingest.text.targets import TargetModel

KINDS = ("Target", "Element", "Mineral")
CONTAINS = ("Contains", "contains_mentions", "contains_spans")
#: Folds over the documents that the shipped weights know, and how many of them a directory must have for folds.
AUTO_FOLDS, FEWEST = 5, 15
RESAMPLES = 2000
Key = tuple[Any, ...]
Models = tuple[TargetModel | None, RelationModel | None]
SHIPPED: Models = (None, None)


class Count:
    """True and false positives and false negatives of every document."""

    def __init__(self) -> None:
        self.documents: list[tuple[int, int, int]] = []

    def add(self, found: set[Key], gold: set[Key]) -> None:
        """Count one document."""
        self.documents.append((len(found & gold), len(found - gold), len(gold - found)))

    def result(self) -> dict[str, Any]:
        """Precision, recall, F1 in [0, 1] (None where the denominator is zero), the counts, and ``f1_95``: between what the
        F1 lies in 95 % of 2,000 resamples of the documents.
        """
        rows = np.array(self.documents, dtype=np.int64).reshape(-1, 3)
        tp, fp, fn = (int(x) for x in rows.sum(axis=0))

        def ratio(a: int, b: int) -> float | None:
            return round(a / b, 4) if b else None

        return {
            "precision": ratio(tp, tp + fp),
            "recall": ratio(tp, tp + fn),
            "f1": ratio(2 * tp, 2 * tp + fp + fn),
            "f1_95": _interval(rows) if 2 * tp + fp + fn else None,
            "tp": tp,
            "fp": fp,
            "fn": fn,
        }


def _interval(rows: np.ndarray) -> list[float]:
    drawn = np.random.default_rng(0).integers(len(rows), size=(RESAMPLES, len(rows)))
    tp, fp, fn = rows[drawn].sum(axis=1).T
    f1 = 2 * tp / np.maximum(2 * tp + fp + fn, 1)
    return [round(float(x), 3) for x in np.percentile(f1, [2.5, 97.5])]


def _events(doc: BratDocument) -> set[Key]:
    """(target start, end, component start, end) of every annotated pair."""
    out: set[Key] = set()
    for _, targets, components in doc.contains:
        for t in (doc.by_id[x] for x in targets if x in doc.by_id):
            out |= {(t.start, t.end, c.start, c.end) for c in (doc.by_id[x] for x in components if x in doc.by_id)}
    return out


def score_document(doc: BratDocument, counts: dict[str, Count], models: Models = SHIPPED) -> dict[str, Any]:
    """Predict one document and add it to `counts` where it is annotated."""
    found = find_all(doc.text, *models)
    spans = {k: {(s.start, s.end) for s in found.of(k)} for k in KINDS}
    if doc.by_id:
        text = doc.text
        pairs: set[Key] = {(p.target.start, p.target.end, p.component.start, p.component.end) for p in found.pairs}
        for kind in KINDS:
            counts[kind].add(set(spans[kind]), {(s.start, s.end) for s in doc.spans if s.type == kind})
        gold = _events(doc)
        counts["contains_spans"].add(pairs, gold)
        pairs, gold = ({(text[a:b], c, d) for a, b, c, d in x} for x in (pairs, gold))
        counts["contains_mentions"].add(pairs, gold)
        counts["Contains"].add(*({(t, text[c:d]) for t, c, d in x} for x in (pairs, gold)))
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
    folds: int | str = "auto",
    predictions: bool = True,
    names: bool = True,
) -> dict[str, Any]:
    """Score the extractor on a directory of brat files.

    Parameters
    ----------
    directory : holds ``.txt`` and ``.ann``; a ``.txt`` alone is predicted and not scored.
    folds : ``auto`` uses the shipped weights for documents they were not fitted to, and weights fitted to the other
        documents of the directory for those they were. ``shipped`` or 0: the shipped weights for all. k > 1: k folds over
        the documents. ``targets``: every document by weights fitted to the documents that share no target name with it,
        the nearest thing to another year. Folds need scikit-learn.
    names : False hides the shipped list of target names from weights and documents (folds only).

    Returns
    -------
    ``{n, folds, weights: {shipped, folds, in_sample}, Target, Element, Mineral, Contains: {precision, recall, f1, …},
    contains_mentions, contains_spans, documents, seconds}``; `weights` counts documents by where their weights came from.

    Raises
    ------
    SettingsError
        `folds` is none of these, or larger than the number of documents.
    """
    start = time.perf_counter()
    documents = read_brat(Path(directory))
    groups, origin = plan(documents, folds, names)
    counts = {k: Count() for k in (*KINDS, *CONTAINS)}
    rows: list[dict[str, Any]] = []
    for models, group in groups:
        weights = models()
        for doc in group:
            rows.append(score_document(doc, counts, weights))
            if progress:
                progress(len(rows), len(documents))
    out: dict[str, Any] = {"n": len(documents), "folds": folds, "weights": origin}
    out["annotated"] = sum(bool(d.by_id) for d in documents)
    out |= {k: c.result() for k, c in counts.items()}
    out["seconds"] = round(time.perf_counter() - start, 3)
    if predictions:
        out["documents"] = sorted(rows, key=lambda r: str(r["id"]))
    return out


Group = tuple[Callable[[], Models], list[BratDocument]]


def plan(documents: list[BratDocument], folds: int | str, names: bool = True) -> tuple[list[Group], dict[str, int]]:
    """Which weights judge which documents; and how many documents by shipped weights, by folds, and in sample."""
    known = [d for d in documents if fingerprint(d.text) in trained_on()]
    if folds == "auto":
        new = [d for d in documents if d not in known]
        if len(known) >= FEWEST and _can_fit():
            groups = _folded(known, _every(len(known), AUTO_FOLDS), names)
            return [*groups, (lambda: SHIPPED, new)], {"shipped": len(new), "folds": len(known), "in_sample": 0}
        folds = "shipped"
    if folds in ("shipped", 0):
        return [(lambda: SHIPPED, documents)], {"shipped": len(documents), "folds": 0, "in_sample": len(known)}
    if folds == "targets":
        splits = _blocked(documents)
    elif isinstance(folds, int) or folds.isdigit():
        if not 1 < int(folds) <= len(documents):
            raise SettingsError(f"{folds} folds of {len(documents)} documents: give 2 to {len(documents)}")
        splits = _every(len(documents), int(folds))
    else:
        raise SettingsError(f"Folds are 'auto', 'shipped', 'targets' or a number, not {folds!r}")
    return _folded(documents, splits, names), {"shipped": 0, "folds": len(documents), "in_sample": 0}


def _can_fit() -> bool:
    from importlib.util import find_spec

    return find_spec("sklearn") is not None


def _every(n: int, k: int) -> list[tuple[list[int], list[int]]]:
    """(training, test) indices of k folds: every k-th document is tested."""
    return [([i for i in range(n) if i % k != f], [i for i in range(n) if i % k == f]) for f in range(k)]


def _blocked(documents: list[BratDocument]) -> list[tuple[list[int], list[int]]]:
    """(training, test) indices: each document with targets alone, against those that share no target name with it."""
    said = [{normal(s.text).lower() for s in d.spans if s.type == "Target"} for d in documents]
    every = range(len(documents))
    bare = [i for i in every if not said[i]]
    out = [([j for j in every if j not in test], test) for test in (bare[k::5] for k in range(5)) if test]
    return out + [([j for j in every if j != i and not said[i] & said[j]], [i]) for i in every if said[i]]


def _folded(documents: list[BratDocument], splits: list[tuple[list[int], list[int]]], names: bool) -> list[Group]:
    if not _can_fit():
        raise MissingExtraError("scikit-learn", "train")
    from ..ingest.text.train import LIST, TargetData, fit_targets
    from ..ingest.text.train_relations import RelationData, fit_relations

    targets, relations = TargetData(documents), RelationData(documents)
    hidden = frozenset() if names else LIST

    def models(train: list[int]) -> Callable[[], Models]:
        return lambda: (fit_targets(targets, train, drop=hidden), fit_relations(relations, train))

    return [(models(train), [documents[i] for i in test]) for train, test in splits if test]
