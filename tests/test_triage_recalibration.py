"""Confidence after triage (AreoRAG Eq. 20): Theorem 2 holds for any input, noise never sinks an explained hyperedge."""

from __future__ import annotations

import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.triage.recalibration import (
    EXPLAINABLE,
    Parameters,
    base_confidence,
    gamma,
    normalised,
    of_hyperedge,
    recalibrate,
)

CASES = int(os.environ.get("AREORAG_HYPOTHESIS", "500"))  # 10000 for the full check of Theorem 2
ANY = st.floats(allow_nan=True, allow_infinity=True)
PARAMETERS = st.builds(
    Parameters,
    epsilon=st.floats(1e-6, 5),
    eta=st.floats(-5, -1e-6),
    beta=st.floats(1e-6, 5),
    beta_temp=st.floats(1e-6, 5),
    tau_deg=st.floats(1e-3, 1e5),
    alpha=st.floats(0, 1),
)


@settings(max_examples=CASES, deadline=None)
@given(
    cosine=ANY, h=st.none() | ANY, delta=st.none() | ANY, category=st.sampled_from(EXPLAINABLE), parameters=PARAMETERS
)
def test_theorem_2_every_explainable_conflict_raises_confidence(
    cosine: float, h: float | None, delta: float | None, category: str, parameters: Parameters
) -> None:
    base = base_confidence(cosine)
    assert 0 < base <= 1
    after = recalibrate(base, category, h_inter=h, delta_ls_deg=delta, parameters=parameters)
    assert math.isfinite(after)
    assert after > base
    assert of_hyperedge(base, [("noise", -1.0), (category, after)]) > base


@settings(max_examples=200, deadline=None)
@given(cosine=ANY, parameters=PARAMETERS)
def test_noise_lowers_the_faulty_side_only(cosine: float, parameters: Parameters) -> None:
    base = base_confidence(cosine)
    assert recalibrate(base, "noise", faulty=True, parameters=parameters) <= base
    assert recalibrate(base, "noise", faulty=False, parameters=parameters) == base
    assert recalibrate(base, "none", parameters=parameters) == base


def test_the_papers_numbers_come_out() -> None:
    assert recalibrate(0.8, "noise") == pytest.approx(0.5 * 0.8 + 0.5 * -0.5)
    assert recalibrate(0.8, "scale", h_inter=0.5) == pytest.approx(0.8 + 0.2 / 0.5)
    assert recalibrate(0.8, "instrument", h_inter=-0.3) == pytest.approx(0.8 + 0.2 / 0.3)
    assert recalibrate(0.8, "temporal", delta_ls_deg=180.0) == pytest.approx(0.8 * (1 + 0.2 * math.exp(-1)))


def test_gamma_exceeds_one_beyond_eighteen_mars_years() -> None:
    assert 1.0 + 0.2 * math.exp(-360 * 40 / 180) == 1.0  # the printed form underflows
    assert gamma(360.0 * 40, Parameters()) > 1.0


def test_noise_lowers_a_hyperedge_only_where_no_explainable_conflict_holds() -> None:
    assert of_hyperedge(0.5, [("noise", 0.0), ("scale", 1.1), ("temporal", 0.6)]) == 1.1
    assert of_hyperedge(0.5, [("noise", 0.0)]) == 0.0
    assert of_hyperedge(0.5, []) == 0.5


@given(a=st.floats(0.001, 50), b=st.floats(0.001, 50))
def test_normalisation_keeps_the_order_and_stays_below_one(a: float, b: float) -> None:
    assert 0 <= normalised(a) <= 1
    if a < b:
        assert normalised(a) <= normalised(b)
