"""``areorag bench`` part *retrieval*: from the text of a question to ranked evidence, warm, without a language model.

Wall and CPU time per question and stage, the share of each stage, and the ratio to bare driver round trips on the same
server. On a busy machine the wall time is the machine's; the CPU time of the client is not.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError
from ..graph.connection import Database
from ..llm.embed import get_embedder
from ..retrieval.engine import Retriever
from ..settings import Settings, load_settings
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
    if scale not in SIZES:
        raise UsageError(f"unknown scale {scale!r}: use {', '.join(SIZES)}")
    base = settings or load_settings(**({"home": home} if home is not None else {}))
    if home is not None:
        with Database.open(base) as db:
            return measure(db, base, n, seed) | {"scale": scale}
    from ..graph.writer import write_observations
    from ..ingest.build import RowBuilder
    from .synthetic import synthetic_archive

    with Database.temporary(base) as db:
        builder = RowBuilder(base, get_embedder(base))
        batch: list[Any] = []
        for observation in synthetic_archive(SIZES[scale]):
            batch.append(observation)
            if len(batch) == 1000:
                write_observations(db, builder.build(batch), "bench-retrieval")
                batch = []
        if batch:
            write_observations(db, builder.build(batch), "bench-retrieval")
        return measure(db, base, n, seed) | {"scale": scale}


def measure(db: Database, settings: Settings, n: int = QUESTIONS, seed: int = 7) -> dict[str, Any]:
    """Figures over one open graph: milliseconds, p50 and p95."""
    retriever = Retriever(db, settings, get_embedder(settings))
    t = time.perf_counter()
    columns = retriever.columns.get()
    load_s = time.perf_counter() - t
    drawn = Generator(Archive(_rows(db, settings.body)), seed).questions(n // 2, n - n // 2)
    questions = [q.question for q, _ in drawn]
    retriever.spatial(columns).warm()
    for question in questions:
        retriever.retrieve(question)
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
    trips = []
    for _ in range(50):
        t = time.perf_counter()
        db.read("server_version")
        trips.append(time.perf_counter() - t)

    def ms(values: list[float], q: float) -> float:
        return round(1000 * float(np.quantile(values, q)), 2)

    return {
        "hyperedges": len(columns),
        "questions": len(questions),
        "load_s": round(load_s, 2),
        "p50_ms": ms(wall, 0.5),
        "p95_ms": ms(wall, 0.95),
        "cpu_p50_ms": ms(cpu, 0.5),
        "cpu_p95_ms": ms(cpu, 0.95),
        "round_trip_p50_ms": ms(trips, 0.5),
        "in_round_trips": round(float(np.median(wall) / np.median(trips)), 1),
        "stages_p50_ms": {k: ms(v, 0.5) for k, v in stages.items()},
    }
