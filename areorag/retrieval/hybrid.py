"""Spatial relevance from distance and from text, and how well a record fits what else was asked (Spatial-RAG §4.3).

f_s = λ_s f_sparse + λ_d f_dense. With λ_d = 0 the order is that of the distance, with λ_s = 0 that of the spatial text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import UsageError

FloatArray = npt.NDArray[np.float64]

DEFAULT_D0_M = 10_000.0
"""d₀ where the question states no ε, metres."""


def sparse_score(distance_m: npt.ArrayLike, d0_m: float = DEFAULT_D0_M) -> FloatArray:
    """f_sparse = 1 where the geometries meet, else 1 / (1 + d/d₀) (Spatial-RAG Eq. 9 with its unit made explicit).

    Parameters
    ----------
    distance_m : (n,) shortest distance, metres; NaN or infinite: 0
    d0_m : the distance that halves the score, metres (default in the engine: the question's own ε)

    >>> sparse_score([0.0, 10_000.0, float("nan")], 10_000.0).tolist()
    [1.0, 0.5, 0.0]
    """
    if not (np.isfinite(d0_m) and d0_m > 0):
        raise UsageError(f"d0 must be a positive length, got {d0_m}")
    d = np.asarray(distance_m, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        score = 1.0 / (1.0 + np.maximum(d, 0.0) / d0_m)
    return np.asarray(np.where(np.isfinite(d), score, 0.0))


def spatial_score(f_sparse: npt.ArrayLike, f_dense: npt.ArrayLike, lambda_s: float, lambda_d: float) -> FloatArray:
    """f_s of Spatial-RAG Eq. 8; the weights are not negative and not both zero, and are normalised to sum 1."""
    if not (lambda_s >= 0 and lambda_d >= 0 and lambda_s + lambda_d > 0):
        raise UsageError("λ_s and λ_d must be at least 0 and not both 0")
    total = lambda_s + lambda_d
    sparse, dense = np.asarray(f_sparse, dtype=np.float64), np.asarray(f_dense, dtype=np.float64)
    return np.asarray((lambda_s * sparse + lambda_d * dense) / total)


def resolution_fit(resolution_m: npt.ArrayLike, wanted: tuple[float | None, float | None] | None) -> FloatArray:
    """How near a resolution is to what was wanted: 1 inside the bounds, falling with |ln ratio| outside; 0.5 unknown.

    Without bounds finer is better: a slow logistic in ln(ℓ / 10 m).
    """
    ell = np.asarray(resolution_m, dtype=np.float64)
    known = np.isfinite(ell) & (ell > 0)
    log = np.log(np.where(known, ell, 1.0))
    if wanted is None:
        fit = 1.0 / (1.0 + np.exp((log - np.log(10.0)) / 2.0))
    else:
        low = -np.inf if wanted[0] is None else np.log(wanted[0])
        high = np.inf if wanted[1] is None else np.log(wanted[1])
        outside = np.maximum(0.0, np.maximum(low - log, log - high))
        fit = np.exp(-outside)
    return np.asarray(np.where(known, fit, 0.5))


def recency(start_unix: npt.ArrayLike) -> FloatArray:
    """Newer is better: exp(−age / 10 Earth years) from the newest record among the candidates; 0.5 unknown."""
    t = np.asarray(start_unix, dtype=np.float64)
    known = np.isfinite(t)
    if not known.any():
        return np.full(t.shape, 0.5)
    age_s = t[known].max() - np.where(known, t, 0.0)
    return np.asarray(np.where(known, np.exp(-np.maximum(age_s, 0.0) / (10 * 365.25 * 86400)), 0.5))


@dataclass(frozen=True)
class Weights:
    """λ of one question: spatial against semantic on the simplex, and the split of the spatial part."""

    spatial: float
    semantic: float
    sparse: float
    dense: float
    source: str

    def as_dict(self) -> dict[str, float]:
        """Plain numbers for the trace."""
        return {"spatial": self.spatial, "semantic": self.semantic, "sparse": self.sparse, "dense": self.dense}


def default_weights(
    *, spatial_question: bool, topical: bool, lambda_spatial: float, share_sparse: float = 0.75
) -> Weights:
    """λ without a model: `lambda_spatial` where place and topic were both asked; all on the one that was asked.

    The split of f_s into sparse and dense is `share_sparse` (exact distance counts three times the wording).
    """
    if spatial_question and not topical:
        return Weights(0.8, 0.2, share_sparse, 1 - share_sparse, "default: a place and no topic")
    if topical and not spatial_question:
        return Weights(0.0, 1.0, share_sparse, 1 - share_sparse, "default: a topic and no place")
    return Weights(lambda_spatial, 1 - lambda_spatial, share_sparse, 1 - share_sparse, "default")
