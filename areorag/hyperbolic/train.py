r"""Learned directions of the Lorentz embedding: radius fixed by resolution, direction by relations (AreoRAG §III-B 3).

Nodes keep ρ = ln(ℓ_max/ℓ); their directions u on the unit sphere S^{d-1} move so that related nodes (container and
contained, hyperedge and participant, co-located observations) come nearer than sampled others of the same depth:

.. math::  L = -\log \frac{e^{-d(i,j)/τ}}{e^{-d(i,j)/τ} + Σ_k e^{-d(i,k)/τ}}

d is the polar distance (never acosh of vectors), the optimiser geoopt's RiemannianAdam on the sphere. Starting from
positions, a step is measured in hyperbolic length: moving a HiRISE product by 0.003 rad would carry it 10 km away, so
the step on the sphere is divided by cosh(√-K·ρ). Everything is in float64 and seeded: equal inputs, seed and thread
count give equal numbers to the bit, with or without an interruption in between. The Euclidean model trained in the same
way (same pairs, negatives, optimiser settings) is the baseline of ``areorag eval containment``. Needs ``[train]``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import HyperbolicError, MissingExtraError
from .lorentz import check_polar, sqrt_k

log = logging.getLogger(__name__)

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Space = Literal["hyperbolic", "euclidean", "euclidean_scale"]
Init = Literal["position", "random"]
Progress = Callable[[str, int, int | None], None]

TRAIN_VERSION = 2


@dataclass(frozen=True)
class Config:
    """How to train. `space`: ``hyperbolic``; or for comparison ``euclidean`` (d free coordinates) and
    ``euclidean_scale`` (d - 1 free coordinates and ρ). `init` ``position`` starts from the given directions, ``random``
    from noise. An epoch sees at most `pairs_per_epoch` pairs."""

    K: float = -1.0
    dim: int = 64
    space: Space = "hyperbolic"
    init: Init = "position"
    seed: int = 1
    epochs: int = 10
    patience: int = 2
    batch: int = 16384
    negatives: int = 8
    pairs_per_epoch: int = 200_000
    learning_rate: float = 5e-2
    temperature: float = 1.0
    validation_share: float = 0.05
    threads: int = 1

    def __post_init__(self) -> None:
        sqrt_k(self.K)
        if self.dim < 2 or min(self.epochs, self.patience, self.batch, self.negatives, self.threads) < 1:
            raise HyperbolicError("training: dim ≥ 2 and positive epochs, patience, batch, negatives and threads")


@dataclass
class Result:
    """Coordinates (n, d): unit directions, or points of R^d; the curve as (epoch, training, validation) losses.

    Epoch 0 is the start (validation loss in both places); `best_epoch` 0 means that training did not improve on it.
    """

    coordinates: Float
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    best_epoch: int = 0
    stopped_early: bool = False

    @property
    def loss(self) -> float:
        """Validation loss of the best epoch."""
        return min(v for _, _, v in self.curve)


def _torch() -> tuple[Any, Any]:
    import warnings

    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "train") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import geoopt
        except ImportError:
            raise MissingExtraError("geoopt", "train") from None
    return torch, geoopt


def initial(rho: Float, unit: Float, config: Config) -> Float:
    """Starting coordinates (n, d): the positions in the first three, a little seeded noise, or noise alone."""
    rng = np.random.default_rng([config.seed, 0])
    noise = rng.normal(size=(len(rho), config.dim))
    if config.init == "random":
        start = noise
    else:
        size = np.full(len(rho), 1e-3)
        if config.space == "hyperbolic":  # a thousandth of a hyperbolic unit
            size = 1e-3 / np.cosh(sqrt_k(config.K) * rho)
        start = size[:, None] * noise
        width = min(unit.shape[1], config.dim)
        start[:, :width] += unit[:, :width]
    if config.space == "hyperbolic":
        return np.asarray(start / np.linalg.norm(start, axis=1, keepdims=True))
    if config.space == "euclidean_scale":
        start[:, -1] = rho
    return start


def train(
    rho: Float,
    unit: Float,
    pairs: Int,
    config: Config,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Learn coordinates of n nodes from related pairs.

    Parameters
    ----------
    rho : (n,) depths, kept
    unit : (n, 3) directions on the body, where ``init="position"`` starts
    pairs : (m, 2) row numbers of related nodes
    checkpoint : npz file written after every epoch; with `resume` training goes on from it

    Raises
    ------
    MissingExtraError
        torch or geoopt is not installed.
    HyperbolicError
        No pairs, a pair that names no node, a node that is no point, or a checkpoint of another run.
    """
    torch, geoopt = _torch()
    _check(rho, unit, pairs)
    torch.set_num_threads(config.threads)
    torch.use_deterministic_algorithms(True)
    model = _Model(torch, geoopt, rho, initial(rho, unit, config), config)
    shuffled = np.random.default_rng([config.seed, 1]).permutation(len(pairs))
    held = max(1, int(len(pairs) * config.validation_share))
    validation, training = pairs[shuffled[:held]], pairs[shuffled[held:]]
    if len(training) == 0:
        training = validation
    sampler = _Negatives(rho, config)
    result = Result(model.coordinates())
    start = 1
    fingerprint = _fingerprint(rho, pairs, config)
    if resume and checkpoint is not None and checkpoint.is_file():
        start = _restore(checkpoint, model, result, fingerprint) + 1
    probe = sampler.draw(np.random.default_rng([config.seed, 3]), validation)
    if not result.curve:
        loss = model.loss_of(validation, probe)
        result.curve.append((0, loss, loss))
    wait, best = result.curve[-1][0] - result.best_epoch, result.loss
    for epoch in range(start, config.epochs + 1):
        if wait >= config.patience:
            result.stopped_early = True
            break
        rng = np.random.default_rng([config.seed, 2, epoch])
        chosen = training[rng.permutation(len(training))[: config.pairs_per_epoch]]
        total = 0.0
        for at in range(0, len(chosen), config.batch):
            part = chosen[at : at + config.batch]
            total += model.step(part, sampler.draw(rng, part)) * len(part)
            if progress:
                progress(
                    f"training, epoch {epoch} of {config.epochs}", min(at + config.batch, len(chosen)), len(chosen)
                )
        loss = model.loss_of(validation, probe)
        result.curve.append((epoch, total / len(chosen), loss))
        if loss < best:
            best, wait, result.best_epoch, result.coordinates = loss, 0, epoch, model.coordinates()
        else:
            wait += 1
        if checkpoint is not None:
            _save(checkpoint, model, result, fingerprint)
    return result


class _Negatives:
    """Draws, for a pair (i, j), nodes of nearly j's depth: scale alone must not give the answer away."""

    def __init__(self, rho: Float, config: Config) -> None:
        self._order = np.argsort(rho, kind="stable")
        self._rank = np.empty(len(rho), dtype=np.int64)
        self._rank[self._order] = np.arange(len(rho))
        self._count = config.negatives
        self._window = max(50, len(rho) // 20)

    def draw(self, rng: np.random.Generator, pairs: Int) -> Int:
        """(m, negatives) row numbers."""
        n = len(self._order)
        offset = rng.integers(-self._window, self._window + 1, (len(pairs), self._count))
        near = self._order[np.clip(self._rank[pairs[:, 1]][:, None] + offset, 0, n - 1)]
        anywhere = rng.integers(0, n, near.shape)
        return np.asarray(np.where(rng.uniform(size=near.shape) < 0.75, near, anywhere))


class _Model:
    def __init__(self, torch: Any, geoopt: Any, rho: Float, start: Float, config: Config) -> None:
        self.torch, self.config = torch, config
        self.rho = torch.from_numpy(np.ascontiguousarray(rho))
        sphere = geoopt.Sphere() if config.space == "hyperbolic" else geoopt.Euclidean(ndim=1)
        self.x = geoopt.ManifoldParameter(torch.from_numpy(start.copy()), manifold=sphere)
        self.optimiser = geoopt.optim.RiemannianAdam([self.x], lr=config.learning_rate)
        self.step_scale: Any = None
        if config.space == "hyperbolic" and config.init == "position":
            self.step_scale = 1.0 / torch.cosh(sqrt_k(config.K) * self.rho)[:, None]

    def coordinates(self) -> Float:
        return np.asarray(self.x.detach().numpy().copy())

    def _distance(self, i: Any, j: Any) -> Any:
        """Polar distance (hyperbolic) or Euclidean distance of rows i and j (torch, differentiable)."""
        torch = self.torch
        diff = self.x[i] - self.x[j]
        chord2 = (diff * diff).sum(-1)
        if self.config.space != "hyperbolic":
            return torch.sqrt(chord2 + 1e-12)
        k = sqrt_k(self.config.K)
        a, b = k * self.rho[i], k * self.rho[j]
        s = torch.sinh(0.5 * (a - b)) ** 2 + torch.sinh(a) * torch.sinh(b) * (0.25 * chord2)
        return torch.asinh(torch.sqrt(s + 1e-12)) * (2.0 / k)

    def _loss(self, pairs: Int, negatives: Int) -> Any:
        torch = self.torch
        i, j, k = (torch.from_numpy(np.ascontiguousarray(a)) for a in (pairs[:, 0], pairs[:, 1], negatives))
        d = torch.cat([self._distance(i, j)[:, None], self._distance(i[:, None], k)], dim=1)
        clash = torch.cat(
            [torch.zeros_like(i[:, None], dtype=torch.bool), (k == i[:, None]) | (k == j[:, None])], dim=1
        )
        score = torch.where(clash, torch.full_like(d, -1e9), -d / self.config.temperature)
        return (torch.logsumexp(score, dim=1) - score[:, 0]).mean()

    def step(self, pairs: Int, negatives: Int) -> float:
        self.optimiser.zero_grad()
        loss = self._loss(pairs, negatives)
        loss.backward()
        if self.config.space == "euclidean_scale":
            self.x.grad[:, -1] = 0.0
        before = self.x.detach().clone() if self.step_scale is not None else None
        self.optimiser.step()
        if before is not None:
            with self.torch.no_grad():
                moved = before + self.step_scale * (self.x - before)
                self.x.copy_(moved / moved.norm(dim=1, keepdim=True))
        value = float(loss.detach())
        if not np.isfinite(value):
            raise HyperbolicError("training diverged: the loss is not finite; use a smaller learning rate")
        return value

    def loss_of(self, pairs: Int, negatives: Int) -> float:
        with self.torch.no_grad():
            parts = [
                float(self._loss(pairs[a : a + 8192], negatives[a : a + 8192])) * len(pairs[a : a + 8192])
                for a in range(0, len(pairs), 8192)
            ]
        return sum(parts) / len(pairs)


def _check(rho: Float, unit: Float, pairs: Int) -> None:
    ok, reason = check_polar(rho, unit, 1e-6)
    if not ok or len(rho) != len(unit):
        raise HyperbolicError(f"training: a node is not a point: {reason or 'depths and directions differ in number'}")
    if len(pairs) == 0:
        raise HyperbolicError("training: no related pairs to learn from; ingest overlapping observations first")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.min() < 0 or pairs.max() >= len(rho):
        raise HyperbolicError("training: a pair names no node")


# --- checkpoints --------------------------------------------------------------------------------------------------


def _fingerprint(rho: Float, pairs: Int, config: Config) -> str:
    import hashlib

    digest = hashlib.sha256(np.ascontiguousarray(rho).tobytes() + np.ascontiguousarray(pairs).tobytes())
    digest.update(json.dumps([TRAIN_VERSION, asdict(replace(config, epochs=1, patience=1))], sort_keys=True).encode())
    return digest.hexdigest()


def _save(path: Path, model: _Model, result: Result, fingerprint: str) -> None:
    state = model.optimiser.state[model.x]
    arrays: dict[str, Any] = {
        "x": model.coordinates(),
        "best": result.coordinates,
        "best_epoch": result.best_epoch,
        "curve": np.array(result.curve, dtype=np.float64),
        "fingerprint": fingerprint,
    }
    for name, value in state.items():
        arrays[f"state_{name}"] = value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as out:
        np.savez(out, **arrays)
    partial.replace(path)


def _restore(path: Path, model: _Model, result: Result, fingerprint: str) -> int:
    """Put model, optimiser and result back as they were; → the last epoch done."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            data = {name: saved[name] for name in saved.files}
    except (OSError, ValueError) as exc:
        raise HyperbolicError(f"the checkpoint {path.name} cannot be read ({exc}); train without --resume") from None
    if str(data.get("fingerprint")) != fingerprint:
        raise HyperbolicError(f"the checkpoint {path.name} belongs to other data or settings; train without --resume")
    torch = model.torch
    with torch.no_grad():
        model.x.copy_(torch.from_numpy(data["x"]))
    state: dict[str, Any] = {}
    for name, value in data.items():
        if name.startswith("state_"):
            state[name.removeprefix("state_")] = torch.from_numpy(value.copy()) if value.ndim else value.item()
    model.optimiser.state[model.x] = state
    result.coordinates, result.best_epoch = data["best"], int(data["best_epoch"])
    result.curve = [(int(e), float(a), float(b)) for e, a, b in data["curve"]]
    return result.curve[-1][0]
