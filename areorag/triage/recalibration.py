"""Conflict-aware confidence (AreoRAG Eq. 20, Theorem 2), with the edges METHODS §5 closes.

Confidence is kept per (claim, conflict); a hyperedge takes its largest explainable value, and noise lowers it only
where no explainable conflict holds. Explainable conflicts always raise it, for any input.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

EXPLAINABLE = ("instrument", "scale", "temporal")
DELTA = 1e-3  # least C_base: cosines can be ≤ 0, Theorem 2 needs C_base > 0
H_CAP_BITS = 64.0  # no entropy of k ≤ 2^64 candidates exceeds it
LEAST_BOOST = 1e-9
GAMMA_FLOOR = 1e-6  # in float64 the printed γ is exactly 1 from 18 Mars Years on


@dataclass(frozen=True)
class Parameters:
    """Hyper-parameters, defaults of the paper (§IV-A c): ε bits, η, β, β_temp, τ degrees of L_s, α."""

    epsilon: float = 0.3
    eta: float = -0.5
    beta: float = 0.2
    beta_temp: float = 0.2
    tau_deg: float = 180.0
    alpha: float = 0.5


def base_confidence(cosine: float) -> float:
    """C_base = max((1 + cos)/2, δ) from a cosine in [−1, 1]; anything not finite counts as 0.

    >>> base_confidence(-1.0) > 0
    True
    """
    if not math.isfinite(cosine):
        cosine = 0.0
    return max((1.0 + min(1.0, max(-1.0, cosine))) / 2.0, DELTA)


def gamma(delta_ls_deg: float, parameters: Parameters) -> float:
    """γ(|ΔT|) = 1 + β_temp · max(e^{−|ΔT|/τ}, 1e−6), ΔT in cumulative degrees of L_s."""
    gap = abs(delta_ls_deg) if math.isfinite(delta_ls_deg) else math.inf
    return 1.0 + max(parameters.beta_temp * max(math.exp(-gap / parameters.tau_deg), GAMMA_FLOOR), LEAST_BOOST)


def boost(h_inter: float | None, parameters: Parameters) -> float:
    """β / max(H_inter, ε): conflicts found by their claims can have H_inter ≤ 0, or none at all."""
    h = h_inter if h_inter is not None and math.isfinite(h_inter) else parameters.epsilon
    return max(parameters.beta / min(max(h, parameters.epsilon), H_CAP_BITS), LEAST_BOOST)


def recalibrate(
    c_base: float,
    category: str,
    *,
    h_inter: float | None = None,
    delta_ls_deg: float | None = None,
    faulty: bool = True,
    parameters: Parameters | None = None,
) -> float:
    """C_triage of one claim in one conflict (AreoRAG Eq. 20); an unbounded score.

    Parameters
    ----------
    c_base : C_base in (0, 1]
    category : noise, instrument, scale, temporal or none
    faulty : for noise, whether this claim is on the side found faulty (the other side keeps C_base)
    """
    par = parameters or Parameters()
    if category in ("instrument", "scale"):
        return c_base + boost(h_inter, par)
    if category == "temporal":
        return c_base * gamma(delta_ls_deg if delta_ls_deg is not None else math.inf, par)
    if category == "noise" and faulty:
        return min(c_base, par.alpha * c_base + (1.0 - par.alpha) * par.eta)
    return c_base


def of_hyperedge(c_base: float, values: Iterable[tuple[str, float]]) -> float:
    """Confidence of a hyperedge from its (category, C_triage) values: the largest explainable one, else the lowest noise.

    >>> of_hyperedge(0.5, [("noise", 0.0), ("scale", 1.1)])
    1.1
    """
    pairs = list(values)
    raised = [c for category, c in pairs if category in EXPLAINABLE]
    if raised:
        return max(raised)
    lowered = [c for category, c in pairs if category == "noise"]
    return min([c_base, *lowered])


def normalised(c_triage: float) -> float:
    """C_triage for people, in [0, 1): 1 − e^{−c}, 0 for negative scores; keeps the order."""
    return 1.0 - math.exp(-max(0.0, c_triage))
