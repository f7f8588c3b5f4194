"""Midpoints: exact to depth 25, Theorem 1 before and after projection, and the outward bias that is a theorem."""

from __future__ import annotations

import itertools
import os

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import HyperbolicError
from areorag.hyperbolic import lorentz, midpoint
from areorag.hyperbolic.midpoint import EINSTEIN, FIRST, OWN, einstein, lambda_weighted, oem, outward_midpoint

mp.mp.dps = 50
CASES = int(os.environ.get("AREORAG_HYPOTHESIS", "400"))
CURVATURES = [-0.1, -1.0, -4.0]


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    u = rng.normal(size=shape)
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


def exact(rho: np.ndarray, u: np.ndarray, w: np.ndarray, K: float, lam: int, p: float) -> mp.mpf:
    """ρ of Π_K(Σ w rᵖ λ^lam Φ) in 120 digits (the directions brought to unit length first)."""
    with mp.workdps(160):
        k = mp.sqrt(-mp.mpf(K))
        time, space = mp.mpf(0), [mp.mpf(0)] * u.shape[1]
        for r, row, weight in zip(rho, u, w, strict=True):
            a = k * mp.mpf(float(r))
            x0 = mp.cosh(a) / k
            c = mp.mpf(float(weight)) * x0 ** (mp.mpf(p) + lam)
            length = mp.sqrt(mp.fsum(mp.mpf(float(t)) ** 2 for t in row))
            time += c * x0
            space = [s + c * mp.sinh(a) / k * mp.mpf(float(t)) / length for s, t in zip(space, row, strict=True)]
        return mp.atanh(mp.sqrt(mp.fsum(s * s for s in space)) / time) / k


@pytest.mark.parametrize("K", CURVATURES)
@pytest.mark.parametrize("d", [2, 3, 8, 64])
def test_midpoints_are_exact_to_1e_9_up_to_depth_25(K: float, d: int) -> None:
    rng = np.random.default_rng(d)
    for spread in (None, 1e-2, 1e-5, 1e-8):
        for _ in range(4):
            n = int(rng.integers(1, 7))
            rho, w = rng.uniform(0, 25, n), rng.uniform(0.01, 1, n)
            u = unit(rng, n, d) if spread is None else unit(rng, 1, d) + spread * rng.normal(size=(n, d))
            u /= np.linalg.norm(u, axis=-1, keepdims=True)
            for got, lam, p in (
                (einstein(rho, u, w, K), 0, 0.0),
                (lambda_weighted(rho, u, w, K), 1, 0.0),
                (oem(rho, u, w, K, 2.0), 1, 2.0),
            ):
                want = exact(rho, u, w, K, lam, p)
                assert abs(mp.mpf(float(got.rho)) - want) <= mp.mpf("1e-9") * want


def test_weights_of_1e20_and_beyond_do_no_harm() -> None:
    """HiRISE at 0.3 m beside MOLA at 463 m, and depth 25 beside depth 0: rᵖ = 1e21 for p = 2, 1e53 for p = 5."""
    rho, u = np.array([25.0, 0.5, 0.0]), np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    for p in (0.0, 2.0, 5.0, 20.0):
        m = oem(rho, u, None, -1.0, p)
        assert abs(float(m.rho) - float(exact(rho, u, np.ones(3), -1.0, 1, p))) <= 1e-9 * float(m.rho)
    r = np.cosh(np.log(3396190 / np.array([0.3, 463.0])))
    assert 3.5e9 < (r[0] / r[1]) ** 3 < 3.8e9  # r²λ of one product against the other


def test_the_printed_theorem_holds_before_projection() -> None:
    """Σ w rᵖ λ r / Σ w rᵖ λ grows with p (Chebyshev's sum inequality)."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(1, 9))
        rho, w = rng.uniform(0, 25, n), rng.uniform(0, 1, n) + 1e-3
        steps = [float(midpoint.log_mean_time(rho, w, -1.0, p)) for p in (0.0, 1.0, 2.0, 3.5)]
        assert all(b >= a - 1e-12 for a, b in itertools.pairwise(steps))


def test_the_printed_theorem_fails_after_projection() -> None:
    """The counterexample: Π_K divides by a norm that depends on the spread, which the paper's proof leaves out."""
    rho, u = [3.0, 3.0, 2.9], [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]
    at_zero, at_two = np.cosh(oem(rho, u, p=0.0).rho), np.cosh(oem(rho, u, p=2.0).rho)
    assert at_zero == pytest.approx(1.04455, abs=5e-6)
    assert at_two == pytest.approx(1.03277, abs=5e-6)
    assert at_two < at_zero
    assert float(outward_midpoint(rho, u).rho) >= float(einstein(rho, u).rho)


def test_random_configurations_violate_the_printed_theorem_in_some_per_cent() -> None:
    rng = np.random.default_rng(4)
    rho, u = rng.uniform(0, 6, (4000, 3)), unit(rng, 4000, 3, 3)
    broken = np.mean(oem(rho, u).rho < lambda_weighted(rho, u).rho - 1e-12)
    assert 0.0 < broken < 0.2
    ours = outward_midpoint(rho, u).rho
    assert np.all(ours >= lambda_weighted(rho, u).rho)
    assert np.all(ours >= oem(rho, u).rho)


def test_the_papers_p_zero_is_not_the_einstein_midpoint() -> None:
    rho, u = np.array([0.5, 3.0]), np.array([[1.0, 0.0], [0.0, 1.0]])
    klein = np.tanh(rho)[:, None] * u
    gamma = 1 / np.sqrt(1 - np.sum(klein**2, axis=-1))
    wanted = np.sum(gamma[:, None] * klein, axis=0) / np.sum(gamma)
    m = einstein(rho, u)
    np.testing.assert_allclose(np.tanh(m.rho) * m.u, wanted, atol=1e-14)
    assert np.linalg.norm(np.tanh(lambda_weighted(rho, u).rho) * lambda_weighted(rho, u).u - wanted) > 0.05


@st.composite
def weighted_sets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    n, d = draw(st.integers(1, 6)), draw(st.sampled_from([2, 3, 5]))
    number = st.floats(-1, 1, allow_nan=False, width=32)
    rho = np.array(draw(st.lists(st.floats(0, 25, allow_nan=False), min_size=n, max_size=n)))
    raw = np.array(draw(st.lists(st.lists(number, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=float)
    size = np.linalg.norm(raw, axis=-1, keepdims=True)
    raw = np.where(size > 1e-3, raw, np.eye(d)[0])
    u = raw / np.linalg.norm(raw, axis=-1, keepdims=True)
    w = np.array(draw(st.lists(st.floats(0, 1e6, allow_nan=False), min_size=n, max_size=n)))
    w[0] = max(w[0], 1e-3)
    return rho, u, w, draw(st.sampled_from(CURVATURES)), draw(st.sampled_from([0.0, 1.0, 2.0, 4.0]))


@settings(max_examples=CASES, deadline=None)
@given(weighted_sets(), st.sampled_from(["x0", "rho"]))
def test_outward_midpoint_is_never_nearer_the_origin_than_any_of_the_three(
    case: tuple[np.ndarray, np.ndarray, np.ndarray, float, float], radius: str
) -> None:
    """The outward bias theorem; 10,000 cases with AREORAG_HYPOTHESIS=10000."""
    rho, u, w, K, p = case
    ours = outward_midpoint(rho, u, w, K, p, radius)  # type: ignore[arg-type]
    for other in (einstein(rho, u, w, K), lambda_weighted(rho, u, w, K), oem(rho, u, w, K, p, radius)):  # type: ignore[arg-type]
        assert ours.rho >= other.rho
    assert ours.rho <= np.max(rho[w > 0]) * (1 + 1e-12)
    assert lorentz.check_polar(ours.rho, ours.u) == (True, "")
    order = np.arange(len(rho))[::-1]
    again = outward_midpoint(rho[order], u[order], w[order], K, p, radius)  # type: ignore[arg-type]
    assert again.rho == pytest.approx(float(ours.rho), rel=1e-9, abs=1e-7)


def test_cancelling_members_fall_back_and_say_so() -> None:
    both = outward_midpoint([2.0, 2.0], [[1.0, 0.0], [-1.0, 0.0]])
    assert (int(both.direction_from), float(both.rho)) == (FIRST, 0.0)
    np.testing.assert_array_equal(both.u, [1.0, 0.0])
    # OEM cancels (rᵖλ·sinh equal on both sides through the weights), Einstein does not
    rho = np.array([1.0, 2.0])
    pull = np.sinh(rho) * np.cosh(rho) ** 3
    one = outward_midpoint(rho, [[1.0, 0.0], [-1.0, 0.0]], 1 / pull)
    assert int(one.direction_from) == EINSTEIN
    np.testing.assert_allclose(np.abs(one.u), [1.0, 0.0])
    assert int(outward_midpoint([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]]).direction_from) == OWN
    assert float(outward_midpoint([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], p=2.0, radius="rho").rho) == 0.0


def test_one_member_is_its_own_midpoint_and_zero_weight_members_do_not_count() -> None:
    for mean in (einstein, lambda_weighted, oem, outward_midpoint):
        m = mean([25.0], [[0.6, 0.8]])
        assert float(m.rho) == pytest.approx(25.0, rel=1e-14)
        np.testing.assert_allclose(m.u, [0.6, 0.8])
        padded = mean([1.0, 9.0, 2.0], [[1.0, 0.0], [0.0, -1.0], [0.0, 1.0]], [1.0, 0.0, 3.0])
        alone = mean([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], [1.0, 3.0])
        assert float(padded.rho) == pytest.approx(float(alone.rho), rel=1e-13)


def test_batches_equal_one_by_one() -> None:
    rng = np.random.default_rng(8)
    rho, u, w = rng.uniform(0, 20, (30, 5)), unit(rng, 30, 5, 4), rng.uniform(0.1, 1, (30, 5))
    batch = outward_midpoint(rho, u, w, -0.1)
    for i in range(30):
        one = outward_midpoint(rho[i], u[i], w[i], -0.1)
        assert float(one.rho) == float(batch.rho[i])
        np.testing.assert_array_equal(one.u, batch.u[i])


@pytest.mark.parametrize("mean", [einstein, lambda_weighted, oem, outward_midpoint])
def test_impossible_sets_are_named_errors(mean: object) -> None:
    call = mean  # type: ignore[assignment]
    u = [[1.0, 0.0], [0.0, 1.0]]
    for args, words in (
        (([], np.zeros((0, 2))), "empty set"),
        (([1.0, 2.0], u, [0.0, 0.0]), "zero"),
        (([1.0, 2.0], u, [1.0, -1.0]), "negative"),
        (([1.0, 2.0], u, [1.0, np.nan]), "not finite"),
        (([1.0, np.nan], u), "not a point"),
        (([1.0, -2.0], u), "not a point"),
        (([1.0, 2.0], [[1.0, 0.0], [0.0, 2.0]]), "not a point"),
        (([1.0, 2.0, 3.0], u), "belong together"),
        (([1.0, 2.0], u, [1.0, 2.0, 3.0]), "weights"),
    ):
        with pytest.raises(HyperbolicError, match=words):
            call(*args)  # type: ignore[operator]
    with pytest.raises(HyperbolicError, match="power"):
        oem([1.0, 2.0], u, p=-1.0)
