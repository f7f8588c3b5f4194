"""``areorag bench`` part *growth*: what a warm question costs against the size of the archive.

The same questions are asked of growing archives of one kind (even samples of the largest), with their answers growing
alike. Two series:

``graph``   everything, from text to evidence, on a throw-away Neo4j that grows from size to size;
``memory``  the retriever's own work: columns and outlines are built straight from the records, without a database, so
            expansion over hyperedges and the fetch of the kept records are left out, and text vectors are random unit
            vectors (values do not change the cost; embedding half a million texts would). It reaches sizes that would
            take too long to load.

``growth`` is d log(time) / d log(n) between the smallest and the largest archive of a series: below 1 is sub-linear.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.connection import Database
from ..graph.hysh import embed_observations
from ..graph.model import Observation
from ..graph.rows import wkt_of
from ..llm.embed import get_embedder
from ..retrieval.columns import build_columns, topic_key
from ..retrieval.engine import Retriever
from ..settings import Settings, load_settings
from .bench_retrieval import timed
from .choices import known
from .conflict_plots import pyplot, save
from .loading import load
from .region_gold import Archive
from .regions import Generator
from .synthetic import PAPER_TOTAL, synthetic_archive

log = logging.getLogger(__name__)
GRAPH_SIZES = {"small": (1_000, 4_000), "paper": (5_000, PAPER_TOTAL), "million": (5_000, PAPER_TOTAL)}
MEMORY_SIZES = {"small": (1_000, 4_000), "paper": (5_000, PAPER_TOTAL), "million": (5_000, PAPER_TOTAL, 500_000)}
QUESTIONS = 100
_CHUNK = 1_000
Told = Callable[[str, int, int], None]


def run(
    scale: str = "small",
    *,
    settings: Settings | None = None,
    n: int = QUESTIONS,
    seed: int = 7,
    graph: bool = True,
    memory: bool = True,
    told: Told | None = None,
) -> dict[str, Any]:
    """Measure both series; → ``{questions, graph: [{n, p50_ms, …}], memory: […], growth: {series: exponent}}``.

    Parameters
    ----------
    n : questions, drawn from the smallest archive
    graph, memory : which series to measure

    Raises
    ------
    UsageError
        Unknown scale.
    """
    known("scale", scale, GRAPH_SIZES)
    base = settings or load_settings()
    questions = draw(GRAPH_SIZES[scale][0], n, seed)
    out: dict[str, Any] = {"scale": scale, "questions": len(questions)}
    if graph:
        out["graph"] = _graph_series(GRAPH_SIZES[scale], questions, base, told)
    if memory:
        out["memory"] = [_in_memory(size, questions, base, told) for size in MEMORY_SIZES[scale]]
    out["growth"] = {k: growth(out[k]) for k in ("graph", "memory") if k in out}
    return out


def growth(series: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Exponents between the smallest and the largest archive.

    >>> growth([{"n": 10, "p50_ms": 1.0, "p95_ms": 2.0}, {"n": 1000, "p50_ms": 10.0, "p95_ms": 2.0}])
    {'p50': 0.5, 'p95': 0.0}
    """
    a, b = series[0], series[-1]
    span = math.log(b["n"] / a["n"])
    return {q: round(math.log(b[f"{q}_ms"] / a[f"{q}_ms"]) / span, 3) + 0.0 for q in ("p50", "p95")}


def draw(size: int, n: int, seed: int) -> list[str]:
    """Texts of n region and season questions about an archive of `size` records."""
    archive = Archive([_gold_row(o) for o in synthetic_archive(size)])
    return [q.question for q, _ in Generator(archive, seed).questions(n // 2, n - n // 2)]


def sample(size: int, of: int) -> list[int]:
    """Positions of `size` records spread evenly over an archive of `of`.

    >>> sample(3, 6)
    [0, 2, 4]
    """
    return [i * of // size for i in range(size)]


def _graph_series(
    sizes: Sequence[int], questions: Sequence[str], settings: Settings, told: Told | None
) -> list[dict[str, Any]]:
    largest = max(sizes)
    archive = list(synthetic_archive(largest))
    loaded: set[int] = set()
    out = []
    with Database.temporary(settings) as db:
        for size in sizes:
            wanted = [i for i in sample(size, largest) if i not in loaded]
            began = time.perf_counter()
            heard = None if told is None else partial(told, f"load to {size:,}")
            load(db, settings, [archive[i] for i in wanted], "bench-growth", heard)
            loaded |= set(wanted)
            load_s = time.perf_counter() - began
            retriever = Retriever(db, settings, get_embedder(settings))
            row = {"n": len(loaded), "rows_per_s": round(len(wanted) / load_s, 1)}
            out.append(row | timed(retriever, questions))
    return out


def _in_memory(size: int, questions: Sequence[str], settings: Settings, told: Told | None) -> dict[str, Any]:
    if told is not None:
        told(f"build {size:,} in memory", 0, 1)
    began = time.perf_counter()
    retriever = memory_retriever(synthetic_archive(size), settings)
    build_s = time.perf_counter() - began
    return {"n": size, "build_s": round(build_s, 1)} | timed(retriever, questions)


def memory_retriever(records: Iterable[Observation], settings: Settings, seed: int = 11) -> Retriever:
    """A retriever over records that no database holds: no expansion, no fetch, random text vectors."""
    from ..retrieval.spatial import SpatialIndex
    from ..retrieval.spatial_arrays import FootprintArrays

    embedder = get_embedder(settings)
    rows: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    topics: dict[str, list[int]] = {}
    for chunk in _chunks(records):
        placed = embed_observations(chunk, settings)
        for i, o in enumerate(chunk):
            for claim in o.claims:
                for name in filter(None, (claim.property, claim.value)):
                    found = topics.setdefault(topic_key(str(name)), [])
                    if not found or found[-1] != len(rows):
                        found.append(len(rows))
            rows.append(_column_row(o, float(placed.rho[i]), placed.direction[i].tolist()))
            shapes.append({"id": o.id, "footprint": wkt_of(o.footprint), "lon": o.position_lon_deg,
                           "lat": o.position_lat_deg})  # fmt: skip
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((len(rows), embedder.dim), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    columns = build_columns(rows, vectors, embedder)
    columns.topic_rows = {k: np.array(v, dtype=np.int64) for k, v in topics.items()}
    retriever = Retriever(
        _NoDatabase(),  # type: ignore[arg-type]
        settings.model_copy(update={"feedback": False}),
        embedder,
        without=("expansion",),
    )
    body = retriever.gazetteer.body
    retriever.columns.pin(columns)
    retriever.pin_spatial(columns, SpatialIndex(None, body, arrays=FootprintArrays.from_rows(shapes, body)))
    return retriever


class _NoDatabase:
    """Stands where the retriever fetches the kept records: there are none to fetch."""

    def read(self, _query: str, **_: Any) -> list[dict[str, Any]]:
        """No rows."""
        return []


def _chunks(records: Iterable[Observation]) -> Iterator[list[Observation]]:
    left = iter(records)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk


def _column_row(o: Observation, rho: float, direction: list[float]) -> dict[str, Any]:
    return {
        "id": o.id, "kind": o.kind, "body": o.body, "platform": o.platform, "instrument": o.instrument,
        "institution": o.institution, "level": o.processing_level, "resolution_m": o.resolution_m,
        "start": None if o.start is None else o.start.timestamp(),
        "stop": None if o.stop is None else o.stop.timestamp(),
        "ls_deg": o.ls_deg, "mars_year": o.mars_year, "sol": o.sol, "confidence": o.authority, "rho": rho,
        "direction": direction, "lon": o.position_lon_deg, "lat": o.position_lat_deg, "targets": o.targets,
        "text": o.text, "hash": o.id,
    }  # fmt: skip


def _gold_row(o: Observation) -> dict[str, Any]:
    row = _column_row(o, 0.0, [])
    claims = [c.model_dump(include={"subject", "property", "value", "polarity"}) for c in o.claims]
    return row | {"footprint": wkt_of(o.footprint), "claims": claims}


PICTURE = "bench_growth.svg"


def page(result: Mapping[str, Any]) -> str:
    """The section of the results page."""
    lines = [
        f"{result['questions']} warm questions of growing archives; `growth` is d log(time) / d log(n), below 1 is "
        "sub-linear. *graph*: everything on Neo4j; *memory*: the retriever's own work without database, expansion and "
        "fetch, with random text vectors.",
        "",
        "| series | records | candidates a question | p50 ms | p95 ms | CPU p50 ms |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("graph", "memory"):
        lines += [
            f"| {name} | {r['n']:,} | {r['candidates_mean']} | {r['p50_ms']} | {r['p95_ms']} | {r['cpu_p50_ms']} |"
            for r in result.get(name, ())
        ]
    lines += [""] + [
        f"Exponent of *{name}*: {e['p50']} at the median, {e['p95']} at the 95th percentile."
        for name, e in result["growth"].items()
    ]
    return "\n".join([*lines, "", f"![cost against archive size](results/{PICTURE})", ""])


def plots(result: Mapping[str, Any], folder: Path) -> list[Path]:
    """``bench_growth.svg``: time against records, with a linear law beside it.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    plt = pyplot()
    figure, ax = plt.subplots(figsize=(5.2, 3.6))
    for name, colour in (("graph", "#2f6d8f"), ("memory", "#b2432f")):
        series: list[dict[str, Any]] = list(result.get(name) or ())
        x: list[int] = [r["n"] for r in series]
        for q, line in (("p50", "o-"), ("p95", "s--")):
            if x:
                ax.loglog(x, [r[f"{q}_ms"] for r in series], line, color=colour, ms=4, label=f"{name}, {q}")
        if name == "memory" and x:
            law = [series[0]["p50_ms"] * n / x[0] for n in x]
            ax.loglog(x, law, ":", color="black", lw=0.8, label="linear")
    ax.set_xlabel("records in the archive")
    ax.set_ylabel("milliseconds a question")
    ax.legend(fontsize=7, frameon=False)
    out = save(figure, folder / PICTURE)
    plt.close(figure)
    return [out]
