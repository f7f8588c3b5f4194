"""Containment ranking, the kernel's bench, Proposition 1 and the pictures: small runs of the real thing."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import UsageError
from areorag.evaluate import bench_hyperbolic, containment, proposition
from areorag.evaluate.plots_hysh import count_edges
from areorag.graph.model import Observation, ProductRef


def test_average_precision_follows_its_definition() -> None:
    assert containment.average_precision(np.array([False, False])) == 0.0
    assert containment.average_precision(np.array([True, True, False])) == 1.0
    assert containment.average_precision(np.array([False, True, False, True])) == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_hidden_pairs_are_neither_trained_on_nor_ranked_among_known_ones() -> None:
    rng = np.random.default_rng(0)
    rho = np.concatenate([np.full(200, 9.0), np.full(100, 14.0)])
    unit = rng.normal(size=(300, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    pairs = np.array([(i, j) for i in range(200, 300) for j in (i - 200, i - 199)])
    task = containment.Task(rho, unit, pairs, seed=1)
    known = {tuple(p) for p in task.known}
    assert not known & {tuple(p) for p in task.hidden}
    assert len(task.known) + len(task.hidden) == len(pairs)
    for i, candidates, relevant in zip(task.queries, task.candidates, task.relevant, strict=True):
        assert relevant <= set(candidates.tolist())
        assert not known & {(int(i), int(j)) for j in candidates}
    perfect = task.mean_average_precision(lambda i, js: np.array([0.0 if j in (i - 200, i - 199) else 1.0 for j in js]))
    assert perfect == 1.0
    assert task.chance() < 0.2
    with pytest.raises(UsageError, match="too few"):
        containment.Task(rho, unit, pairs[:3], seed=1)


@pytest.mark.train
def test_containment_runs_on_a_small_archive_and_reports_every_model() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torch", reason="needs the extra [train]")
        pytest.importorskip("geoopt", reason="needs the extra [train]")
    out = containment.run(n=1500, dims=(4,), inits=("position",), epochs=2)
    assert [row["space"] for row in out["learned"]] == list(containment.SPACES)
    assert out["closed"]["hyperbolic_d3"] > 5 * out["closed"]["chance"]


def test_the_bench_oracle_and_our_distance_agree_and_the_textbook_formula_does_not() -> None:
    found = bench_hyperbolic.accuracy(3)
    assert found["ours"] < 1e-12
    assert found["numpy_acosh"] > 1e-3
    near = bench_hyperbolic.exact_distance(1.0, np.array([1.0, 0.0]), 2.5, np.array([1.0, 0.0]))
    assert near == pytest.approx(1.5, rel=1e-15)
    with pytest.raises(UsageError):
        bench_hyperbolic.run("huge")


def test_bench_parts_report_rates_and_full_recall() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rates = bench_hyperbolic.bench_distances(20_000, 3)
    assert rates["pairs"]["ours_Mps"] > 0
    assert bench_hyperbolic.bench_closed_form(53_012)["seconds"] < 10
    assert bench_hyperbolic.bench_nearest(3000, queries=20)["recall_at_10"] == 1.0


def test_proposition_1_gives_minus_two_for_tilings_of_frames_with_a_fixed_number_of_samples() -> None:
    frames = []
    for level, ell in enumerate((1.0, 4.0, 16.0)):
        half = 0.001 * ell
        for i in range(40):
            lon = 10.0 + 0.5 * i
            ring = [[lon + a * half, b * half] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
            name = f"{level}-{i}"
            frames.append(
                Observation(
                    id=name, kind="orbital", resolution_m=ell, product=ProductRef(data_id=name),
                    footprint={"type": "Polygon", "coordinates": [ring]},
                )
            )  # fmt: skip
    found = proposition.measure(frames)
    assert found["slope_density"] == pytest.approx(-2.0, abs=0.01)
    assert found["slope_n"] == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(UsageError):
        proposition.measure(frames[:40])


def test_hyperedges_grow_with_k_and_the_line_graph_with_its_square() -> None:
    for k, hyperedges, line in count_edges([2, 10, 40]):
        assert hyperedges == k
        assert line == k * (k - 1) // 2


def test_the_pictures_are_drawn_from_data(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from areorag.evaluate.plots_hysh import plot_disk, plot_midpoints, plot_radius, sample_observations

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        observations = sample_observations()
        paths = [
            plot_midpoints(tmp_path / "m.png"),
            plot_radius(observations, tmp_path / "r.png"),
            plot_disk(observations, tmp_path / "d.png"),
        ]
    assert len(observations) > 50
    assert all(p.stat().st_size > 10_000 for p in paths)
