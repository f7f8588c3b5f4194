"""``areorag bench``, spatial part: candidate search against brute force and against shapely's STRtree (issue: speed).

All three answer the same queries over the same synthetic archive (`synthetic`); regions are built and prepared
beforehand (``with_preparing`` says what preparing costs). Ratios are of the medians of processor time, which a busy
machine distorts least; wall-clock percentiles are given beside them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .choices import known
from .synthetic import PAPER_TOTAL, synthetic_archive

SIZES: dict[str, tuple[int, ...]] = {
    "small": (1_000, 5_000),
    "paper": (5_000, PAPER_TOTAL),
    "million": (5_000, PAPER_TOTAL, 500_000),
}
"""Archive sizes measured at each scale."""
QUERIES = 200
_BRUTE = 12


def run(scale: str = "small", *, queries: int = QUERIES, seed: int = 7) -> dict[str, Any]:
    """Measure; → ``{sizes: [{n, build_s, p50_ms, p95_ms, brute_p50_ms, strtree_p50_ms, …}], growth}``.

    ``growth`` is d log(time) / d log(n) between the smallest and the largest archive: below 1 is sub-linear.

    Raises
    ------
    UsageError
        Unknown scale.
    """
    known("scale", scale, SIZES)
    sizes = [measure(n, queries=queries, seed=seed) for n in SIZES[scale]]
    first, last = sizes[0], sizes[-1]
    growth = math.log(max(last["cpu_p50_ms"], 1e-6) / max(first["cpu_p50_ms"], 1e-6)) / math.log(last["n"] / first["n"])
    return {"scale": scale, "queries": queries, "sizes": sizes, "growth": round(growth, 3)}


def rows_of(n: int, seed: int) -> Iterable[dict[str, Any]]:
    """Database rows (id, WKT outline, position) of a synthetic archive."""
    from ..graph.rows import wkt_of

    for o in synthetic_archive(n, seed):
        yield {"id": o.id, "footprint": wkt_of(o.footprint), "lon": o.position_lon_deg, "lat": o.position_lat_deg}


def regions_of(queries: int, seed: int) -> list[tuple[Any, float, Any]]:
    """(region, ε in metres, the same region in the plane): boxes of 0.2° to 5°, and distances round places."""
    import shapely

    from ..planet.gazetteer import Gazetteer
    from ..planet.geometry import bbox, point

    rng = np.random.default_rng(seed)
    named = [f for f in Gazetteer.load("Mars").features if f.status == "approved" and f.diameter_m and abs(f.lat) < 80]
    out: list[tuple[Any, float, Any]] = []
    for k in range(queries):
        f = named[int(rng.integers(len(named)))]
        if k % 2:
            w = float(rng.choice((0.2, 1.0, 5.0)))
            west, south = min(max(f.lon, -179.0), 174.0), f.lat
            out.append((bbox(west, west + w, south, south + w), 0.0, shapely.box(west, south, west + w, south + w)))
        else:
            epsilon = float(rng.choice((5_000.0, 20_000.0, 100_000.0)))
            out.append((point(f.lon, f.lat), epsilon, shapely.Point(f.lon, f.lat)))
    return out


def measure(n: int, *, queries: int = QUERIES, seed: int = 7) -> dict[str, Any]:
    """Figures for an archive of n records."""
    import shapely

    from ..planet.bodies import get_body
    from ..retrieval.spatial import SpatialIndex
    from ..retrieval.spatial_arrays import FootprintArrays

    rows = list(rows_of(n, seed))
    started = time.perf_counter()
    arrays = FootprintArrays.from_rows(rows, get_body("Mars"))
    build_s = time.perf_counter() - started
    index = SpatialIndex(None, arrays=arrays)
    tree = shapely.STRtree(shapely.from_wkt([r["footprint"] for r in rows]))
    asked = regions_of(queries, seed)
    degree = get_body("Mars").metres_per_degree
    everything = np.arange(len(arrays))

    def plane(shape: Any, epsilon: float) -> None:
        if epsilon:
            tree.query(shape, predicate="dwithin", distance=epsilon / degree)
        else:
            tree.query(shape, predicate="intersects")

    for region, epsilon, shape in asked[:20]:  # warm both
        index.candidates(region, epsilon, explain=False)
        plane(shape, epsilon)
    for region, _, _ in asked:
        arrays.prepare(region)
    search = _times(lambda q: arrays.search(q[0], q[1]), asked)

    def afresh(q: Any) -> None:
        arrays.forget_regions()
        arrays.search(q[0], q[1])

    fresh = _times(afresh, asked)
    whole = _times(lambda q: index.candidates(q[0], q[1], explain=False), asked)
    brute = _times(lambda q: arrays.distances_rad(everything, q[0]), asked[:_BRUTE])
    strtree = _times(lambda q: plane(q[2], q[1]), asked)
    hits = [len(arrays.search(r, e).at) for r, e, _ in asked]
    return {
        "n": n, "build_s": round(build_s, 2), "hits_mean": round(float(np.mean(hits)), 1),
        "p50_ms": _ms(whole[0], 50), "p95_ms": _ms(whole[0], 95), "cpu_p50_ms": _ms(search[1], 50),
        "with_preparing_cpu_p50_ms": _ms(fresh[1], 50),
        "brute_p50_ms": _ms(brute[0], 50), "brute_cpu_p50_ms": _ms(brute[1], 50),
        "strtree_p50_ms": _ms(strtree[0], 50), "strtree_cpu_p50_ms": _ms(strtree[1], 50),
        "times_faster_than_brute": round(_ms(brute[1], 50) / max(_ms(search[1], 50), 1e-6), 1),
        "times_slower_than_strtree": round(_ms(search[1], 50) / max(_ms(strtree[1], 50), 1e-6), 2),
    }  # fmt: skip


def _times(ask: Callable[[Any], Any], queries: list[Any]) -> tuple[list[float], list[float]]:
    """(wall-clock, processor) seconds of each query; each is asked three times and the least processor time kept."""
    wall, cpu = [], []
    for q in queries:
        best = (math.inf, math.inf)
        for _ in range(3):
            w, c = time.perf_counter(), time.thread_time()
            ask(q)
            best = min(best, (time.thread_time() - c, time.perf_counter() - w))
        cpu.append(best[0])
        wall.append(best[1])
    return wall, cpu


def _ms(seconds: list[float], q: float) -> float:
    return round(float(np.percentile(seconds, q)) * 1e3, 4)
