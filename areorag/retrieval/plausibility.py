"""f_θ: how plausible a path (e_h, f, e_t) is for a question (AreoRAG Eq. 10–12), an MLP run in numpy.

x = [Pφ(q) ‖ Pφ(e_h) ‖ Pφ(f) ‖ Pφ(e_t) ‖ c ‖ δ ‖ ψ_geo]. P is a fixed orthonormal projection of the text embedding
(the weights stay small), c three cosines with the question (a concatenation alone cannot express them), δ the
directional distance from the topic entities carried over hyperedges (SubgraphRAG's over triples), ψ_geo = [d_K, Δρ,
cos θ, sin θ, known]. Weights ship as ``data/plausibility.npz`` (no pickle) with a model card; without weights that fit
the embedder the stated heuristic below takes over and says so.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from ..hyperbolic.distance import distance
from ..planet.coordinates import bearing_deg, to_lonlat

log = logging.getLogger(__name__)
FloatArray = npt.NDArray[np.float64]

PROJECTED = 32
HOPS = 4
N_COSINE, N_DELTA, N_PSI = 3, 2 * HOPS + 1, 5
FEATURES = 4 * PROJECTED + N_COSINE + N_DELTA + N_PSI
PROJECTION_SEED = 20260801


@dataclass
class Triples:
    """A batch of n pseudo-binary triples of one question.

    Attributes
    ----------
    question : (d,) φ(q)
    head, edge, tail : (n, d) φ(e_h), φ(f), φ(e_t)
    head_hop, tail_hop : (n,) hyperedges between the entity and the nearest topic entity
    topic_share : (n,) share of f's members that are topic entities
    head_rho, head_u, tail_rho, tail_u : (n,), (n, 3) coordinates in H; NaN where there is no place
    """

    question: npt.NDArray[np.float32]
    head: npt.NDArray[np.float32]
    edge: npt.NDArray[np.float32]
    tail: npt.NDArray[np.float32]
    head_hop: FloatArray
    tail_hop: FloatArray
    topic_share: FloatArray
    head_rho: FloatArray
    head_u: FloatArray
    tail_rho: FloatArray
    tail_u: FloatArray

    def __len__(self) -> int:
        return len(self.edge)


@lru_cache(maxsize=4)
def projection(dim: int) -> FloatArray:
    """(dim, PROJECTED) orthonormal columns, the same everywhere for one dim."""
    random = np.random.default_rng(PROJECTION_SEED + dim)
    q, _ = np.linalg.qr(random.standard_normal((dim, PROJECTED)))
    return np.asarray(q)


def psi_geo(rho_a: FloatArray, u_a: FloatArray, rho_b: FloatArray, u_b: FloatArray, K: float = -1.0) -> FloatArray:
    """(n, 5) [d_K, Δρ, cos bearing, sin bearing, known] from a to b (AreoRAG Eq. 11 with a sine beside the cosine).

    Rows without both places are zero with known = 0. d_K is scaled by 1/20, Δρ by 1/15 (their usual range).
    """
    out = np.zeros((len(rho_a), N_PSI))
    known = (
        np.isfinite(rho_a) & np.isfinite(rho_b) & np.all(np.isfinite(u_a), axis=1) & np.all(np.isfinite(u_b), axis=1)
    )
    if not known.any():
        return out
    a, b = u_a[known], u_b[known]
    out[known, 0] = np.asarray(distance(rho_a[known], a, rho_b[known], b, K)) / 20.0
    out[known, 1] = np.abs(rho_a[known] - rho_b[known]) / 15.0
    lon_a, lat_a = to_lonlat(a[:, :3])
    lon_b, lat_b = to_lonlat(b[:, :3])
    theta = np.radians(np.asarray(bearing_deg(lon_a, lat_a, lon_b, lat_b), dtype=np.float64))
    apart = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) > 1e-12
    out[known, 2] = np.where(apart, np.cos(theta), 0.0)
    out[known, 3] = np.where(apart, np.sin(theta), 0.0)
    out[known, 4] = 1.0
    return out


def delta(head_hop: FloatArray, tail_hop: FloatArray, topic_share: FloatArray) -> FloatArray:
    """(n, 9) one-hot hop counts of head and tail (0, 1, 2, 3 and more) and the share of topic entities in f."""
    eye = np.eye(HOPS)
    head = eye[np.clip(head_hop, 0, HOPS - 1).astype(int)]
    tail = eye[np.clip(tail_hop, 0, HOPS - 1).astype(int)]
    return np.hstack([head, tail, np.clip(topic_share, 0.0, 1.0)[:, None]])


def encode(batch: Triples, K: float = -1.0) -> FloatArray:
    """(n, FEATURES) the encoding x of each triple."""
    n = len(batch)
    if n == 0:
        return np.zeros((0, FEATURES))
    p = projection(batch.question.shape[0])
    q = np.asarray(batch.question, dtype=np.float64)
    head, edge, tail = (np.asarray(x, dtype=np.float64) for x in (batch.head, batch.edge, batch.tail))
    cosines = np.stack([head @ q, edge @ q, tail @ q], axis=1)
    return np.hstack(
        [
            np.broadcast_to(q @ p, (n, PROJECTED)),
            head @ p,
            edge @ p,
            tail @ p,
            cosines,
            delta(batch.head_hop, batch.tail_hop, batch.topic_share),
            psi_geo(batch.head_rho, batch.head_u, batch.tail_rho, batch.tail_u, K),
        ]
    )


@dataclass(frozen=True)
class Plausibility:
    """f_θ with its weights; `embedder` names the text model it was trained with. `w1` None: the heuristic."""

    w1: FloatArray | None = None
    b1: FloatArray | None = None
    w2: FloatArray | None = None
    b2: FloatArray | None = None
    mean: FloatArray | None = None
    scale: FloatArray | None = None
    embedder: str = ""

    @property
    def trained(self) -> bool:
        """False where the heuristic is used."""
        return self.w1 is not None

    @property
    def name(self) -> str:
        """For the trace."""
        return f"f_theta ({self.embedder})" if self.trained else "heuristic"

    def score(self, batch: Triples, K: float = -1.0) -> FloatArray:
        """(n,) plausibility in [0, 1]."""
        if len(batch) == 0:
            return np.zeros(0)
        x = encode(batch, K)
        if self.w1 is None:
            return heuristic(x)
        assert self.b1 is not None
        assert self.w2 is not None
        assert self.b2 is not None
        assert self.mean is not None
        assert self.scale is not None
        hidden = np.maximum((x - self.mean) / self.scale @ self.w1 + self.b1, 0.0)
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip((hidden @ self.w2 + self.b2)[:, 0], -40, 40))))


def heuristic(x: FloatArray) -> FloatArray:
    """Without weights: a logistic of the cosine of f with the question (×6), the share of topic entities (×1.5), how
    few hops the tail is away (−0.4 each) and nearness e^(−d_K/3) (×1, 0.5 where unknown), centred at 2.6."""
    c, d, g = 4 * PROJECTED, 4 * PROJECTED + N_COSINE, 4 * PROJECTED + N_COSINE + N_DELTA
    cosine_edge = x[:, c + 1]
    tail_hop = x[:, d + HOPS : d + 2 * HOPS] @ np.arange(HOPS)
    share = x[:, d + 2 * HOPS]
    near = np.where(x[:, g + 4] > 0, np.exp(-x[:, g] * 20.0 / 3.0), 0.5)
    return np.asarray(1.0 / (1.0 + np.exp(-(6.0 * cosine_edge + 1.5 * share - 0.4 * tail_hop + near - 2.6))))


def load(embedder: str, path: Path | None = None) -> Plausibility:
    """Weights for an embedder: `path`, else the shipped ones where they were trained with it, else the heuristic.

    Raises
    ------
    ModelError
        `path` was given and is no weights file.
    """
    if path is None:
        shipped = resources.files(__package__).joinpath("data", "plausibility.npz")
        if not shipped.is_file():
            return Plausibility()
        with resources.as_file(shipped) as file:
            model = _read(file)
    else:
        model = _read(path)
    if model.embedder != embedder:
        log.info("plausibility weights are for %s, not %s: the heuristic is used", model.embedder, embedder)
        return Plausibility()
    return model


def _read(path: Path) -> Plausibility:
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays: dict[str, Any] = {
                k: np.asarray(data[k], dtype=np.float64) for k in ("w1", "b1", "w2", "b2", "mean", "scale")
            }
            name = str(data["embedder"])
    except (OSError, ValueError, KeyError) as exc:
        raise ModelError(
            f"{path} holds no plausibility weights ({exc}). Make some with  areorag train plausibility"
        ) from None
    if arrays["w1"].shape[0] != FEATURES:
        raise ModelError(f"{path}: weights for {arrays['w1'].shape[0]} features, not {FEATURES}")
    return Plausibility(embedder=name, **arrays)


def save(model: Plausibility, path: Path) -> None:
    """Write weights as npz without pickle."""
    arrays: dict[str, Any] = {
        k: np.asarray(getattr(model, k), dtype=np.float32) for k in ("w1", "b1", "w2", "b2", "mean", "scale")
    }
    np.savez(path, embedder=np.array(model.embedder), **arrays)
