"""Verdicts keep the contract: probabilities, labels, who is kept and why; people stand over the classifier."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import ModelError, UsageError
from areorag.evaluate.conflict import metrics, read_pairs, run, wrong_side
from areorag.graph.model import Claim, Observation, ProductRef
from areorag.settings import Settings, load_settings
from areorag.triage import Source, Triage, Verdict
from areorag.triage.baselines import NAMES, run_baseline
from areorag.triage.classifier import LABELS, read_model, shipped_model
from areorag.triage.features import feature_groups, feature_names
from areorag.triage.literature import literature_pairs
from areorag.triage.matching import comparable
from areorag.triage.pict import pair_key

PAIRS = literature_pairs(only=("scale", "noise", "none"))[::9]


@pytest.fixture(scope="module")
def settings_() -> Settings:
    return load_settings()


@pytest.fixture(scope="module")
def triage(settings_: Settings) -> Triage:
    return Triage(settings_)


@pytest.fixture(scope="module")
def verdicts(triage: Triage) -> list[Verdict]:
    return [triage.assess(p["question"], Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"])) for p in PAIRS]


def test_probabilities_have_five_keys_and_sum_to_one(verdicts: list[Verdict]) -> None:
    for v in verdicts:
        assert set(v.p) == set(LABELS)
        assert sum(v.p.values()) == pytest.approx(1.0)
        assert all(0 <= x <= 1 for x in v.p.values())
        assert v.category == ("none" if not v.detected else v.category)
        assert (v.category == "none") is not v.detected


def test_what_is_kept_follows_from_the_verdict(verdicts: list[Verdict]) -> None:
    for v in verdicts:
        if v.category != "noise" or v.faulty_side is None:
            assert v.kept == (True, True)
        else:
            assert v.kept == (v.faulty_side != "a", v.faulty_side != "b")
        if v.category in ("instrument", "scale", "temporal") and not v.abstained:
            assert v.c_triage[0] > v.c_base[0]
            assert v.c_triage[1] > v.c_base[1]
        if v.category == "none":
            assert v.c_triage == v.c_base
        assert v.explanation


def test_exchanging_the_sides_exchanges_the_verdict(triage: Triage) -> None:
    p = next(p for p in PAIRS if p["label"] == "noise")
    a, b = Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"])
    one, two = triage.assess(p["question"], a, b), triage.assess(p["question"], b, a)
    assert one.p == pytest.approx(two.p, abs=1e-6)
    assert one.kept == tuple(reversed(two.kept))
    assert one.id == two.id


def test_low_confidence_abstains_and_drops_nothing(settings_: Settings, triage: Triage) -> None:
    shy = Triage(settings_.model_copy(update={"abstain_below": 1.0}), embedder=triage.embedded.embedder)  # type: ignore[union-attr]
    p = next(p for p in PAIRS if p["label"] == "noise")
    v = shy.assess(p["question"], Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"]))
    assert v.abstained
    assert v.opaque
    assert v.kept == (True, True)
    assert v.c_triage == v.c_base


def test_a_person_stands_over_the_classifier(triage: Triage) -> None:
    p = next(p for p in PAIRS if p["label"] == "scale")
    a, b = Source.from_pair_json(p["a"]), Source.from_pair_json(p["b"])
    said = {"category": "temporal", "who": "ada", "when": "2026-01-01", "why": "checked both frames"}
    v = triage.assess(p["question"], a, b, overruled=said)
    assert v.category == "temporal"
    assert v.overruled is not None
    assert "checked both frames" in v.overruled
    none = triage.assess(p["question"], a, b, overruled=said | {"category": "none"})
    assert not none.detected


def observation(id: str, value: str, **more: object) -> Observation:
    claim = Claim(
        id=f"claim-{id}", subject="Phoenix landing site", property="elevation", value=value, text=f"Height {value}."
    )
    fields = {
        "kind": "derived",
        "instrument": "MOLA",
        "platform": "MGS",
        "position_lon_deg": 234.25 - 360,
        "position_lat_deg": 68.22,
    }
    return Observation(id=id, product=ProductRef(data_id=id), claims=[claim], **(fields | more))  # type: ignore[arg-type]


def test_evidence_is_compared_claim_by_claim_within_one_subject_and_property(triage: Triage) -> None:
    good = observation("P1", "about -4.1 km", resolution_m=463.0, authority=0.95)
    same = observation("P2", "-4130 m", resolution_m=75.0, instrument="HRSC", platform="Mars Express", authority=0.9)
    wrong = observation(
        "P3", "about -21 km", resolution_m=75.0, instrument="HRSC", platform="Mars Express", authority=0.9
    )
    other = good.model_copy(
        update={"id": "P4", "claims": [Claim(id="c4", subject="x", property="frost", value="present")]}
    )
    found = triage.triage_evidence(
        "How high is the Phoenix site?", [good, same, wrong, other], {"P1": 0.8, "P2": 0.7, "P3": 0.6}
    )
    assert len(found) == 3
    by_pair = {frozenset((v.a_id, v.b_id)): v for v in found}
    assert not by_pair[frozenset(("P1", "P2"))].detected
    bad = by_pair[frozenset(("P1", "P3"))]
    assert bad.category == "noise"
    assert bad.kept[(bad.a_id, bad.b_id).index("P3")] is False
    assert bad.c_base[(bad.a_id, bad.b_id).index("P1")] == pytest.approx(0.9)
    assert found[0].detected


def test_far_places_and_other_bodies_are_not_compared() -> None:
    a = observation("A", "1 km")
    far = observation("B", "2 km", position_lon_deg=10.0, position_lat_deg=-40.0)
    far = far.model_copy(
        update={"claims": [far.claims[0].model_copy(update={"subject": "Phoenix site landing plain"})]}
    )
    assert not comparable(a, a.claims[0], far, far.claims[0])
    moon = a.model_copy(update={"body": "Moon"})
    assert not comparable(a, a.claims[0], moon, moon.claims[0])
    assert pair_key("x", "y") == pair_key("y", "x")


def test_inference_takes_less_than_a_millisecond_a_pair() -> None:
    model, z = shipped_model(), np.zeros((1, len(feature_names())))
    model.predict(z)
    times = []
    for _ in range(30):
        start = time.process_time()
        model.predict(z)
        times.append(time.process_time() - start)
    assert float(np.median(times)) < 2e-3  # 1 ms on a quiet core; twice that where others share it


def test_a_weights_file_without_arrays_or_with_other_features_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"nothing")
    with pytest.raises(ModelError):
        read_model(bad)
    model = shipped_model()
    other = replace(model, meta=model.meta | {"features": ["x"]})
    other.save(tmp_path / "other.npz")
    with pytest.raises(ModelError, match="other features"):
        read_model(tmp_path / "other.npz")


def test_saved_weights_predict_what_they_predicted(tmp_path: Path) -> None:
    model = shipped_model()
    model.save(tmp_path / "w.npz")
    z = np.random.default_rng(0).normal(size=(5, len(feature_names())))
    again = read_model(tmp_path / "w.npz")
    for x, y in zip(model.predict(z), again.predict(z), strict=True):
        assert x.p_conflict == pytest.approx(y.p_conflict, abs=1e-3)


def test_baselines_answer_in_the_contracts_form(settings_: Settings) -> None:
    for name in NAMES:
        results = run_baseline(name, PAIRS[:4], settings_)
        for r in results:
            assert set(r["p"]) == set(LABELS)
            assert sum(r["p"].values()) == pytest.approx(1.0)
            assert r["predicted"] in LABELS
    with pytest.raises(UsageError, match="unknown baseline"):
        run_baseline("magic", PAIRS[:1], settings_)


def test_metrics_count_what_the_contract_says() -> None:
    side = {"authority": 0.9, "claim": {}}
    pairs = [
        {"id": "1", "label": "noise", "noisy_side": "b", "a": side, "b": side},
        {"id": "2", "label": "noise", "a": side, "b": side | {"authority": 0.5}},
        {"id": "3", "label": "scale", "a": side, "b": side},
        {"id": "4", "label": "none", "a": side, "b": side},
        {"id": "5", "a": side, "b": side},
    ]

    def result(predicted: str, kept: list[bool]) -> dict[str, object]:
        return {"detected": predicted != "none", "predicted": predicted, "kept": kept, "p": dict.fromkeys(LABELS, 0.2)}

    results = [
        result("noise", [True, False]),
        result("scale", [True, True]),
        result("noise", [False, True]),
        result("none", [True, True]),
        result("none", [True, True]),
    ]
    m = metrics(pairs, results)
    assert m["cca"] == pytest.approx(1 / 3)
    assert m["cpr"] == 0.0
    assert m["nrr"] == 0.5
    assert m["detection"]["balanced"] == 1.0
    assert m["confusion"]["noise"] == {"noise": 1, "instrument": 0, "scale": 1, "temporal": 0, "none": 0}
    assert wrong_side(pairs[1]) == "b"
    assert metrics(pairs[4:], results[4:]) == {}


def test_labels_cannot_be_read_by_the_predictor(tmp_path: Path, settings_: Settings) -> None:
    bare = [{k: p[k] for k in ("id", "question", "a", "b")} for p in PAIRS[:6]]
    full, stripped = tmp_path / "full.jsonl", tmp_path / "bare.jsonl"
    full.write_text("\n".join(json.dumps(p) for p in PAIRS[:6]), "utf-8")
    stripped.write_text("\n".join(json.dumps(p) for p in bare), "utf-8")
    one, two = run(full, settings=settings_), run(stripped, settings=settings_)
    assert one["pairs"] == two["pairs"]
    assert "cca" in one
    assert "cca" not in two
    json.dumps(one, allow_nan=False)


def test_ablating_a_group_is_possible_and_an_unknown_one_is_refused(tmp_path: Path, settings_: Settings) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(PAIRS[0]), "utf-8")
    assert run(path, ablate="time", settings=settings_)["n"] == 1
    assert {"entropy", "time", "bridges", "claims"} <= set(feature_groups())
    with pytest.raises(UsageError, match="unknown feature group"):
        run(path, ablate="magic", settings=settings_)


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "x"}'])
def test_a_bad_pairs_file_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="line 1"):
        read_pairs(path)


@pytest.mark.shared
def test_the_ten_examples_come_out(shared_data: Path, settings_: Settings) -> None:
    result = run(shared_data / "conflict" / "examples.jsonl", settings=settings_)
    assert result["cca"] >= 0.8
    assert result["detection"]["balanced"] >= 0.8
    assert result["cpr"] == 1.0
