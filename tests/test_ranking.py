"""Pareto fronts, hybrid scores and their limits, masks, plausibility encoding, feedback arithmetic."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from areorag.errors import ModelError, UsageError
from areorag.llm.chat import ChatModel
from areorag.llm.scripted import ScriptedBackend
from areorag.planet.lexicon import get_lexicon
from areorag.retrieval import plausibility as p
from areorag.retrieval.dense import question_masks, semantic_text
from areorag.retrieval.expansion import Search, _threshold, topic_entities
from areorag.retrieval.feedback import MAX_BOOST, Feedback, Spot, boost
from areorag.retrieval.hybrid import Weights, resolution_fit, sparse_score, spatial_score
from areorag.retrieval.intent import parse_intent
from areorag.retrieval.pareto import check_lambda, choose, front_layers, pareto_front
from areorag.retrieval.tradeoff import model_weights

SCORES = arrays(
    np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])
)


@given(SCORES)
@settings(max_examples=80, deadline=None)
def test_front_is_what_nobody_dominates_and_duplicates_stay(matrix):
    n = len(matrix)
    brute = [
        not any((matrix[j] >= matrix[i]).all() and (matrix[j] > matrix[i]).any() for j in range(n)) for i in range(n)
    ]
    assert pareto_front(matrix).tolist() == brute


@given(SCORES)
@settings(max_examples=40, deadline=None)
def test_every_row_has_a_layer_and_layer_zero_is_the_front(matrix):
    layers = front_layers(matrix)
    assert layers.min() == 0
    assert ((layers == 0) == pareto_front(matrix)).all()


@given(SCORES, st.none() | st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_layers_in_one_pass_are_those_of_peeling_front_after_front(matrix, limit):
    expected = np.full(len(matrix), -1)
    left, depth = np.arange(len(matrix)), 0
    while len(left):
        if limit is not None and len(matrix) - len(left) >= limit:
            expected[left] = depth
            break
        front = pareto_front(matrix[left])
        expected[left[front]] = depth
        left, depth = left[~front], depth + 1
    assert front_layers(matrix, limit).tolist() == expected.tolist()


def test_scores_that_are_not_numbers_are_refused():
    with pytest.raises(UsageError):
        pareto_front([[0.0, float("nan")]])


def test_lambda_must_lie_on_the_simplex():
    assert check_lambda({"s": 0.3, "k": 0.7}, ["s", "k"]) == {"s": 0.3, "k": 0.7}
    for bad in ({"s": -0.1, "k": 1.1}, {"s": 0.5}, {"s": 0.5, "k": 0.6}, {"s": float("nan"), "k": 1.0}):
        assert check_lambda(bad, ["s", "k"]) is None


def test_a_models_weights_are_used_only_on_the_simplex():
    default = Weights(0.5, 0.5, 0.75, 0.25, "default")
    front = [(1.0, 0.1, "near"), (0.2, 0.9, "on topic")]

    def ask(reply):
        return model_weights(ChatModel(ScriptedBackend([reply, reply]), sleep=lambda _: None), "q", front, default)

    assert ask('{"spatial": 0.2, "semantic": 0.8}').semantic == pytest.approx(0.8)
    for bad in ('{"spatial": 0.9, "semantic": 0.9}', '{"spatial": -1, "semantic": 2}', "no idea", ModelError("down")):
        kept = ask(bad)
        assert (kept.spatial, kept.semantic) == (0.5, 0.5)
        assert "model" in kept.source
    assert model_weights(None, "q", front, default) is default


def test_equal_scores_are_ordered_by_id():
    order = choose(np.array([[0.5], [0.5], [0.9]]), np.ones(1), ["b", "a", "c"])
    assert order.tolist() == [2, 1, 0]


def test_without_dense_the_order_is_that_of_distance_and_without_sparse_that_of_the_text():
    distance = np.array([3000.0, 0.0, 500.0])
    dense = np.array([0.9, 0.1, 0.5])
    sparse = sparse_score(distance, 1000.0)
    assert np.argsort(-spatial_score(sparse, dense, 1.0, 0.0)).tolist() == np.argsort(distance).tolist()
    assert np.argsort(-spatial_score(sparse, dense, 0.0, 1.0)).tolist() == np.argsort(-dense).tolist()
    with pytest.raises(UsageError):
        spatial_score(sparse, dense, 0.0, 0.0)


def test_resolution_outside_the_bounds_fits_less_the_farther_it_is():
    fit = resolution_fit([0.25, 1.0, 2.0, 10.0, np.nan], (None, 1.0))
    assert fit[0] == fit[1] == 1.0
    assert 1.0 > fit[2] > fit[3] > 0
    assert fit[4] == 0.5


def test_masks_take_the_place_out_of_the_topic_and_the_numbers_out_of_both():
    spatial, semantic = question_masks(parse_intent("CRISM olivine within 20 km of Jezero in MY 31"))
    assert spatial == "Jezero"
    assert "Jezero" not in semantic
    assert "20" not in semantic
    assert "olivine" in semantic


def test_masked_record_text_keeps_instrument_and_loses_place_id_and_numbers():
    text = "HiRISE visible imaging on MRO: orbital observation ESP_012345_1985_RED of Jezero at 18.4° N, 77.4° E. Resolution 25 cm per pixel."
    masked = semantic_text(text, ["Jezero"])
    assert "HiRISE" in masked
    for gone in ("Jezero", "ESP_012345", "18.4", "25"):
        assert gone not in masked


# ---------------------------------------------------------------- plausibility


def _triples(n: int, dim: int = 16, seed: int = 0) -> p.Triples:
    rng = np.random.default_rng(seed)

    def unit(*shape: int) -> np.ndarray:
        v = rng.standard_normal(shape)
        return (v / np.linalg.norm(v, axis=-1, keepdims=True)).astype(np.float32)

    return p.Triples(
        unit(dim), unit(n, dim), unit(n, dim), unit(n, dim), np.zeros(n), np.ones(n), np.full(n, 0.5),
        rng.uniform(0, 15, n), unit(n, 3).astype(float), rng.uniform(0, 15, n), unit(n, 3).astype(float),
    )  # fmt: skip


def test_encoding_has_its_declared_length_and_is_finite():
    x = p.encode(_triples(7, dim=384))
    assert x.shape == (7, p.FEATURES)
    assert np.isfinite(x).all()


def test_bearing_carries_sine_and_cosine_so_that_east_differs_from_west():
    rho = np.array([5.0, 5.0])
    here = np.array([[1.0, 0.0, 0.0]] * 2)
    east, west = np.array([np.cos(0.1), np.sin(0.1), 0.0]), np.array([np.cos(0.1), -np.sin(0.1), 0.0])
    psi = p.psi_geo(rho, here, rho, np.stack([east, west]))
    assert psi[0, 2] == pytest.approx(psi[1, 2], abs=1e-12)  # the cosine alone cannot tell
    assert psi[0, 3] == pytest.approx(1.0)
    assert psi[1, 3] == pytest.approx(-1.0)


def test_heuristic_and_weights_stay_between_zero_and_one(tmp_path):
    batch = _triples(20, dim=384)
    assert not p.Plausibility().trained
    score = p.Plausibility().score(batch)
    assert ((score >= 0) & (score <= 1)).all()
    rng = np.random.default_rng(1)
    model = p.Plausibility(
        rng.standard_normal((p.FEATURES, 4)), np.zeros(4), rng.standard_normal((4, 1)), np.zeros(1),
        np.zeros(p.FEATURES), np.ones(p.FEATURES), "some-embedder",
    )  # fmt: skip
    p.save(model, tmp_path / "w.npz")
    again = p.load("some-embedder", tmp_path / "w.npz")
    assert again.trained
    assert np.allclose(again.score(batch), model.score(batch), atol=1e-4)
    assert not p.load("another-embedder", tmp_path / "w.npz").trained


def test_a_file_that_holds_no_weights_is_refused(tmp_path):
    bad = tmp_path / "w.npz"
    bad.write_bytes(b"nothing")
    with pytest.raises(ModelError):
        p.load("x", bad)


def test_shipped_weights_load_without_pickle_for_their_embedder():
    from areorag.llm.embed import get_embedder
    from areorag.settings import load_settings

    assert p.load(get_embedder(load_settings()).name).trained


def test_threshold_falls_by_c_until_enough_and_never_below_zero():
    search = Search(tau0=0.5, decay=0.1, minimum=3)
    assert _threshold(np.array([0.9, 0.8, 0.7]), 0, search) == 0.5
    assert _threshold(np.array([0.9, 0.45, 0.32]), 0, search) == pytest.approx(0.3)
    assert _threshold(np.array([0.9]), 0, search) == 0.0
    assert _threshold(np.array([0.9]), 2, search) == 0.5


def test_topic_entities_hold_the_members_of_a_mineral_group():
    ids = topic_entities(parse_intent("phyllosilicates at Gale by CRISM"))
    assert "feature:gale" in ids
    assert "instrument:crism" in ids
    assert "mineral:nontronite" in ids or "mineral:smectite" in ids


# ---------------------------------------------------------------- feedback


def test_feedback_only_ever_adds_is_bounded_and_local():
    here, far = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    near = np.array([np.cos(0.001), np.sin(0.001), 0.0])
    prior = Feedback((Spot("c1", "scale", "h1", (1.0, 0.0, 0.0), 0.5),) * 30).prior(
        np.stack([here, near, far, [np.nan] * 3])
    )
    assert prior[0] > prior[1] > 0
    assert prior[2] == pytest.approx(0.0)
    assert prior[3] == 0.0
    scores = np.array([0.2, 0.4, 0.9, 0.1])
    after = boost(scores, prior)
    assert (after >= scores).all()
    assert (after - scores <= MAX_BOOST + 1e-12).all()


def test_no_conflicts_change_nothing():
    assert Feedback().prior(np.eye(3)).tolist() == [0.0, 0.0, 0.0]


# ---------------------------------------------------------------- lexicon


def test_lexicon_has_the_minerals_and_knows_groups_and_aliases():
    lexicon = get_lexicon()
    assert len(lexicon.of_kind("mineral")) >= 250
    assert lexicon.same("sulphates", "sulfate")
    assert "nontronite" in lexicon.narrower("phyllosilicates")
    assert [h.term.name for h in lexicon.find("water frost, CO2 ice and K2O")] == [
        "frost",
        "CO2 ice",
        "potassium oxide",
    ]


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_lexicon_hits_quote_the_text_and_do_not_overlap(text):
    hits = get_lexicon().find(text)
    for hit in hits:
        assert text[hit.start : hit.end] == hit.surface
    for a, b in pairwise(hits):
        assert a.end <= b.start
