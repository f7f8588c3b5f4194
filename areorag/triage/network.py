"""A small ReLU perceptron in numpy: inference, and a seeded Adam trainer with dropout and weight decay.

AreoRAG Eq. 19: 256 → 128 → 4. Inference takes a fraction of a millisecond; training the shipped weights takes a minute
on one core, so no framework is needed for either.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def softmax(logits: FloatArray) -> FloatArray:
    """Row-wise softmax of (n, c), shifted against overflow."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@dataclass
class Network:
    """Weights (in, out) and biases (out,) of each layer, with the standardisation of the input."""

    weights: list[FloatArray]
    biases: list[FloatArray]
    mean: FloatArray
    std: FloatArray

    def logits(self, x: FloatArray) -> FloatArray:
        """Forward pass: (n, features) → (n, classes); inputs beyond five standard deviations are clipped."""
        h = np.clip((x - self.mean) / self.std, -5.0, 5.0)
        for i, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = h @ w + b
            if i < len(self.weights) - 1:
                h = np.maximum(h, 0.0)
        return np.asarray(h)

    def arrays(self, prefix: str) -> dict[str, FloatArray]:
        """Named arrays for ``np.savez``."""
        out = {f"{prefix}.mean": self.mean, f"{prefix}.std": self.std}
        for i, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            out[f"{prefix}.w{i}"], out[f"{prefix}.b{i}"] = w, b
        return out

    @classmethod
    def from_arrays(cls, data: dict[str, FloatArray], prefix: str) -> Network:
        """Inverse of `arrays`."""
        weights, biases, i = [], [], 0
        while f"{prefix}.w{i}" in data:
            weights.append(np.asarray(data[f"{prefix}.w{i}"], dtype=np.float64))
            biases.append(np.asarray(data[f"{prefix}.b{i}"], dtype=np.float64))
            i += 1
        mean = np.asarray(data[f"{prefix}.mean"], dtype=np.float64)
        return cls(weights, biases, mean, np.asarray(data[f"{prefix}.std"], dtype=np.float64))


@dataclass(frozen=True)
class TrainOptions:
    """Hyper-parameters of the trainer."""

    hidden: tuple[int, ...] = (256, 128)
    epochs: int = 30
    batch: int = 64
    rate: float = 1e-3
    decay: float = 1.0
    dropout: tuple[float, ...] = (0.1, 0.3)
    smoothing: float = 0.05
    seed: int = 0
    columns: tuple[int, ...] | None = field(default=None)


class _Adam:
    """Adam with decoupled weight decay (Loshchilov & Hutter 2019)."""

    def __init__(self, parameters: list[FloatArray], rate: float, decay: float) -> None:
        self.p, self.rate, self.decay = parameters, rate, decay
        self.m = [np.zeros_like(p) for p in parameters]
        self.v = [np.zeros_like(p) for p in parameters]
        self.t = 0

    def step(self, gradients: list[FloatArray], scale: float) -> None:
        self.t += 1
        for p, g, m, v in zip(self.p, gradients, self.m, self.v, strict=True):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * g * g
            step = (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)
            p -= self.rate * scale * (step + (self.decay * p if p.ndim == 2 else 0.0))


def train(x: FloatArray, y: npt.NDArray[np.int64], weight: FloatArray, classes: int, options: TrainOptions) -> Network:
    """Fit a network by weighted cross-entropy.

    x : (n, features); y : (n,) class indices; weight : (n,) sample weights. Deterministic for a given seed.
    """
    rng = np.random.default_rng(options.seed)
    mean = np.average(x, axis=0, weights=weight)
    std = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weight))
    std = np.where(std < 0.02, 1.0, std)
    if options.columns is not None:  # features left out keep a zero input
        keep = np.zeros(x.shape[1])
        keep[list(options.columns)] = 1.0
        std = np.where(keep > 0, std, 1e9)
    data = np.clip((x - mean) / std, -5.0, 5.0)
    sizes = (x.shape[1], *options.hidden, classes)
    weights = [rng.normal(0, np.sqrt(2.0 / a), (a, b)) for a, b in itertools.pairwise(sizes)]
    biases = [np.zeros(b) for b in sizes[1:]]
    adam = _Adam([*weights, *biases], options.rate, options.decay)
    targets = np.full((len(y), classes), options.smoothing / classes)
    targets[np.arange(len(y)), y] += 1.0 - options.smoothing
    prob = weight / weight.sum()
    steps = max(1, len(y) // options.batch)
    for epoch in range(options.epochs):
        scale = 0.5 * (1 + np.cos(np.pi * epoch / options.epochs))
        for _ in range(steps):
            rows = rng.choice(len(y), options.batch, p=prob)
            gradients = _gradients(data[rows], targets[rows], weights, biases, options.dropout, rng)
            adam.step(gradients, float(scale))
    return Network(weights, biases, mean, std)


def _gradients(
    x: FloatArray,
    target: FloatArray,
    weights: list[FloatArray],
    biases: list[FloatArray],
    dropout: tuple[float, ...],
    rng: np.random.Generator,
) -> list[FloatArray]:
    activations, masks, h = [], [], x
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        rate = dropout[min(i, len(dropout) - 1)]
        mask = (rng.random(h.shape) >= rate) / (1.0 - rate)
        h = h * mask
        masks.append(mask)
        activations.append(h)
        h = h @ w + b
        if i < len(weights) - 1:
            h = np.maximum(h, 0.0)
    delta = (softmax(h) - target) / len(x)
    gw: list[FloatArray] = []
    gb: list[FloatArray] = []
    for i in range(len(weights) - 1, -1, -1):
        gw.append(activations[i].T @ delta)
        gb.append(delta.sum(axis=0))
        if i:
            delta = (delta @ weights[i].T) * masks[i] * (activations[i] > 0)
    return [*reversed(gw), *reversed(gb)]


def fit_temperature(logits: FloatArray, y: npt.NDArray[np.int64], weight: FloatArray | None = None) -> float:
    """Temperature that minimises negative log-likelihood on held-out logits (Guo et al. 2017), by golden section."""
    w = np.ones(len(y)) if weight is None else weight

    def nll(log_t: float) -> float:
        p = softmax(logits / np.exp(log_t))
        return float(-(w * np.log(np.maximum(p[np.arange(len(y)), y], 1e-12))).sum() / w.sum())

    low, high, golden = -2.0, 3.0, 0.6180339887
    for _ in range(60):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if nll(a) < nll(b):
            high = b
        else:
            low = a
    return float(np.exp(0.5 * (low + high)))


def expected_calibration_error(confidence: FloatArray, correct: FloatArray, bins: int = 10) -> float:
    """Mean |accuracy − confidence| over equal-width bins, weighted by their share (Naeini et al. 2015)."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    index = np.clip(np.digitize(confidence, edges[1:-1]), 0, bins - 1)
    total = 0.0
    for k in range(bins):
        inside = index == k
        if inside.any():
            total += float(inside.mean() * abs(correct[inside].mean() - confidence[inside].mean()))
    return total
