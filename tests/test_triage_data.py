"""The training data: enough pairs, valid, cited, of the contract's shape, and no leak of the examples."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import SettingsError
from areorag.triage.literature import literature_pairs, parse_side
from areorag.triage.network import TrainOptions, expected_calibration_error, fit_temperature, softmax, train
from areorag.triage.simulate import simulated_pairs
from areorag.triage.source import Source
from areorag.triage.tables import DIMENSIONS, property_classes, substances, typical_sizes

PAIRS = literature_pairs()
SIMULATED = simulated_pairs(120)
SIDE_KEYS = {
    "data_id",
    "platform",
    "instrument",
    "institution",
    "kind",
    "resolution_m",
    "band_nm",
    "authority",
    "claim",
}


def test_literature_pairs_are_many_cited_and_of_all_labels() -> None:
    assert len(PAIRS) >= 400
    assert all(p["source"] for p in PAIRS)
    counts = Counter(p["label"] for p in PAIRS)
    assert set(counts) == {"noise", "instrument", "scale", "temporal", "none"}
    assert min(counts.values()) >= 50
    assert all(p.get("noisy_side") in ("a", "b") for p in PAIRS if p["label"] == "noise")


@pytest.mark.parametrize("pairs", [PAIRS, SIMULATED], ids=["literature", "simulated"])
def test_pairs_have_the_contracts_shape_and_are_json(pairs: list[dict[str, object]]) -> None:
    for p in pairs:
        assert json.loads(json.dumps(p, allow_nan=False)) == p
        for key in ("a", "b"):
            side = p[key]
            assert isinstance(side, dict)
            assert set(side) >= SIDE_KEYS
            source = Source.from_pair_json(side)
            assert source.spec is not None
            assert source.value
    assert len({p["id"] for p in pairs}) == len(pairs)


def test_expansion_is_seeded() -> None:
    assert literature_pairs(only=("scale",)) == literature_pairs(only=("scale",))
    assert simulated_pairs(20, seed=5) == simulated_pairs(20, seed=5)
    assert simulated_pairs(20, seed=5) != simulated_pairs(20, seed=6)


def test_simulated_labels_are_not_given_away_by_one_difference() -> None:
    made = simulated_pairs(400)
    gaps: dict[str, list[float]] = {}
    for p in made:
        ratio = abs(np.log(p["a"]["resolution_m"] / p["b"]["resolution_m"]))
        gaps.setdefault(p["label"], []).append(float(ratio))
    assert np.quantile(gaps["none"], 0.9) > np.quantile(gaps["scale"], 0.2)  # agreeing pairs differ as much
    authority = [min(p["a"]["authority"], p["b"]["authority"]) for p in made if p["label"] == "noise"]
    assert sum(v > 0.8 for v in authority) > 0.15 * len(authority)  # many errors carry no low authority


@pytest.mark.shared
def test_the_examples_are_not_in_the_training_data(shared_data: Path) -> None:
    lines = (shared_data / "conflict" / "examples.jsonl").read_text("utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    ours = {(p[k]["claim"]["value"].lower(), p["question"].lower()) for p in PAIRS + SIMULATED for k in "ab"}
    texts = {p[k]["claim"]["text"].lower() for p in PAIRS for k in "ab"}
    for e in examples:
        for k in "ab":
            assert (e[k]["claim"]["value"].lower(), e["question"].lower()) not in ours
            assert e[k]["claim"]["text"].lower() not in texts


def test_a_bad_line_is_refused() -> None:
    with pytest.raises(SettingsError, match="not a side"):
        parse_side("A HiRISE | value | text")


def test_fact_tables_are_complete() -> None:
    assert len(property_classes()) >= 40
    assert all(len(c.sensitivity) == len(DIMENSIONS) for c in property_classes())
    assert all(0 <= v <= 1 for c in property_classes() for v in c.sensitivity)
    assert len(substances()) >= 25
    assert all(t.source for t in typical_sizes())


def test_the_trainer_learns_is_seeded_and_calibrates() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(800, 4))
    y = ((x[:, 0] * x[:, 1]) > 0).astype(np.int64)
    options = TrainOptions(hidden=(32, 16), epochs=60, dropout=(0.0, 0.0), decay=0.01, rate=5e-3)
    one = train(x[:600], y[:600], np.ones(600), 2, options)
    two = train(x[:600], y[:600], np.ones(600), 2, options)
    assert np.array_equal(one.logits(x), two.logits(x))
    assert (one.logits(x[600:]).argmax(axis=1) == y[600:]).mean() > 0.9
    t = fit_temperature(one.logits(x[600:]), y[600:])
    p = softmax(one.logits(x[600:]) / t)
    assert expected_calibration_error(p.max(axis=1), (p.argmax(axis=1) == y[600:]).astype(float)) < 0.15
