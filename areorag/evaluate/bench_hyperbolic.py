"""``areorag bench``, part hyperbolic: distances against geoopt, closed-form embedding, exact nearest neighbours (HySH).

Every rate stands beside a baseline measured in the same run on the same points: geoopt in float64 on the CPU at equal
threads where the extra ``[train]`` is installed, and always the textbook acosh of the Lorentz product in numpy.
Accuracy is the largest relative error against 60-digit arithmetic on pairs that are near each other at depth.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..hyperbolic.batch import LONG
from ..hyperbolic.embedding import embed_closed_form
from ..hyperbolic.lorentz import Points, distance, from_polar, inner
from .choices import known

Float = NDArray[np.float64]
SIZES = {"small": (100_000, 5_000), "paper": (1_000_000, 53_012), "million": (1_000_000, 1_000_000)}
_REPEATS = 7


def run(scale: str = "small") -> dict[str, Any]:
    """→ ``{distances: {d3: {…}, d64: {…}}, closed_form: {…}, nearest: {…}}``.

    Raises
    ------
    UsageError
        Unknown scale.
    """
    known("scale", scale, SIZES)
    pairs, products = SIZES[scale]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    distances = {f"d{d}": bench_distances(pairs, d, threads=1) for d in (3, 64)}
    if cores > 1:
        distances |= {f"d{d}_two_threads": bench_distances(pairs, d, threads=2) for d in (3, 64)}
    return {
        "distances": distances,
        "closed_form": bench_closed_form(products),
        "nearest": bench_nearest(min(products, 53_012)),
    }


def bench_distances(n: int, d: int, *, threads: int = 1) -> dict[str, Any]:
    """Rates in million distances a second at equal threads; ratios to the baselines.

    ``pairs`` n pairs and ``query`` one point against n, from points prepared once: `Points` for us, Lorentz vectors,
    which hold cosh and sinh of the depth, for geoopt. ``pairs_stored`` and ``query_stored`` start from the stored
    (ρ, u) in every call, against the same geoopt.
    """
    rng = np.random.default_rng(d)
    rho_x, rho_y = rng.uniform(0, 16, n), rng.uniform(0, 16, n)
    u, v = _unit(rng, n, d), _unit(rng, n, d)
    x, y = from_polar(rho_x, u), from_polar(rho_y, v)
    p, q = Points(rho_x, u), Points(rho_y, v)
    into = np.empty(n)
    ours = {
        "pairs": lambda: p.distance(q, threads=threads, out=into),
        "query": lambda: q.distance(p[0], threads=threads, out=into),
        "pairs_stored": lambda: distance(rho_x, u, rho_y, v, threads=threads, out=into),
        "query_stored": lambda: distance(rho_x[0], u[0], rho_y, v, threads=threads, out=into),
    }
    naive = {
        "pairs": lambda: np.arccosh(np.maximum(-inner(x, y), 1.0)),
        "query": lambda: np.arccosh(np.maximum(-inner(x[0], y), 1.0)),
    }
    geoopt = _geoopt(x, y, threads)
    out: dict[str, Any] = {
        "n": n,
        "threads": threads,
        "baseline": "geoopt" if geoopt else "geoopt is not installed",
    }
    for kind, call in ours.items():
        plain = kind.removesuffix("_stored")
        seconds = _alternate([call, naive[plain]] + ([geoopt[plain]] if geoopt else []))
        out[kind] = {"ours_Mps": n / seconds[0] / 1e6, "numpy_acosh_Mps": n / seconds[1] / 1e6}
        if geoopt:
            out[kind] |= {"geoopt_Mps": n / seconds[2] / 1e6, "ratio_to_geoopt": seconds[2] / seconds[0]}
    out["accuracy"] = accuracy(d)
    return out


def accuracy(d: int, *, n: int = 60) -> dict[str, float]:
    """Largest relative errors on near pairs at depth 8 to 16: ours, numpy acosh, geoopt (where installed).

    `ours_batch`: the same pairs among so many others that they go through the long batch's form.
    """
    rng = np.random.default_rng(100 + d)
    rho_x = rng.uniform(8, 16, n)
    rho_y = rho_x + rng.normal(0, 0.01, n)
    u = _unit(rng, n, d)
    side = _unit(rng, n, d)
    v = u + np.exp(-rho_x)[:, None] * side * rng.choice([1.0, 10.0, 1000.0], (n, 1))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    exact = np.array([exact_distance(*row) for row in zip(rho_x, u, rho_y, v, strict=True)])
    x, y = from_polar(rho_x, u), from_polar(rho_y, v)
    many = np.resize(np.arange(n), 2 * LONG)
    got = {
        "ours": distance(rho_x, u, rho_y, v),
        "ours_batch": Points(rho_x, u)[many].distance(Points(rho_y, v)[many])[:n],
        "numpy_acosh": np.arccosh(np.maximum(-inner(x, y), 1.0)),
    }
    geoopt = _geoopt(x, y, 1)
    if geoopt:
        got["geoopt"] = geoopt["pairs"]().numpy()
    return {name: float(np.max(np.abs(np.nan_to_num(g) / exact - 1))) for name, g in got.items()}


def exact_distance(rho_x: float, u: Float, rho_y: float, v: Float) -> float:
    """Distance at K = -1 in 60-digit decimal arithmetic from the stored values: the law of cosines, written plainly."""
    with localcontext() as context:
        context.prec = 60
        a, b = Decimal(float(rho_x)), Decimal(float(rho_y))
        chord2 = sum(((Decimal(float(p)) - Decimal(float(q))) ** 2 for p, q in zip(u, v, strict=True)), Decimal(0))
        cosh_a, sinh_a = (a.exp() + (-a).exp()) / 2, (a.exp() - (-a).exp()) / 2
        cosh_b, sinh_b = (b.exp() + (-b).exp()) / 2, (b.exp() - (-b).exp()) / 2
        c = cosh_a * cosh_b - sinh_a * sinh_b * (1 - chord2 / 2)
        return float((c + (c * c - 1).sqrt()).ln())


def bench_closed_form(n: int) -> dict[str, Any]:
    """Seconds to embed n products (the paper: 86.5 s of preprocessing for 53,012)."""
    rng = np.random.default_rng(0)
    unit, ell = _unit(rng, n, 3), np.exp(rng.uniform(np.log(0.25), np.log(463.0), n))
    seconds = _alternate([lambda: embed_closed_form(unit, ell, ell_max_m=3_396_190.0)])[0]
    text = rng.normal(size=(min(n, 53_012), 384))
    start = time.perf_counter()
    embed_closed_form(unit[: len(text)], ell[: len(text)], ell_max_m=3_396_190.0, text=text, s=0.5, dim=64)
    return {
        "n": n,
        "seconds": seconds,
        "with_text_d64_n": len(text),
        "with_text_d64_seconds": time.perf_counter() - start,
    }


def bench_nearest(n: int, *, queries: int = 100, k: int = 10) -> dict[str, Any]:
    """Recall@k of the index against brute force, and milliseconds of both."""
    from ..graph.nearest import NearestIndex

    rng = np.random.default_rng(1)
    rho = np.log(3_396_190.0 / np.exp(rng.uniform(np.log(0.01), np.log(463.0), n)))
    u = _unit(rng, 200, 3)[rng.integers(0, 200, n)] + 10.0 ** rng.uniform(-5, 0, (n, 1)) * rng.normal(size=(n, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    ids = [f"{i:07d}" for i in range(n)]
    start = time.perf_counter()
    index = NearestIndex(ids, rho, u)
    built = time.perf_counter() - start
    hits, spent, brute = 0, [], []
    for i in rng.integers(0, n, queries):
        start = time.perf_counter()
        got = {hit.id for hit in index.of(ids[i], k)}
        spent.append(time.perf_counter() - start)
        start = time.perf_counter()
        d = distance(rho[i], u[i], rho, u)
        d[i] = np.inf
        nearest = np.argpartition(d, k)[:k]
        brute.append(time.perf_counter() - start)
        hits += len(got & {ids[j] for j in nearest})
    return {
        "n": n,
        f"recall_at_{k}": hits / (queries * k),
        "build_s": built,
        "p50_ms": float(np.median(spent) * 1e3),
        "brute_p50_ms": float(np.median(brute) * 1e3),
    }


def _unit(rng: np.random.Generator, n: int, d: int) -> Float:
    u = rng.normal(size=(n, d))
    return np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True))


def _alternate(calls: list[Callable[[], Any]]) -> list[float]:
    """Best seconds of each call, taken in turns so that a busy moment hits all of them."""
    best = [np.inf] * len(calls)
    for _ in range(_REPEATS):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def _geoopt(x: Float, y: Float, threads: int) -> dict[str, Callable[[], Any]] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import geoopt
            import torch
        except ImportError:
            return None
        manifold = geoopt.Lorentz(k=1.0)
    torch.set_num_threads(threads)
    a, b = torch.from_numpy(x), torch.from_numpy(y)

    def call(first: Any) -> Any:
        with torch.no_grad():
            return manifold.dist(first, b)

    return {"pairs": lambda: call(a), "query": lambda: call(a[:1])}
