"""``areorag bench`` part *selection*: what each selector costs against the size of the pool (GeoRAG §2.B).

Candidates are texts of the synthetic archive with their embeddings; every selector keeps k = 6 of the same pool for the
same questions, embeddings of sub-queries included (they are warm: each question is asked once before). The lazy greedy
of F_Q stands beside the plain greedy it replaces (same set, checked) and, on pools of 14, beside the exhaustive optimum.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..llm.embed import get_embedder
from ..retrieval.selection import Candidate, Options, select
from ..retrieval.selection.objective import coverage_value, lazy_greedy
from ..settings import load_settings
from .choices import known
from .synthetic import synthetic_archive

SIZES = {"small": (50, 200), "paper": (50, 200, 1000), "million": (50, 200, 1000, 2000)}
SELECTORS = ("topk", "mmr", "dpp", "rrf", "facility", "coverage", "graph")
K = 6
QUESTIONS = (
    "Which CRISM observations speak of olivine and of carbonates in Nili Fossae?",
    "HiRISE images of Gale crater in northern spring, and rover measurements of the same place",
    "Where was water ice seen in the north, by which instrument and in which season?",
    "Topography of Hellas Planitia compared with context images of its rim",
)
FloatArray = npt.NDArray[np.float64]


class _Warm:
    """An embedder that remembers: what is measured is selection, not the model."""

    def __init__(self, embed: Callable[[Sequence[str]], Any], dim: int) -> None:
        self._embed, self.dim = embed, dim
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dim) unit vectors."""
        missing = [t for t in dict.fromkeys(texts) if t not in self._known]
        if missing:
            made = np.asarray(self._embed(missing), dtype=np.float32)
            self._known.update(zip(missing, made, strict=True))
        return np.stack([self._known[t] for t in texts]) if texts else np.zeros((0, self.dim), np.float32)


def run(scale: str = "small", *, repeats: int = 5) -> dict[str, Any]:
    """Measure; → ``{k, pools: [{n, selector, p50_ms, in_topk}], growth: {selector: exponent}, greedy: {…}}``.

    ``growth`` is d log(time) / d log(n) between the smallest and the largest pool.

    Raises
    ------
    UsageError
        Unknown scale.
    """
    known("scale", scale, SIZES)
    embedder = get_embedder(load_settings())
    warm = _Warm(embedder.embed, embedder.dim)
    largest = max(SIZES[scale])
    records = list(synthetic_archive(max(4 * largest, 400)))
    step = len(records) / largest
    texts = [records[int(i * step)] for i in range(largest)]
    vectors = warm.embed([o.text for o in texts])
    pool = [Candidate(o.id, o.text, vector=v, entities=tuple(o.targets)) for o, v in zip(texts, vectors, strict=True)]
    rows: list[dict[str, Any]] = []
    for n in SIZES[scale]:
        # an even sample of the archive at every size, so that pools differ in size and not in kind
        items = [pool[int(i * largest / n)] for i in range(n)]
        times = {name: _time(name, items, warm, repeats) for name in SELECTORS}
        rows += [
            {"n": n, "selector": name, "p50_ms": round(1e3 * t, 3), "in_topk": round(t / times["topk"], 1)}
            for name, t in times.items()
        ]
    first, last = min(SIZES[scale]), max(SIZES[scale])
    at = {(r["n"], r["selector"]): r["p50_ms"] for r in rows}
    growth = {s: round(float(np.log(at[last, s] / at[first, s]) / np.log(last / first)), 2) for s in SELECTORS}
    return {"scale": scale, "k": K, "pools": rows, "growth": growth, "greedy": greedy(largest)}


def _time(selector: str, items: list[Candidate], embedder: _Warm, repeats: int) -> float:
    """Median seconds of a selection."""
    options = Options(pool=len(items))
    seconds = []
    for question in QUESTIONS:
        for turn in range(repeats + 1):
            began = time.perf_counter()
            select(question, items, k=K, selector=selector, embedder=embedder, options=options)
            if turn:  # the first turn warms
                seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))


def greedy(n: int, seed: int = 7, k: int = 20) -> dict[str, Any]:
    """Lazy against plain greedy on n items (times of the medians), and greedy against the optimum on pools of 14."""
    rng = np.random.default_rng(seed)
    weights, similarity = _problem(n, rng)
    lazy = _best(lambda: lazy_greedy(weights, similarity, k))
    plain = _best(lambda: plain_greedy(weights, similarity, k))
    share = []
    for _ in range(20):
        w, s = _problem(14, rng)
        best = max(coverage_value(w, s, c) for c in itertools.combinations(range(14), 4))
        share.append(coverage_value(w, s, lazy_greedy(w, s, 4)[0]) / best)
    return {
        "n": n,
        "k": k,
        "lazy_ms": round(1e3 * lazy, 3),
        "plain_ms": round(1e3 * plain, 3),
        "times_faster": round(plain / lazy, 2),
        "same_set": lazy_greedy(weights, similarity, k)[0] == plain_greedy(weights, similarity, k),
        "worst_share_of_optimum": round(min(share), 4),
    }


def plain_greedy(weights: FloatArray, similarity: FloatArray, k: int) -> list[int]:
    """The greedy of F_Q that evaluates every gain at every step: the baseline of the lazy one."""
    positive = np.maximum(similarity, 0.0)
    reached = np.zeros(len(weights))
    chosen: list[int] = []
    for _ in range(min(k, similarity.shape[1])):
        gains = np.array([float(weights @ np.maximum(positive[:, j] - reached, 0.0)) for j in range(len(positive[0]))])
        gains[chosen] = -np.inf
        j = int(np.argmax(gains))
        chosen.append(j)
        reached = np.maximum(reached, positive[:, j])
    return chosen


def _problem(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Random demand weights (n,) and cosines (n, n) of clustered unit vectors."""
    centres = rng.normal(size=(max(2, n // 10), 24))
    x = centres[rng.integers(len(centres), size=n)] + 0.4 * rng.normal(size=(n, 24))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return rng.dirichlet(np.ones(n)), x @ x.T


def _best(call: Callable[[], Any], repeats: int = 5) -> float:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))
