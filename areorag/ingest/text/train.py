"""Fit the target and relation models of the model-free extractor to brat files (needs scikit-learn: `[train]`).

Documents are the unit of every split: a name seen in training says nothing about the names of another abstract.
"""

from __future__ import annotations

import json
import logging
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError
from .brat import BratDocument, read_brat
from .candidates import Candidate, find_candidates
from .lexicons import fingerprint
from .spans import Zones
from .targets import TargetModel, mentions_of, score, second_features

log = logging.getLogger(__name__)
Rows = list[dict[str, float]]
#: Features that say a name is in the shipped list.
LIST = frozenset({"known", "near_known"})


def _fit(rows: Rows, labels: list[bool], c: float, weights: list[float] | None = None) -> dict[str, float]:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtraError("scikit-learn", "train") from None
    names = sorted({k for r in rows for k in r} - {"bias"})
    x = np.array([[r.get(k, 0.0) for k in names] for r in rows])
    model = LogisticRegression(C=c, max_iter=2000)
    model.fit(x, np.array(labels), sample_weight=None if weights is None else np.array(weights))
    out = {k: round(float(w), 4) for k, w in zip(names, model.coef_[0], strict=True) if abs(w) > 1e-4}
    out["bias"] = round(float(model.intercept_[0]), 4)
    return out


def listed(name: str) -> bool:
    """Whether training may see that a name is listed: half of the names, so that the list never replaces context."""
    return zlib.crc32(name.encode()) % 2 == 0


def _view(name: str, features: dict[str, float], drop: frozenset[str]) -> dict[str, float]:
    hidden = drop if listed(name) else drop | LIST
    return {k: v for k, v in features.items() if k not in hidden}


class TargetData:
    """Candidates and gold names of a set of documents."""

    def __init__(self, documents: list[BratDocument]) -> None:
        self.documents = documents
        self.zones = [Zones(d.text) for d in documents]
        self.candidates: list[dict[str, Candidate]] = [
            find_candidates(d.text, z) for d, z in zip(documents, self.zones, strict=True)
        ]
        self.gold = [{(s.start, s.end) for s in d.spans if s.type == "Target"} for d in documents]

    def label(self, i: int, name: str) -> bool:
        """True when most occurrences of the name are annotated."""
        places = self.candidates[i][name].places
        return 2 * sum(p in self.gold[i] for p in places) >= len(places)


def fit_targets(
    data: TargetData, docs: list[int], *, drop: frozenset[str] = frozenset(), c: float = 0.3
) -> TargetModel:
    """Two passes; the second sees out-of-fold probabilities of the first; the threshold maximises mention F1."""

    def rows(indices: list[int]) -> tuple[Rows, list[bool], list[float]]:
        r: Rows = []
        y: list[bool] = []
        w: list[float] = []
        for i in indices:
            for name, cand in data.candidates[i].items():
                r.append(_view(name, cand.features, drop))
                y.append(data.label(i, name))
                w.append(1.0 + 0.5 * min(len(cand.places), 6))
        return r, y, w

    folds = [docs[k::5] for k in range(5)]
    first_of: dict[int, dict[str, float]] = {}
    for fold in folds:
        weights = _fit(*rows([d for d in docs if d not in fold])[:2], c, rows([d for d in docs if d not in fold])[2])
        for i in fold:
            first_of[i] = {n: score(weights, _view(n, cand.features, drop)) for n, cand in data.candidates[i].items()}
    r2: Rows = []
    y2: list[bool] = []
    w2: list[float] = []
    keys: list[tuple[int, str]] = []
    for i in docs:
        for name, cand in data.candidates[i].items():
            r2.append(_view(name, second_features(cand, first_of[i], data.candidates[i]), drop))
            y2.append(data.label(i, name))
            w2.append(1.0 + 0.5 * min(len(cand.places), 6))
            keys.append((i, name))
    second = _fit(r2, y2, 1.0, w2)
    first_rows, first_y, first_w = rows(docs)
    first = _fit(first_rows, first_y, c, first_w)
    p2 = {key: score(second, row) for key, row in zip(keys, r2, strict=True)}
    best = (0.0, 0.5)
    for threshold in np.arange(0.2, 0.8, 0.05):
        tp = fp = fn = 0
        for i in docs:
            names = {n for n in data.candidates[i] if p2[i, n] >= threshold}
            found = {(s.start, s.end) for s in mentions_of(data.documents[i].text, names)}
            tp += len(found & data.gold[i])
            fp += len(found - data.gold[i])
            fn += len(data.gold[i] - found)
        best = max(best, (2 * tp / max(1, 2 * tp + fp + fn), float(threshold)))
    return TargetModel(first, second, round(best[1], 2))


def run(directory: Path, out: Path | None = None) -> dict[str, Any]:
    """Fit on every document of `directory` and write ``target_model.json``, ``contains_model.json``, ``trained_on.txt``."""
    documents = read_brat(directory)
    data = TargetData(documents)
    model = fit_targets(data, list(range(len(documents))))
    folder = out or Path(__file__).parent / "data"
    payload = {"first": model.first, "second": model.second, "threshold": model.threshold}
    (folder / "target_model.json").write_text(json.dumps(payload, indent=0, sort_keys=True) + "\n", "utf-8")
    from .train_relations import RelationData, fit_relations

    relation = fit_relations(RelationData(documents), list(range(len(documents))))
    (folder / "contains_model.json").write_text(
        json.dumps(relation.payload(), indent=0, sort_keys=True) + "\n", "utf-8"
    )
    known = "\n".join(sorted(fingerprint(d.text) for d in documents))
    (folder / "trained_on.txt").write_text(f"# fingerprints of the documents the weights were fitted to\n{known}\n")
    return {"documents": len(documents), "targets": len(model.first), "contains": len(relation.weights)}
