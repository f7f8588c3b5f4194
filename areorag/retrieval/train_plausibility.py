"""``areorag train plausibility``: question–path pairs from the graph, and the MLP f_θ fitted to them (AreoRAG Eq. 12).

The generator takes a record, asks for it by its own place, instrument, season, resolution or mineral, and collects the
pseudo-binary triples around the topic entities. A triple is plausible when its hyperedge meets everything that was
asked. Places are divided between training, validation and test, so that no place is in two of them. Plain numpy (Adam);
the model card beside the weights says what it was trained on and how it does against the heuristic.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .columns import Columns, ColumnStore
from .expansion import topic_entities
from .filters import constraints
from .intent import parse_intent
from .plausibility import FEATURES, Plausibility, Triples, encode, heuristic, save

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.embed import Embedder
    from ..settings import Settings

log = logging.getLogger(__name__)
FloatArray = npt.NDArray[np.float64]
Progress = Callable[[str, int, int], None]
HIDDEN = 64
MIN_OBSERVATIONS = 200
PAGE = 5000

_TEMPLATES = (
    "{instrument} observations of {place}",
    "Which {instrument} data show {place} in {season}?",
    "{place} at better than {res:g} m per pixel",
    "{instrument} of {place} in Mars Year {my}",
    "what is known about {topic} at {place}?",
    "{topic} seen by {instrument} near {place}",
    "{place}, {season} of MY {my}",
    "compare the sources on {topic} in {place}",
)
_SEASONS = ("northern spring", "northern summer", "northern autumn", "northern winter")


@dataclass
class Pairs:
    """Labelled triples: features (n, FEATURES), label (n,), split (n,) in {0 train, 1 validation, 2 test}."""

    x: list[FloatArray] = field(default_factory=list)
    y: list[FloatArray] = field(default_factory=list)
    split: list[npt.NDArray[np.int64]] = field(default_factory=list)
    questions: int = 0

    def arrays(self) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
        """Everything joined."""
        return np.vstack(self.x), np.concatenate(self.y), np.concatenate(self.split)


def split_of(place: str) -> int:
    """0 (70 %), 1 (15 %) or 2 (15 %), by the place's name alone."""
    share = int(hashlib.sha256(place.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return 0 if share < 0.7 else 1 if share < 0.85 else 2


class Generator:
    """Makes question–path pairs from one graph."""

    def __init__(self, db: Database, columns: Columns, embedder: Embedder, seed: int) -> None:
        self.columns, self.embedder = columns, embedder
        self.rng = np.random.default_rng(seed)
        self.members: dict[str, list[tuple[str, str, str]]] = {}
        self.names: dict[str, str] = {}
        self.edges_of: dict[str, list[str]] = {}
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        after = ""
        while True:
            page = db.read("retrieval_incidence", after=after, limit=PAGE)
            for row in page:
                self.members[row["id"]] = [(e, n or e, r or "") for e, n, r in row["members"]]
                for entity, name, _ in self.members[row["id"]]:
                    self.names[entity] = name
                    self.edges_of.setdefault(entity, []).append(row["id"])
            if len(page) < PAGE:
                break
            after = page[-1]["id"]

    def question(self, row: int) -> tuple[str, str] | None:
        """(question, place) asked so that the record in `row` is an answer; None where it has too little."""
        c = self.columns
        places = [n for _, n, role in self.members.get(c.ids[row], ()) if role in ("place", "target")]
        instrument = c.coded["instrument"].value(row)
        if not places or instrument is None:
            return None
        place = places[int(self.rng.integers(len(places)))]
        topics = [
            n
            for _, n, role in self.members[c.ids[row]]
            if role not in ("place", "target", "instrument", "platform", "institution")
        ]
        values = {
            "instrument": instrument,
            "place": place,
            "season": _SEASONS[int(c.ls_deg[row] // 90) % 4] if np.isfinite(c.ls_deg[row]) else None,
            "my": int(c.mars_year[row]) if np.isfinite(c.mars_year[row]) else None,
            "res": float(c.resolution_m[row]) * 1.1 if np.isfinite(c.resolution_m[row]) else None,
            "topic": topics[int(self.rng.integers(len(topics)))] if topics else None,
        }
        usable = [t for t in _TEMPLATES if all(v is not None or f"{{{k}" not in t for k, v in values.items())]
        return usable[int(self.rng.integers(len(usable)))].format(**values), place

    def pairs(self, n_questions: int, progress: Progress | None = None) -> Pairs:
        """`n_questions` questions with up to 48 triples each, about as many plausible as not."""
        out = Pairs()
        order = self.rng.permutation(len(self.columns))
        for row in order:
            if out.questions >= n_questions:
                break
            made = self.question(int(row))
            if made is None:
                continue
            batch = self._batch(*made)
            if batch is None:
                continue
            x, y = batch
            out.x.append(x)
            out.y.append(y)
            out.split.append(np.full(len(y), split_of(made[1]), dtype=np.int64))
            out.questions += 1
            if progress is not None and out.questions % 50 == 0:
                progress("question-path pairs", out.questions, n_questions)
        if not out.x:
            raise UsageError("the graph gives no question: it needs observations with a place and an instrument")
        return out

    def _batch(self, question: str, place: str) -> tuple[FloatArray, FloatArray] | None:
        intent = parse_intent(question)
        topics = [t for t in topic_entities(intent, [place]) if t in self.edges_of]
        if not topics:
            return None
        edges = list(dict.fromkeys(e for t in topics for e in self.edges_of[t]))
        if len(edges) > 120:
            edges = [edges[int(i)] for i in self.rng.choice(len(edges), 120, replace=False)]
        good = self._answers(intent, place)
        rows = []
        for edge in edges:
            heads = [m for m in self.members[edge] if m[0] in topics]
            tails = self.members[edge]
            head = heads[int(self.rng.integers(len(heads)))]
            tail = tails[int(self.rng.integers(len(tails)))]
            if head[0] != tail[0]:
                rows.append((head, edge, tail, float(edge in good)))
        plausible = [r for r in rows if r[3] > 0]
        others = [r for r in rows if r[3] == 0]
        if not plausible or not others:
            return None
        keep = plausible[:24] + [others[int(i)] for i in self.rng.permutation(len(others))[:24]]
        return encode(self._triples(question, keep, set(topics))), np.array([r[3] for r in keep])

    def _answers(self, intent: Any, place: str) -> set[str]:
        """Ids that meet everything the question asks: the constraints and the place among what they bind."""
        mask = np.ones(len(self.columns), dtype=bool)
        for test in constraints(intent, self.columns):
            mask &= test.mask
        wanted = {p.lower() for p in [place, *intent.places]}
        topics = {
            t for t in topic_entities(intent) if not t.startswith(("feature:", "instrument:", "platform:"))
        } & set(self.edges_of)
        out = set()
        for edge in np.array(self.columns.ids, dtype=object)[mask]:
            members = self.members.get(edge, ())
            if any(n.lower() in wanted for _, n, _ in members) and (
                not topics or any(e in topics for e, _, _ in members)
            ):
                out.add(edge)
        return out

    def _triples(self, question: str, rows: list[Any], topics: set[str]) -> Triples:
        names = [question, *(r[0][1] for r in rows), *(r[2][1] for r in rows)]
        missing = [n for n in dict.fromkeys(names) if n not in self._vectors]
        if missing:
            made = np.asarray(self.embedder.embed(missing), dtype=np.float32)
            self._vectors.update(zip(missing, made, strict=True))
        c = self.columns
        at = [c.row_of[r[1]] for r in rows]
        share = [len({e for e, _, _ in self.members[r[1]]} & topics) / max(1, len(self.members[r[1]])) for r in rows]
        return Triples(
            question=self._vectors[question],
            head=np.stack([self._vectors[r[0][1]] for r in rows]),
            edge=c.vectors[at],
            tail=np.stack([self._vectors[r[2][1]] for r in rows]),
            head_hop=np.zeros(len(rows)),
            tail_hop=np.array([0.0 if r[2][0] in topics else 1.0 for r in rows]),
            topic_share=np.array(share),
            head_rho=self._feature_rho([r[0][1] for r in rows]),
            head_u=self._feature_u([r[0][1] for r in rows]),
            tail_rho=c.rho[at],
            tail_u=c.direction[at][:, :3],
        )

    def _feature_rho(self, names: list[str]) -> FloatArray:
        return np.array([self._place(n)[0] for n in names])

    def _feature_u(self, names: list[str]) -> FloatArray:
        return np.stack([self._place(n)[1] for n in names])

    def _place(self, name: str) -> tuple[float, FloatArray]:
        from ..planet.coordinates import to_unit
        from ..planet.gazetteer import Gazetteer

        gazetteer = Gazetteer.load("Mars")
        feature = gazetteer.find(name)
        if feature is None:
            return np.nan, np.full(3, np.nan)
        size = max(1.0, 2.0 * feature.radius_m)
        return max(0.0, float(np.log(gazetteer.body.radius_m / size))), np.asarray(to_unit(feature.lon, feature.lat))


# ---------------------------------------------------------------- fitting


def fit(
    x: FloatArray,
    y: FloatArray,
    xv: FloatArray,
    yv: FloatArray,
    seed: int,
    epochs: int = 40,
    progress: Progress | None = None,
) -> Plausibility:
    """MLP FEATURES → 64 → 1 by Adam on the logistic loss, weight decay 1e-4, best epoch by validation AUC."""
    rng = np.random.default_rng(seed)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-3
    z, zv = (x - mean) / scale, (xv - mean) / scale
    params = [
        rng.standard_normal((FEATURES, HIDDEN)) * np.sqrt(2.0 / FEATURES),
        np.zeros(HIDDEN),
        rng.standard_normal((HIDDEN, 1)) * np.sqrt(1.0 / HIDDEN),
        np.zeros(1),
    ]
    m1, m2 = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    best, kept, step = -1.0, [p.copy() for p in params], 0
    for epoch in range(epochs):
        order = rng.permutation(len(z))
        for lo in range(0, len(z), 256):
            part = order[lo : lo + 256]
            step += 1
            grads = _gradients(params, z[part], y[part], rng)
            for i, g in enumerate(grads):
                m1[i] = 0.9 * m1[i] + 0.1 * g
                m2[i] = 0.999 * m2[i] + 0.001 * g * g
                change = m1[i] / (1 - 0.9**step) / (np.sqrt(m2[i] / (1 - 0.999**step)) + 1e-8)
                params[i] = params[i] - 2e-3 * (change + 1e-4 * params[i] * (params[i].ndim > 1))
        score = auc(_forward(params, zv)[:, 0], yv)
        if score > best:
            best, kept = score, [p.copy() for p in params]
        if progress is not None:
            progress("fitting", epoch + 1, epochs)
    return Plausibility(kept[0], kept[1], kept[2], kept[3], mean, scale)


def _forward(params: list[FloatArray], z: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(z @ params[0] + params[1], 0.0) @ params[2] + params[3])


def _gradients(params: list[FloatArray], z: FloatArray, y: FloatArray, rng: np.random.Generator) -> list[FloatArray]:
    hidden = np.maximum(z @ params[0] + params[1], 0.0)
    drop = (rng.random(hidden.shape) > 0.2) / 0.8
    dropped = hidden * drop
    p = 1.0 / (1.0 + np.exp(-np.clip(dropped @ params[2] + params[3], -40, 40)))
    d_out = (p - y[:, None]) / len(y)
    d_hidden = d_out @ params[2].T * drop * (hidden > 0)
    return [z.T @ d_hidden, d_hidden.sum(axis=0), dropped.T @ d_out, d_out.sum(axis=0)]


def auc(score: FloatArray, label: FloatArray) -> float:
    """Area under the ROC curve by ranks, ties shared; 0.5 where only one class is present."""
    positive = label > 0.5
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return 0.5
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]
    return float((rank[positive].sum() - n * (n + 1) / 2.0) / (n * m))


def run(
    settings: Settings | None = None,
    seed: int = 1,
    out: Path | None = None,
    progress: Progress | None = None,
    n_questions: int = 1500,
    db: Database | None = None,
) -> dict[str, Any]:
    """Generate pairs over the graph, fit, evaluate on held-out places, write weights and model card.

    Parameters
    ----------
    out : where the weights go (default: the package's own file)
    db : an open graph; default: that of the settings

    Raises
    ------
    UsageError
        The graph holds fewer than 200 observations.
    """
    from ..graph.connection import Database as _Database
    from ..llm.embed import get_embedder
    from ..settings import load_settings

    chosen = settings or load_settings()
    if db is None:
        with _Database.open(chosen) as opened:
            return run(chosen, seed, out, progress, n_questions, opened)
    embedder = get_embedder(chosen)
    columns = ColumnStore(db, chosen, embedder).get()
    if len(columns) < MIN_OBSERVATIONS:
        raise UsageError(
            f"training needs {MIN_OBSERVATIONS} observations, the graph has {len(columns)}. Fill it with  areorag ingest PATH"
        )
    pairs = Generator(db, columns, embedder, seed).pairs(n_questions, progress)
    x, y, split = pairs.arrays()
    train, valid, test = (split == k for k in range(3))
    model = fit(x[train], y[train], x[valid], y[valid], seed, progress=progress)
    model = Plausibility(model.w1, model.b1, model.w2, model.b2, model.mean, model.scale, embedder.name)
    path = out or Path(__file__).with_name("data") / "plausibility.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    save(model, path)
    card = _card(model, pairs, x, y, split, seed, columns)
    path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    log.info(
        "plausibility: test AUC %.3f (heuristic %.3f), %d triples",
        card["test"]["auc"],
        card["test"]["auc_heuristic"],
        int(test.sum()),
    )
    return {**card, "weights": str(path)}


def _card(
    model: Plausibility,
    pairs: Pairs,
    x: FloatArray,
    y: FloatArray,
    split: npt.NDArray[np.int64],
    seed: int,
    columns: Columns,
) -> dict[str, Any]:
    assert model.w1 is not None
    assert model.w2 is not None
    assert model.mean is not None
    assert model.scale is not None
    test = split == 2
    params: list[FloatArray] = [model.w1, np.asarray(model.b1), model.w2, np.asarray(model.b2)]
    score = _forward(params, (x[test] - model.mean) / model.scale)[:, 0]
    said = score > 0
    truth = y[test] > 0.5
    return {
        "what": "f_theta: plausibility of a path (entity, hyperedge, entity) for a question",
        "architecture": f"{FEATURES} -> {HIDDEN} -> 1, ReLU, dropout 0.2 in training",
        "embedder": model.embedder,
        "trained_on": f"{pairs.questions} generated questions over a graph of {len(columns)} observations",
        "label": "a triple is plausible when its hyperedge meets every constraint of the question",
        "split": "by place (sha256 of the name): 70 % train, 15 % validation, 15 % test; no place in two",
        "triples": {"train": int((split == 0).sum()), "validation": int((split == 1).sum()), "test": int(test.sum())},
        "test": {
            "auc": round(auc(score, y[test]), 4),
            "auc_heuristic": round(auc(heuristic(x[test]), y[test]), 4),
            "auc_cosine_only": round(auc(x[test][:, 4 * 32 + 1], y[test]), 4),
            "accuracy": round(float(np.mean(said == truth)), 4),
            "positive_share": round(float(truth.mean()), 4),
        },
        "seed": seed,
        "limits": "template questions about places, instruments, seasons and minerals; it ranks, it never filters",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
