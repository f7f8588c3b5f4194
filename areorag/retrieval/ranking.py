"""Scores of the candidates, the Pareto front, λ, and the region vector (Spatial-RAG §4.3–4.4, AreoRAG Eq. 13).

``total = λᵀf + 0.15·plausibility + 0.10·oem + 0.05·prior``; the front decides first among equals: an inner
layer costs 0.001 each; what is added is bounded and only ever adds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hyperbolic.distance import distance
from ..hyperbolic.midpoint import einstein, outward_midpoint
from ..planet.lexicon import get_lexicon
from .columns import Columns, topic_key
from .dense import cosine, positive, question_masks
from .hybrid import Weights, default_weights, recency, resolution_fit, sparse_score, spatial_score
from .intent.model import SpatialIntent
from .intent.resolve import D0_M
from .pareto import front_layers

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
EmbedFn = Callable[[Sequence[str]], npt.NDArray[np.float32]]

ADDED = {"plausibility": 0.15, "oem": 0.10, "prior": 0.05}
"""Weights of what is added to λᵀf."""
TOPIC_SHARE = 0.4
"""Share of f_k that a claim on the property asked decides; the cosine decides the rest."""
MENTION = 0.6
"""Topic match of a record whose text names the property without claiming anything on it."""
LAYER_STEP = 1e-3
"""Distance kept between Pareto layers, so that the front comes first among equals."""


@dataclass
class Ranked:
    """m candidates of a question with their scores.

    Attributes
    ----------
    rows : (m,) rows of the columns
    scores : name → (m,)
    layer : (m,) Pareto layer, 0 is the front
    total : (m,) final score
    order : (m,) positions, best first
    question : (d,) φ(q)
    """

    rows: IntArray
    scores: dict[str, FloatArray]
    layer: IntArray
    total: FloatArray
    order: IntArray
    weights: Weights
    question: npt.NDArray[np.float32]
    distance_m: FloatArray
    topical: bool = False
    added: list[str] = field(default_factory=list)

    def add(self, name: str, values: FloatArray) -> None:
        """Add a bounded part to the total (`ADDED`)."""
        self.scores[name] = np.clip(values, 0.0, 1.0)
        self.total = self.total + ADDED[name] * self.scores[name]
        self.added.append(name)

    def weigh(self, weights: Weights, id_rank: IntArray) -> None:
        """Take other λ for place and topic; the layers stay."""
        change = np.array([weights.spatial - self.weights.spatial, weights.semantic - self.weights.semantic])
        self.total = self.total + np.stack([self.scores["f_s"], self.scores["f_k"]], axis=1) @ change
        self.weights = weights
        self.sort(id_rank)

    def sort(self, id_rank: IntArray) -> None:
        """Order by total; equal totals by confidence and resolution fit, then by id (`Columns.id_rank`)."""
        tie = np.round(self.scores["confidence"] + self.scores["resolution_fit"], 9)
        self.order = np.lexsort((id_rank[self.rows], -tie, -np.round(self.total, 12)))

    def scores_of(self, i: int) -> dict[str, float]:
        """Every score of one candidate."""
        skip = ("f_s", "f_sparse", "f_dense") if self.weights.spatial == 0 else ()
        out = {name: round(float(v[i]), 6) for name, v in self.scores.items() if name not in skip}
        out["pareto_layer"] = float(self.layer[i])
        return out


def rank(
    intent: SpatialIntent,
    columns: Columns,
    rows: IntArray,
    distance_m: FloatArray,
    epsilon_m: float,
    bounded: bool,
    embed: EmbedFn,
    *,
    lambda_spatial: float,
    pool: int,
    without: frozenset[str] = frozenset(),
    weights: Weights | None = None,
) -> Ranked:
    """Score and order the candidates; equal scores are ordered by id.

    Parameters
    ----------
    distance_m : (m,) distance to the region, NaN where it is not known
    epsilon_m : ε in force: it halves f_sparse (10 km where it is 0)
    bounded : whether the question bounds the place
    """
    spatial_words, semantic_words = question_masks(intent)
    texts = [t for t in (intent.question, spatial_words, semantic_words) if t]
    vectors = dict(zip(texts, embed(texts), strict=True))
    f_dense = _dense(columns, rows, vectors.get(spatial_words), columns.spatial, columns.spatial_of, "dense" in without)
    f_topic = _topic(intent, columns, rows)
    f_k = _semantic(columns, rows, vectors.get(semantic_words), f_topic, bool(intent.properties), "semantic" in without)
    f_sparse = sparse_score(distance_m, epsilon_m or D0_M) if "sparse" not in without else np.zeros(len(rows))
    topical = bool(semantic_words) and "semantic" not in without
    lam = weights or default_weights(spatial_question=bounded, topical=topical, lambda_spatial=lambda_spatial)
    lam = _ablated(lam, without)
    f_s = spatial_score(f_sparse, f_dense, lam.sparse, lam.dense) if lam.spatial > 0 else np.zeros(len(rows))
    fit = resolution_fit(columns.resolution_m[rows], intent.resolution_m)
    scores = {
        "f_s": f_s,
        "f_k": f_k,
        "f_sparse": f_sparse,
        "f_dense": f_dense,
        "confidence": columns.confidence[rows],
        "resolution_fit": fit,
        "recency": recency(columns.start[rows]),
    }
    objectives = np.round(np.stack([f_s, f_k], axis=1), 9)
    layer = front_layers(objectives, limit=pool) if "pareto" not in without else np.zeros(len(rows), dtype=np.int64)
    base = objectives @ np.array([lam.spatial, lam.semantic])
    total = base - LAYER_STEP * np.minimum(layer, 20)
    out = Ranked(rows, scores, layer, total, np.arange(len(rows)), lam, vectors[intent.question], distance_m, topical)
    out.sort(columns.id_rank)
    return out


def _ablated(lam: Weights, without: frozenset[str]) -> Weights:
    sparse = 0.0 if "sparse" in without else lam.sparse
    dense = 0.0 if "dense" in without else lam.dense
    spatial = lam.spatial if sparse + dense > 0 else 0.0
    semantic = lam.semantic if "semantic" not in without else 0.0
    total = spatial + semantic
    if total <= 0:
        return Weights(1.0, 0.0, 1.0, 0.0, lam.source + ", nothing left to weigh")
    return Weights(spatial / total, semantic / total, sparse or float(dense == 0), dense, lam.source)


def _dense(
    columns: Columns,
    rows: IntArray,
    vector: npt.NDArray[np.float32] | None,
    unique: npt.NDArray[np.float32],
    of: IntArray,
    off: bool,
) -> FloatArray:
    if vector is None or off:
        return np.zeros(len(rows))
    return positive(cosine(unique, vector))[of[rows]]


def _semantic(
    columns: Columns,
    rows: IntArray,
    vector: npt.NDArray[np.float32] | None,
    topic: FloatArray,
    asked: bool,
    off: bool,
) -> FloatArray:
    cosines = _dense(columns, rows, vector, columns.semantic, columns.semantic_of, off)
    if off or not asked:
        return cosines
    return (1 - TOPIC_SHARE) * cosines + TOPIC_SHARE * topic


def _topic(intent: SpatialIntent, columns: Columns, rows: IntArray) -> FloatArray:
    """Does a record speak on the properties asked? 1: it makes a claim, `MENTION`: its text names it, else 0.

    With several properties the mean over them.
    """
    if not intent.properties:
        return np.zeros(len(rows))
    parts = []
    for name in intent.properties:
        keys = _topic_keys(name)
        claims = np.zeros(len(columns), dtype=bool)
        for key in keys:
            found = columns.topic_rows.get(key)
            if found is not None:
                claims[found] = True
        named = columns.mentions([k for k in keys if len(k) > 2])
        value = np.where(claims[rows], 1.0, np.where(named[rows], MENTION, 0.0))
        parts.append(value)
    return np.asarray(np.mean(parts, axis=0))


def _topic_keys(name: str) -> list[str]:
    lexicon = get_lexicon()
    term = lexicon.get(name)
    names = [name] if term is None else [term.name, *lexicon.narrower(term.name)]
    return list(dict.fromkeys(topic_key(n) for n in names))


# ---------------------------------------------------------------- region vector


@dataclass(frozen=True)
class RegionVector:
    """OEM of the front: a point of H for the question's region, and how near each candidate is to it."""

    rho: float
    u: FloatArray
    nearness: FloatArray
    members: int
    how: str

    def as_dict(self) -> dict[str, Any]:
        """For the audit."""
        return {"rho": self.rho, "u": [float(x) for x in self.u], "members": self.members, "how": self.how}


def region_vector(
    columns: Columns,
    ranked: Ranked,
    K: float,
    power: float,
    *,
    members: int = 32,
    without: frozenset[str] = frozenset(),
) -> RegionVector | None:
    """Aggregate the best candidates with relevance weights and rank all by distance from the result.

    nearness = 1 / (1 + d_K/4); None where no member has a place in H.
    """
    rows = ranked.rows
    placed = np.isfinite(columns.rho[rows]) & np.all(np.isfinite(columns.direction[rows]), axis=1)
    top = np.array([i for i in np.argsort(-ranked.total, kind="stable") if placed[i]][:members], dtype=np.int64)
    if len(top) == 0:
        return None
    rho, u = columns.rho[rows], columns.direction[rows]
    weight = np.maximum(ranked.total[top], 1e-6)
    if "outward" in without:
        mid, how = einstein(rho[top], u[top], weight, K), "einstein"
    else:
        mid, how = outward_midpoint(rho[top], u[top], weight, K, power), "outward midpoint"
    centre_rho, centre_u = float(mid.rho), np.asarray(mid.u)
    near = np.full(len(rows), 0.0)
    if placed.any():
        d = _distances(rho[placed], u[placed], centre_rho, centre_u, K, without)
        near[placed] = 1.0 / (1.0 + d / 4.0)
    return RegionVector(centre_rho, centre_u, near, len(top), how)


def _distances(
    rho: FloatArray, u: FloatArray, centre_rho: float, centre_u: FloatArray, K: float, without: frozenset[str]
) -> FloatArray:
    """d_K from the centre, or (ablation ``hyperbolic``) the Euclidean distance of the points ρ·u."""
    if "hyperbolic" in without:
        return np.asarray(np.linalg.norm(rho[:, None] * u - centre_rho * centre_u[None, :], axis=1))
    n = len(rho)
    return np.asarray(distance(rho, u, np.full(n, centre_rho), np.broadcast_to(centre_u, u.shape), K))
