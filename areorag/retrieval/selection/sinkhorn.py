"""Entropic optimal transport in the log domain (GeoRAG §2.A: the Sinkhorn–Wasserstein distance W_ε).

Two routes to one number. `sinkhorn` iterates and works for any two marginals. `cover_cost` is exact without a single
iteration for the case the selection needs: the distance between the demand P_Q and *the cover a set S makes of it*.
The cover's marginal is the column sum of P = diag(w / K1) K with K = exp(−C/ε); P has the form diag(u) K diag(v) with
v = 1, so it *is* the Sinkhorn plan between its own marginals (that plan is unique), and W_ε = ⟨P, C⟩.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import SelectionError


class Plan(NamedTuple):
    """A transport plan (n, m), its cost ⟨P, C⟩ and whether the marginals were met."""

    matrix: np.ndarray
    cost: float
    iterations: int
    error: float


def _lse(x: np.ndarray, axis: int) -> np.ndarray:
    """log Σ exp along `axis`; −inf where everything is −inf."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis=axis))


def sinkhorn(
    a: np.ndarray, b: np.ndarray, cost: np.ndarray, epsilon: float, *, tol: float = 1e-9, max_iter: int = 10_000
) -> Plan:
    """Solve min ⟨P, C⟩ + ε Σ P (ln P − 1) over P with row sums `a` and column sums `b`, in the log domain.

    Parameters
    ----------
    a, b : (n,), (m,) non-negative, each summing to the same positive mass; zeros are allowed
    cost : (n, m) finite
    epsilon : regularisation, in the unit of `cost`, > 0
    tol : largest 1-norm deviation of the row sums at the end

    Raises
    ------
    SelectionError
        Shapes do not match, a mass is negative or not finite, the masses differ, or ε ≤ 0.

    References
    ----------
    Cuturi 2013 (Sinkhorn distances); Peyré & Cuturi 2019 §4.4 (log domain).
    """
    a, b, cost = np.asarray(a, float), np.asarray(b, float), np.asarray(cost, float)
    if cost.shape != (a.size, b.size) or not a.size or not b.size:
        raise SelectionError(f"Sinkhorn: a cost of shape {cost.shape} does not fit {a.size} × {b.size} masses")
    if not (np.isfinite(cost).all() and np.isfinite(a).all() and np.isfinite(b).all()):
        raise SelectionError("Sinkhorn: a cost or a mass is not a finite number")
    if (a < 0).any() or (b < 0).any() or not np.isclose(a.sum(), b.sum(), rtol=1e-9) or a.sum() <= 0:
        raise SelectionError("Sinkhorn: masses must be non-negative, positive in sum, and equal in sum")
    if not epsilon > 0:
        raise SelectionError(f"Sinkhorn: epsilon is {epsilon}; it must be positive")
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(a), np.log(b)
    k = -cost / epsilon
    f, g = np.zeros(a.size), np.where(b > 0, 0.0, -np.inf)
    error, done = np.inf, 0
    for done in range(1, max_iter + 1):
        f = log_a - _lse(k + g[None, :], 1)
        g = log_b - _lse(k + np.where(np.isfinite(f), f, -np.inf)[:, None], 0)
        if done % 10 == 0 or done == max_iter:
            error = float(np.abs(np.exp(f + _lse(k + g[None, :], 1)) - a).sum())
            if error <= tol:
                break
    plan = np.exp(f[:, None] + k + g[None, :])
    return Plan(plan, float((plan * cost).sum()), done, error)


def cover_cost(weights: np.ndarray, cost: np.ndarray, epsilon: float) -> tuple[float, np.ndarray]:
    """W_ε between the demand and the cover that a set makes of it, in closed form (module docstring).

    Parameters
    ----------
    weights : (n,) the demand P_Q, summing to 1
    cost : (n, m) cost from each demand point to each kept item, m ≥ 1

    Returns
    -------
    W_ε, and the cover's mass on each kept item (m,).
    """
    log_k = -np.asarray(cost, float) / epsilon
    share = np.exp(log_k - _lse(log_k, 1)[:, None])
    plan = weights[:, None] * share
    return float((plan * cost).sum()), plan.sum(0)


class CoverState:
    """W_ε(P_Q, E_S) as S grows, with the gain of *every* possible next item in one vectorised step.

    Keeps, for each demand point, log Z = log Σ_{s∈S} exp(−C/ε) and the expected cost E under the plan. Adding item c
    moves a share p = σ(−C_c/ε − log Z) of each point onto c: E' = E + p (C_c − E).
    Before anything is kept, a point costs `empty_cost` (cosine 0, that is 1).

    Parameters
    ----------
    weights : (n,) demand
    cost : (n, m) cost of serving demand point i by item j
    epsilon : > 0
    """

    def __init__(self, weights: np.ndarray, cost: np.ndarray, epsilon: float, *, empty_cost: float = 1.0) -> None:
        if not epsilon > 0:
            raise SelectionError(f"coverage: epsilon is {epsilon}; it must be positive")
        self.weights, self.cost, self.epsilon = weights, cost, epsilon
        self.expected = np.full(cost.shape[0], float(empty_cost))
        self.log_z = np.full(cost.shape[0], -np.inf)

    @property
    def value(self) -> float:
        """W_ε(P_Q, E_S) now."""
        return float(self.weights @ self.expected)

    def _moved(self, cost: np.ndarray) -> np.ndarray:
        """Share of each point that item(s) with `cost` (n, …) would take."""
        z = self.log_z.reshape((-1,) + (1,) * (cost.ndim - 1))
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(z + cost / self.epsilon)))

    def gains(self) -> np.ndarray:
        """ΔW_ε of adding each item (m,): how much demand it would recover; can be negative for a poor item."""
        change = self._moved(self.cost) * (self.cost - self.expected[:, None])
        return -np.asarray(self.weights @ change)

    def add(self, item: int) -> None:
        """Put `item` into S."""
        c = self.cost[:, item]
        self.expected = self.expected + self._moved(c) * (c - self.expected)
        self.log_z = np.logaddexp(self.log_z, -c / self.epsilon)
