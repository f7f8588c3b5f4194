"""Speed of the ingest pipeline, as ratios to bare ``UNWIND`` writes of the same rows measured in the same run.

A generated index table (the camera's true table format, invented rows spread over Mars) goes through `ingest_paths`
into a throw-away managed Neo4j. Then the rows it gave are written again into an emptied database twice: by the writer,
with its lock, look-ups and content hashes, and by bare statements that create the same nodes and relationships.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..graph.rows import HyperedgeRow
    from ..settings import Settings

ROWS = {"small": 3000, "paper": 30_000, "million": 30_000}
RATE_ROWS = {"small": 3000, "paper": 10_000, "million": 10_000}
SEED = 20260801
_CHUNK = 1000
_FIRST_S, _STEP_S = 1_167_609_600, 9000
"""Seconds since 1970 of the first image (2007-01-01), and from one image to the next."""


def index_table(folder: Path, rows: int, seed: int = SEED) -> Path:
    """Write ``INDEX.LBL`` and ``INDEX.TAB`` with `rows` invented images in the format of the sample's table."""
    from ..planet.marstime import solar_longitude_unix

    source = resources.files("areorag.sample").joinpath("archive", "ctx")
    try:
        label = source.joinpath("INDEX.LBL").read_text("utf-8")
        line = source.joinpath("INDEX.TAB").read_text("utf-8").splitlines()[0]
    except OSError as exc:
        raise LabelError(f"the sample's index table cannot be read ({exc.strerror})") from None
    own = line.count('"P04_002743_1987_XI_18N282W"')
    if own != 1:
        raise LabelError("the sample's index table is not the one this benchmark was written for")
    rng = np.random.default_rng(seed)
    count = len(source.joinpath("INDEX.TAB").read_text("utf-8").splitlines())
    (folder / "INDEX.LBL").write_text(label.replace(f"= {count}\n", f"= {rows}\n"), "utf-8")
    lat = np.degrees(np.arcsin(rng.uniform(-0.98, 0.98, rows)))
    west = rng.uniform(0.0, 360.0, rows)
    seasons = np.asarray(solar_longitude_unix(_FIRST_S + _STEP_S * np.arange(rows, dtype=float)))
    words = ("Layers in crater wall", "Dune field monitoring", "Clay-bearing unit", "Ride-along with HiRISE", "Gullies")
    with (folder / "INDEX.TAB").open("w", encoding="utf-8", newline="") as out:
        for i in range(rows):
            out.write(_row(line, i, float(west[i]), float(lat[i]), float(seasons[i]), words[i % len(words)]) + "\r\n")
    return folder


def _row(line: str, i: int, west: float, lat: float, season: float, words: str) -> str:
    """One line of the table: the sample's, with another id, time, place and rationale of the same widths."""
    half = 0.27 / max(np.cos(np.radians(lat)), 0.17)
    top, low = min(lat + 0.54, 89.9), max(lat - 0.54, -89.9)
    lean = 0.13 / max(np.cos(np.radians(lat)), 0.17)  # near-polar orbits lean: strips do not follow meridians
    corners = [(half - lean, top), (-half - lean, top - 0.03), (half + lean, low + 0.03), (-half + lean, low)]
    place = [(west, lat), *(((west + shift) % 360.0, phi) for shift, phi in corners)]
    cells = line.split(",")
    cells[1] = f'"DATA/B{i // 10000:02d}_{i:06d}_1985_XN_00N000W.IMG"'
    cells[2] = f'"4A_04_{i:010d}"'
    cells[3] = f'"B{i // 10000:02d}_{i:06d}_1985_XN_00N000W"'
    day = np.datetime64(_FIRST_S + _STEP_S * i, "s").astype("datetime64[ms]")
    cells[4] = f'"{day}"'
    for k, (lon, phi) in enumerate(place):
        cells[10 + 2 * k], cells[11 + 2 * k] = f"{lon:6.2f}", f"{phi:6.2f}"
    cells[21] = f"{season:6.2f}"
    cells[22] = f'"{words:<60}"'
    return ",".join(cells)


def run(scale: str = "small", progress: Callable[[str, int, int], None] | None = None) -> dict[str, Any]:
    """Measure; → ``{rows, seconds, rows_per_s, again_seconds, memory_mb, writer_per_s, bare_per_s, ratio_to_bare}``."""
    from ..graph.connection import Database
    from ..ingest.pipeline import ingest_paths
    from ..llm.embed import get_embedder
    from ..settings import load_settings

    settings = load_settings()
    embedder = get_embedder(settings)
    embedder.embed(["warm"])
    with tempfile.TemporaryDirectory(prefix="areorag-bench-") as name, Database.temporary(settings) as db:
        folder = index_table(Path(name), ROWS[scale])
        before = _memory_mb()
        start = time.perf_counter()
        report = ingest_paths(db, [folder], settings, embedder=embedder, progress=progress)
        seconds = time.perf_counter() - start
        memory = _memory_mb() - before
        start = time.perf_counter()
        again = ingest_paths(db, [folder], settings, embedder=embedder)
        again_seconds = time.perf_counter() - start
        rates = _rates(db, folder, settings, embedder, RATE_ROWS[scale])
    return {
        "rows": report.added,
        "unchanged_again": again.unchanged,
        "quarantined": len(report.quarantined),
        "seconds": round(seconds, 2),
        "rows_per_s": round(report.added / seconds, 1),
        "again_seconds": round(again_seconds, 2),
        "memory_mb": round(memory, 1),
        **rates,
    }


def _rates(db: Database, folder: Path, settings: Settings, embedder: Any, limit: int) -> dict[str, float]:
    """Rows a second of the writer and of bare statements, in turn on the same rows, each twice, best of both."""
    from ..graph.writer import write_observations
    from ..ingest.adapters import read_path
    from ..ingest.build import RowBuilder

    observations = [o for report in read_path(folder) for o in report.observations][:limit]
    builder = RowBuilder(settings, embedder)
    rows: list[HyperedgeRow] = []
    for start in range(0, len(observations), _CHUNK):
        rows += builder.build(observations[start : start + _CHUNK])
    best = {"writer": 0.0, "bare": 0.0}
    for _ in range(2):
        for kind in ("bare", "writer"):
            _empty(db)
            begun = time.perf_counter()
            if kind == "writer":
                write_observations(db, rows, "bench", batch_size=_CHUNK)
            else:
                for name, parameters in bare_statements(rows):
                    db.write(name, **parameters)
            best[kind] = max(best[kind], len(rows) / (time.perf_counter() - begun))
    ratio = best["writer"] / best["bare"]
    return {
        "writer_per_s": round(best["writer"], 1),
        "bare_per_s": round(best["bare"], 1),
        "ratio_to_bare": round(ratio, 3),
    }


def bare_statements(rows: list[HyperedgeRow]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same nodes and relationships without lock, look-ups, hashes or versions: plain statements for each chunk."""
    from ..graph.cells import parse_cell, within_pairs
    from ..graph.decide import product_key
    from ..graph.rows import content_hash
    from ..graph.writer import entity_parameters, node_parameters, with_vectors

    cells_done: set[str] = set()
    entities_done: set[str] = set()
    yield "bench_run", {"id": "bare"}
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        pairs = [p for p in within_pairs({c for row in chunk for c in row.cells}) if p[0] not in cells_done]
        cells = sorted({c for pair in pairs for c in pair} | {c for row in chunk for c in row.cells})
        fresh = [c for c in cells if c not in cells_done]
        cells_done.update(fresh)
        entities = {ref.id: ref for row in chunk for ref in row.entities if ref.id not in entities_done}
        entities_done.update(entities)
        numbered = [{"id": c, "order": parse_cell(c)[0], "index": parse_cell(c)[1]} for c in fresh]
        yield "write_cells", {"rows": numbered}
        yield "write_within", {"rows": [{"cell": c, "up": up} for c, up in pairs]}
        yield "write_entities", {"rows": [entity_parameters(entities[k]) for k in sorted(entities)]}
        yield "write_observations", with_vectors([node_parameters(row, content_hash(row.observation)) for row in chunk])
        binds = [
            {"h": row.observation.id, "to": [{"e": ref.id, "role": ref.role} for ref in row.entities]} for row in chunk
        ]
        yield "write_binds", {"rows": binds}
        yield "write_covers", {"rows": [{"h": row.observation.id, "cells": list(row.cells)} for row in chunk]}
        products = []
        for row in chunk:
            product = {k: v for k, v in row.observation.product.model_dump().items() if v is not None}
            key = product_key(row.observation.product.data_id)
            sources = [{"data_id": d, "name": d, "key": d} for d in row.observation.derived_from]
            node = product | {"name": product["data_id"], "key": key}
            products.append({"h": row.observation.id, "p": node, "sources": sources})
        yield "bench_products", {"rows": products, "run": "bare"}


def _empty(db: Database) -> None:
    """Relationships first: an instrument has as many as there are rows, more than one transaction holds."""
    for name in ("bench_delete_relationships", "bench_delete_some"):
        while db.write(name, limit=10_000)[0]["n"]:
            pass


def _memory_mb() -> float:
    """Largest resident memory so far of this process and of its largest child, megabytes."""
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    used = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return used / unit
