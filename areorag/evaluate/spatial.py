"""``areorag eval spatial``: random geometry against brute force (contract; METHODS §2).

Footprints and regions of every kind are made by `spatial_shapes`, written as GeoJSON, read by the product and searched;
the gold is `spatial_oracle`, which shares no geometry code with the product. ``missed`` and ``extra`` count pairs of
(query, footprint); pairs too close to an edge to call are left out and counted as ``borderline``. The same queries are
asked of a real graph through its cells (``database``) for a part of them.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DatabaseError, UsageError
from . import spatial_oracle as oracle
from .spatial_shapes import KINDS, figure

log = logging.getLogger(__name__)

RADIUS_M = 3_396_190.0
FOOTPRINTS = 120
DATABASE_QUERIES = 250

Progress = Callable[[str, int, int | None], None]


class Case:
    """One query: a region, a distance in metres, a relation."""

    def __init__(self, rng: np.random.Generator, world: list[oracle.Figure]) -> None:
        beside = world[int(rng.integers(len(world)))].parts[0].centre
        lon, lat = (float(x) for x in oracle.degrees(beside))
        self.region = figure(rng, region=True, near=(lon, lat))
        areal = all(p.kind in {"polygon", "box", "planet"} for p in self.region.parts)
        single = len(self.region.parts) == 1
        self.relation = "within" if areal and single and rng.uniform() < 0.25 else "intersects"
        far = self.relation == "intersects" and rng.uniform() < 0.5
        self.epsilon_m = float(math.exp(rng.uniform(math.log(1_000), math.log(500_000)))) if far else 0.0

    def gold(self, footprint: oracle.Figure) -> bool | None:
        """What holds, by brute force; None where it cannot be called."""
        if self.relation == "within":
            parts = [oracle.inside(a, self.region.parts[0]) for a in footprint.parts]
            return False if False in parts else None if None in parts else True
        epsilon = self.epsilon_m / RADIUS_M
        pairs = [oracle.meet(a, b, epsilon) for a in footprint.parts for b in self.region.parts]
        return True if True in pairs else None if None in pairs else False


def world_of(n: int, seed: int, footprints: int) -> tuple[list[oracle.Figure], list[Case]]:
    """Random footprints and queries; equal seeds give equal worlds."""
    rng = np.random.default_rng(seed)
    world = [figure(rng, region=False) for _ in range(footprints)]
    # half of the footprints crowd round the others, so that answers are not empty
    for i in range(footprints // 2, footprints):
        lon, lat = (float(x) for x in oracle.degrees(world[i % (footprints // 2)].parts[0].centre))
        world[i] = figure(rng, region=False, near=(lon, lat))
    return world, [Case(rng, world) for _ in range(n)]


def run(
    n: int = 5_000,
    seed: int = 7,
    home: Path | None = None,
    *,
    footprints: int = FOOTPRINTS,
    database: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run the comparison.

    Parameters
    ----------
    n : queries; `seed` fixes everything; `footprints` size of the archive searched
    home : home of a managed database to use for the ``database`` part; None: a throw-away one
    database : also ask a real graph (a part of the queries)

    Returns
    -------
    ``{n, missed, extra, borderline, hits, p50_ms, p95_ms, brute_p50_ms, strtree_p50_ms, …, kinds, database}``

    Raises
    ------
    UsageError
        n is not positive.
    """
    if n < 1:
        raise UsageError(f"eval spatial needs at least one query, not {n}")
    from ..graph.rows import wkt_of
    from ..planet.bodies import get_body
    from ..planet.geometry import footprint as build
    from ..retrieval.spatial import SpatialIndex
    from ..retrieval.spatial_arrays import FootprintArrays

    world, cases = world_of(n, seed, footprints)
    rows = [{"id": f"f{i:05d}", "footprint": wkt_of(f.geojson), "lon": None, "lat": None} for i, f in enumerate(world)]
    arrays = FootprintArrays.from_rows(rows, get_body("Mars"))
    index = SpatialIndex(None, arrays=arrays)
    tally = _Tally(world)
    times: list[float] = []
    for k, case in enumerate(cases):
        region = build(case.region.geojson)
        started = time.perf_counter()
        found = index.candidates(region, case.epsilon_m, case.relation, explain=False)
        times.append(time.perf_counter() - started)
        tally.add(case, {int(name[1:]) for name in found.ids})
        if progress and k % 100 == 0:
            progress("spatial queries", k, n)
    out: dict[str, Any] = {"n": n, "seed": seed, "footprints": footprints, **tally.counts()}
    out["p50_ms"], out["p95_ms"] = _percentile(times, 50), _percentile(times, 95)
    out["brute_p50_ms"] = _brute(arrays, cases[:60])
    out["strtree_p50_ms"] = _strtree(rows, cases)
    out["kinds"] = {kind: sum(f.label == kind for f in world) for kind in KINDS}
    if database:
        out["database"] = _through_database(world, cases[: min(n, DATABASE_QUERIES)], home)
    return out


class _Tally:
    """Compares answers with gold over all footprints; those whose caps are plainly apart are not looked at singly."""

    def __init__(self, world: list[oracle.Figure]) -> None:
        self.world = world
        parts = [(i, p) for i, f in enumerate(world) for p in f.parts]
        self.owner = np.array([i for i, _ in parts])
        self.centre = np.array([p.centre for _, p in parts])
        self.radius = np.array([p.radius for _, p in parts])
        self.missed = self.extra = self.borderline = self.hits = self.pairs = 0
        self.wrong: list[dict[str, Any]] = []

    def add(self, case: Case, found: set[int]) -> None:
        close: set[int] = set()
        for part in case.region.parts:
            reach = self.radius + part.radius + case.epsilon_m / RADIUS_M + 1e-5
            close |= set(self.owner[oracle.angle(self.centre, part.centre) <= reach].tolist())
        self.pairs += len(self.world)
        for i in close | found:
            f = self.world[i]
            gold = case.gold(f)
            if gold is None:
                self.borderline += 1
            elif gold != (i in found):
                self.missed += gold
                self.extra += not gold
                if len(self.wrong) < 10:
                    self.wrong.append({"relation": case.relation, "epsilon_m": case.epsilon_m, "gold": gold,
                                       "footprint": f.geojson, "region": case.region.geojson})  # fmt: skip
            else:
                self.hits += gold

    def counts(self) -> dict[str, Any]:
        return {
            "missed": self.missed, "extra": self.extra, "borderline": self.borderline, "hits": self.hits,
            "pairs": self.pairs, "wrong": self.wrong,
        }  # fmt: skip


def _percentile(seconds: list[float], q: float) -> float:
    return round(float(np.percentile(seconds, q)) * 1e3, 4) if seconds else 0.0


def _brute(arrays: Any, cases: list[Case]) -> float:
    """Exact distance to every footprint, no candidates: what an index must beat."""
    from ..planet.geometry import footprint as build

    everything = np.arange(len(arrays))
    times = []
    for case in cases:
        region = build(case.region.geojson)
        started = time.perf_counter()
        arrays.distances_rad(everything, region)
        times.append(time.perf_counter() - started)
    return _percentile(times, 50)


def _strtree(rows: list[dict[str, Any]], cases: list[Case]) -> float:
    """shapely's STRtree on the same outlines in the plane: fast, and wrong at poles and antimeridian."""
    import shapely
    from shapely.geometry import shape

    tree = shapely.STRtree(shapely.from_wkt([row["footprint"] for row in rows]))
    times = []
    for case in cases:
        region = shape(case.region.geojson)
        if not region.is_valid:
            region = shapely.make_valid(region)
        degrees = math.degrees(case.epsilon_m / RADIUS_M)
        started = time.perf_counter()
        if degrees > 0:
            tree.query(region, predicate="dwithin", distance=degrees)
        else:
            tree.query(region, predicate="intersects")
        times.append(time.perf_counter() - started)
    return _percentile(times, 50)


def _through_database(world: list[oracle.Figure], cases: list[Case], home: Path | None) -> dict[str, Any]:
    """The same, asked of a real graph by cells, each search on its own (no outlines kept in memory)."""
    from ..graph.connection import Database
    from ..planet.geometry import footprint as build
    from ..retrieval.spatial import SpatialIndex
    from ..settings import load_settings

    settings = load_settings(**({"home": home} if home else {}))
    tally = _Tally(world)
    times = []
    try:
        with Database.temporary(settings) if home is None else Database.open(settings) as db:
            body = write_world(db, world)
            for case in cases:
                region = build(case.region.geojson)
                index = SpatialIndex(db, body)
                started = time.perf_counter()
                found = index.candidates(region, case.epsilon_m, case.relation, explain=False)
                times.append(time.perf_counter() - started)
                tally.add(case, {int(name.rsplit("-", 1)[1]) for name in found.ids})
    except DatabaseError as exc:
        log.warning("eval spatial: %s", exc)
        return {"error": str(exc)}
    counts = tally.counts()
    return {"n": len(cases), **counts, "p50_ms": _percentile(times, 50), "p95_ms": _percentile(times, 95)}


def write_world(db: Any, world: list[oracle.Figure]) -> str:
    """Write the footprints as observations of a body of their own; → the body's name."""
    from ..graph.cells import cover_many
    from ..graph.model import Observation, ProductRef
    from ..graph.rows import HyperedgeRow
    from ..graph.writer import write_observations
    from ..planet.geometry import footprint as build

    body = "Mars"
    rows = []
    covers = cover_many([build(f.geojson) for f in world])
    for i, (f, cells) in enumerate(zip(world, covers, strict=True)):
        name = f"eval-spatial-{i:05d}"
        obs = Observation(id=name, kind="derived", body=body, footprint=f.geojson, product=ProductRef(data_id=name))
        rows.append(HyperedgeRow(obs, cells=cells))
    write_observations(db, rows, "eval-spatial")
    return body
