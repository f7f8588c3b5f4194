"""The learned embedding at the paper's size, whole:  ``python -m areorag.evaluate.train_embedding [N] [OUT]``  (HySH).

A synthetic archive of N observations (default 53,012) is loaded into a throw-away Neo4j, its co-locations are built
there, and `areorag train embedding` runs on that graph from the first query to the last write. Beside it: the closed
form of as many records, and recall@10 of the nearest-neighbour index over the graph's own coordinates, before and after.
OUT (default ``docs``) receives ``results/train-embedding.json`` and ``img/hysh_training.png``.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..hyperbolic.distance import distance
from ..settings import Settings, load_settings

if TYPE_CHECKING:
    from ..graph.connection import Database

log = logging.getLogger(__name__)

PAPER = 53_012
K_NEAREST = 10


def run(
    n: int = PAPER, *, dim: int = 64, threads: int = 1, seed: int = 1, settings: Settings | None = None,
    picture: Path | None = None, queries: int = 200,
) -> dict[str, Any]:  # fmt: skip
    """Load, build, train and swap; → seconds of each step, and what came out.

    Parameters
    ----------
    threads : of torch; equal numbers to the bit need an equal count
    picture : where to copy the plotted curve
    queries : nearest-neighbour queries for the recall
    """
    from ..graph.colocation import update_colocations
    from ..graph.connection import Database
    from ..graph.train_embedding import train_graph
    from ..hyperbolic.train import Config

    base = settings or load_settings()
    out: dict[str, Any] = {"n": n, "dim": dim, "threads": threads, "cpus": os.cpu_count()}
    with Database.temporary(base) as db, tempfile.TemporaryDirectory() as folder:
        out["closed_form"] = _load(db, base, n, out)
        begin = time.perf_counter()
        change = update_colocations(db, [r["id"] for r in db.read("hysh_observation_ids")], base)
        out["colocations"] = {"seconds": time.perf_counter() - begin, "written": change.written}
        out["nearest_closed"] = recall(db, base, queries)
        config = Config(K=base.curvature, dim=dim, seed=seed, threads=threads)
        cpu = time.process_time()
        report = train_graph(db, base, config=config, out=Path(folder))
        out["training"] = {k: v for k, v in report.items() if k not in ("curve_plot", "weights")}
        out["training"]["client_cpu_s"] = time.process_time() - cpu
        if picture and report["curve_plot"]:
            picture.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(report["curve_plot"], picture)
        out["nearest_learned"] = recall(db, base, queries)
    return out


def _load(db: Database, settings: Settings, n: int, out: dict[str, Any]) -> dict[str, Any]:
    """Write n synthetic observations; → seconds and size of their closed-form embedding alone."""
    from ..graph.hysh import embed_observations
    from .loading import load
    from .synthetic import synthetic_archive

    observations = list(synthetic_archive(n))
    begin = time.perf_counter()
    embedded = embed_observations(observations, settings)
    closed = {"n": n, "seconds": time.perf_counter() - begin, "placed": int(np.sum(embedded.placed))}
    begin = time.perf_counter()
    load(db, settings, observations, "train-embedding")
    out["load_s"] = time.perf_counter() - begin
    return closed


def recall(db: Database, settings: Settings, queries: int) -> dict[str, Any]:
    """recall@10 of :class:`areorag.graph.nearest.NearestIndex` over the graph's coordinates against brute force.

    Ties at the tenth distance count as found.
    """
    from ..graph.nearest import NearestCache
    from ..graph.train_embedding import active_version

    version = active_version(db)
    begin = time.perf_counter()
    index = NearestCache(db, settings).index(settings.body, version or "")
    built = time.perf_counter() - begin
    rng = np.random.default_rng(2)
    hits, spent, brute = 0, [], []
    for i in rng.integers(0, len(index), queries):
        begin = time.perf_counter()
        got = index.of(index.ids[i], K_NEAREST)
        spent.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        d = distance(index.rho[i], index.u[i], index.rho, index.u, settings.curvature)
        d[i] = np.inf
        bound = np.partition(d, K_NEAREST - 1)[K_NEAREST - 1]
        brute.append(time.perf_counter() - begin)
        hits += sum(hit.distance <= bound * (1 + 1e-12) for hit in got)
    return {
        "version": version,
        "n": len(index),
        f"recall_at_{K_NEAREST}": hits / (queries * K_NEAREST),
        "read_and_build_s": built,
        "p50_ms": float(np.median(spent) * 1e3),
        "brute_p50_ms": float(np.median(brute) * 1e3),
    }


def main(n: int = PAPER, out: Path = Path("docs")) -> Path:
    """Run at size n and write the result file; → its path."""
    import orjson

    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    result = run(n, threads=threads, picture=out / "img" / "hysh_training.png")
    path = out / "results" / "train-embedding.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
    return path


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else PAPER, Path(given[1]) if len(given) > 1 else Path("docs"))
