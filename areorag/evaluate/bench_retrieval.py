"""``areorag bench`` part *retrieval*: from the text of a question to ranked evidence, warm, without a language model.

Wall and CPU time per question and stage, the share of each stage, and the ratio to bare driver round trips on the same
server. On a busy machine the wall time is the machine's; the CPU time of the client is not.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.connection import Database
from ..llm.embed import get_embedder
from ..retrieval.engine import Retriever
from ..settings import Settings, load_settings
from .choices import known
from .region_gold import Archive
from .regions import Generator, _rows

SIZES = {"small": 2_000, "paper": 53_012, "million": 500_000}
QUESTIONS = 100


def run(
    scale: str = "small",
    *,
    home: Path | None = None,
    settings: Settings | None = None,
    n: int = QUESTIONS,
    seed: int = 7,
) -> dict[str, Any]:
    """Ask `n` generated region and season questions twice: the first round warms, the second is measured.

    Parameters
    ----------
    home : a managed database that already holds an archive; None: a throw-away one of the scale's size

    Raises
    ------
    UsageError
        Unknown scale.
    """
    known("scale", scale, SIZES)
    base = settings or load_settings(**({"home": home} if home is not None else {}))
    if home is not None:
        with Database.open(base) as db:
            return measure(db, base, n, seed) | {"scale": scale}
    from .loading import load
    from .synthetic import synthetic_archive

    with Database.temporary(base) as db:
        load(db, base, list(synthetic_archive(SIZES[scale])), "bench-retrieval")
        return measure(db, base, n, seed) | {"scale": scale}


def measure(db: Database, settings: Settings, n: int = QUESTIONS, seed: int = 7) -> dict[str, Any]:
    """Figures over one open graph: milliseconds, p50 and p95."""
    retriever = Retriever(db, settings, get_embedder(settings))
    t = time.perf_counter()
    columns = retriever.columns.get()
    load_s = time.perf_counter() - t
    drawn = Generator(Archive(_rows(db, settings.body)), seed).questions(n // 2, n - n // 2)
    questions = [q.question for q, _ in drawn]
    figures = timed(retriever, questions)
    trips = []
    for _ in range(50):
        t = time.perf_counter()
        db.read("server_version")
        trips.append(time.perf_counter() - t)
    trip = 1000 * float(np.median(trips))
    return {
        "hyperedges": len(columns),
        "load_s": round(load_s, 2),
        **figures,
        "round_trip_p50_ms": round(trip, 2),
        "in_round_trips": round(figures["p50_ms"] / trip, 1),
    }


def timed(retriever: Retriever, questions: Sequence[str]) -> dict[str, Any]:
    """Warm questions: milliseconds of wall and of the client's processor, and of each stage at the median.

    Every question is asked once before; its own embedding is forgotten between, so that it is not free.
    """
    retriever.spatial(retriever.columns.get()).warm()
    hits = [dict(retriever.retrieve(q).counts).get("on topic", 0) for q in questions]
    wall: list[float] = []
    cpu: list[float] = []
    stages: dict[str, list[float]] = {}
    for question in questions:
        retriever.forget_vectors([question])
        t, c = time.perf_counter(), time.process_time()
        found = retriever.retrieve(question)
        wall.append(time.perf_counter() - t)
        cpu.append(time.process_time() - c)
        for name, seconds in found.seconds.items():
            stages.setdefault(name, []).append(seconds)

    def ms(values: list[float], q: float) -> float:
        return round(1000 * float(np.quantile(values, q)), 2)

    return {
        "questions": len(questions),
        "candidates_mean": round(float(np.mean(hits)), 1),
        "p50_ms": ms(wall, 0.5),
        "p95_ms": ms(wall, 0.95),
        "cpu_p50_ms": ms(cpu, 0.5),
        "cpu_p95_ms": ms(cpu, 0.95),
        "stages_p50_ms": {k: ms(v, 0.5) for k, v in stages.items()},
    }
