"""Nearest by geodesic: exact against brute force, in memory and through the server's point index."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from areorag.errors import HyperbolicError, UnknownNameError
from areorag.graph.connection import Database
from areorag.graph.nearest import NearestCache, NearestIndex, band_bound, nearest_in_database, reach
from areorag.hyperbolic.lorentz import distance
from areorag.settings import Settings

SIZE = int(os.environ.get("AREORAG_NEAREST", "5000"))


def points(seed: int, n: int, d: int = 3) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Depths like an archive's (0.25 m to 460 m, some at the origin), directions in clusters."""
    rng = np.random.default_rng(seed)
    rho = np.where(rng.uniform(size=n) < 0.02, 0.0, np.log(3396190 / np.exp(rng.uniform(np.log(0.01), np.log(500), n))))
    u = rng.normal(size=(40, d))[rng.integers(0, 40, n)] + 10.0 ** rng.uniform(-6, 0, (n, 1)) * rng.normal(size=(n, d))
    return [f"p{i:06}" for i in range(n)], rho, u / np.linalg.norm(u, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [3, 8])
def test_recall_against_brute_force_is_one(d: int) -> None:
    ids, rho, u = points(1, SIZE, d)
    index = NearestIndex(ids, rho, u)
    rng = np.random.default_rng(2)
    seconds = 0.0
    for i in rng.integers(0, SIZE, 60):
        start = time.perf_counter()
        got = [n.id for n in index.of(ids[i], 10)]
        seconds += time.perf_counter() - start
        d_all = distance(rho[i], u[i], rho, u)
        d_all[i] = np.inf
        want = [ids[j] for j in np.lexsort((np.arange(SIZE), d_all))[:10]]
        assert got == want
    assert seconds / 60 < 0.2


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.floats(0, 22), st.floats(0, 22), st.floats(0, 3), st.floats(0, 2), st.sampled_from([-0.1, -1.0, -4.0]))
def test_the_band_bound_never_exceeds_a_distance_in_the_band(
    rho: float, low: float, width: float, chord: float, K: float
) -> None:
    bound = band_bound(rho, (low, low + width), chord, K)
    for other in np.linspace(low, low + width, 41):
        for c in (chord, min(2.0, chord * 1.3), 2.0):
            half = np.arcsin(c / 2)
            d = float(distance(rho, [1.0, 0.0], other, [np.cos(2 * half), np.sin(2 * half)], K))
            assert bound <= d * (1 + 1e-7) + 1e-7


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.floats(0, 22), st.floats(0.01, 30), st.floats(0, 1), st.floats(0, 3.14), st.sampled_from([-0.1, -1.0, -4.0]))
def test_everything_within_the_bound_lies_in_reach(rho: float, bound: float, at: float, angle: float, K: float) -> None:
    other = max(0.0, rho - bound) + at * (rho + bound - max(0.0, rho - bound))
    v = [np.cos(angle), np.sin(angle)]
    if float(distance(rho, [1.0, 0.0], other, v, K)) <= bound:
        chord = 2 * np.sin(angle / 2)
        assert any(low <= other <= high and chord <= c * (1 + 1e-9) for low, high, c in reach(rho, bound, K))


def test_impossible_queries_are_named_errors() -> None:
    ids, rho, u = points(3, 20)
    index = NearestIndex(ids, rho, u)
    with pytest.raises(UnknownNameError):
        index.of("nobody")
    for bad in ((np.nan, u[0], 3), (1.0, [1.0, 1.0, 1.0], 3), (1.0, u[0], 0), (1.0, [1.0, 0.0], 3)):
        with pytest.raises(HyperbolicError):
            index.query(*bad)
    with pytest.raises(HyperbolicError):
        NearestIndex(["a"], [np.nan], [[1.0, 0.0, 0.0]])
    assert NearestIndex([], [], np.zeros((0, 3))).query(1.0, [1.0, 0.0, 0.0], 5) == []
    assert len(index.of(ids[0], 100)) == 19


@pytest.mark.db
def test_the_graph_answers_by_cache_and_by_its_point_index_alike(db: Database, settings: Settings) -> None:
    ids, rho, u = points(4, 600)
    rows: list[dict[str, Any]] = [
        {
            "p": {"id": n, "body": "Mars", "rho": r, "direction": v.tolist(), "known_hashes": []},
            "xyz": (v * 3396190.0).tolist(),
            "lonlat": None,
        }
        for n, r, v in zip(ids, rho.tolist(), u, strict=True)
    ]
    moon = {
        "p": {"id": "moon", "body": "Moon", "rho": rho[0], "direction": u[0].tolist(), "known_hashes": []},
        "xyz": (u[0] * 1737400).tolist(),
        "lonlat": None,
    }
    db.write("write_observations", rows=[*rows, moon], vectors=[])
    cache = NearestCache(db, settings)
    for i in (0, 17, 101, 400, int(np.argmin(rho))):
        d = distance(rho[i], u[i], rho, u)
        d[i] = np.inf
        want = [ids[j] for j in np.lexsort((np.arange(600), d))[:10]]
        assert [n.id for n in cache.nearest(ids[i], 10)] == want
        assert [n.id for n in nearest_in_database(db, ids[i], settings, 10)] == want
    kept = cache.index("Mars", "")
    assert cache.index("Mars", "") is kept
    assert len(cache.index("Mars", "another")) == 0
    db.write("write_observations", rows=[{**rows[0], "p": {**rows[0]["p"], "id": "twin"}}], vectors=[])
    assert cache.nearest(ids[0], 1)[0].id == "twin"
    assert nearest_in_database(db, "moon", settings, 5) == []
    assert cache.nearest("moon", 5) == []
    with pytest.raises(UnknownNameError):
        cache.nearest("nobody")
