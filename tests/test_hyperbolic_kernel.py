"""The Lorentz kernel against 100-digit arithmetic: AreoRAG Definition 3, METHODS §1."""

from __future__ import annotations

import os
from collections.abc import Iterator

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import AreoRAGError, HyperbolicError
from areorag.hyperbolic import lorentz, polar
from areorag.hyperbolic.batch import LONG
from areorag.hyperbolic.lorentz import VECTOR_DOMAIN, Lorentz, Points

CURVATURES = [-0.1, -1.0, -4.0]
DIMENSIONS = [2, 3, 8, 64, 256]
CASES = int(os.environ.get("AREORAG_HYPOTHESIS", "300"))


@pytest.fixture(autouse=True)
def hundred_digits() -> Iterator[None]:
    """The precision is one for the whole process: other modules set their own."""
    with mp.workdps(100):
        yield


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    u = rng.normal(size=(n, d))
    return u / np.linalg.norm(u, axis=-1, keepdims=True)


def near(rng: np.random.Generator, u: np.ndarray, angle: float) -> np.ndarray:
    """Directions at about `angle` from u."""
    side = rng.normal(size=u.shape)
    side -= np.sum(side * u, axis=-1, keepdims=True) * u
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    v = np.cos(angle) * u + np.sin(angle) * side
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def exact_distance(rho_x: float, u: np.ndarray, rho_y: float, v: np.ndarray, K: float) -> mp.mpf:
    """The law of cosines in 100 digits, on the stored (ρ, u) with the angle between the directions."""
    k = mp.sqrt(-mp.mpf(K))
    a, b = k * mp.mpf(float(rho_x)), k * mp.mpf(float(rho_y))
    chord2 = mp.fsum((mp.mpf(float(p)) - mp.mpf(float(q))) ** 2 for p, q in zip(u, v, strict=True))
    cosine = 1 - chord2 / 2
    return mp.acosh(mp.cosh(a) * mp.cosh(b) - mp.sinh(a) * mp.sinh(b) * cosine) / k


def exact_normalised(rho_x: float, u: np.ndarray, rho_y: float, v: np.ndarray, K: float) -> mp.mpf:
    """The same with the directions first brought to unit length in 100 digits."""
    k = mp.sqrt(-mp.mpf(K))
    a, b = k * mp.mpf(float(rho_x)), k * mp.mpf(float(rho_y))
    p, q = [mp.mpf(float(x)) for x in u], [mp.mpf(float(x)) for x in v]
    dot = mp.fsum(x * y for x, y in zip(p, q, strict=True))
    cosine = dot / mp.sqrt(mp.fsum(x * x for x in p)) / mp.sqrt(mp.fsum(y * y for y in q))
    return mp.acosh(mp.cosh(a) * mp.cosh(b) - mp.sinh(a) * mp.sinh(b) * cosine) / k


@pytest.mark.parametrize("K", CURVATURES)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_distance_is_exact_to_1e_9_up_to_depth_25(K: float, d: int) -> None:
    rng = np.random.default_rng(d)
    n = 12 if d > 8 else 30
    for angle in (None, 1e-1, 1e-4, 1e-8):
        for gap in (None, 0.0, 1e-6):
            rho_x = rng.uniform(0, 25, n)
            rho_y = rng.uniform(0, 25, n) if gap is None else np.maximum(rho_x - gap, 0)
            u = unit(rng, n, d)
            v = unit(rng, n, d) if angle is None else near(rng, u, angle)
            got = lorentz.distance(rho_x, u, rho_y, v, K)
            for i in range(n):
                for oracle in (exact_distance, exact_normalised):
                    want = oracle(rho_x[i], u[i], rho_y[i], v[i], K)
                    assert abs(mp.mpf(float(got[i])) - want) <= mp.mpf("1e-9") * want


def test_distance_of_a_point_to_itself_is_exactly_zero_at_any_depth() -> None:
    u = unit(np.random.default_rng(1), 50, 64)
    rho = np.linspace(0, 300, 50)
    assert np.all(lorentz.distance(rho, u, rho, u) == 0)


def test_distance_stays_finite_and_right_where_the_hyperbolic_sine_overflows() -> None:
    rho = np.array([1e3, 1e4])
    opposite = lorentz.distance(rho, [[1.0, 0.0]], rho, [[-1.0, 0.0]])
    np.testing.assert_allclose(opposite, 2 * rho, rtol=1e-14)
    same_ray = lorentz.distance(rho, [[1.0, 0.0]], rho + 2.5, [[1.0, 0.0]])
    np.testing.assert_allclose(same_ray, 2.5, rtol=1e-12)
    below, above = lorentz.LINEAR_LIMIT * 0.999, lorentz.LINEAR_LIMIT * 1.001
    for angle in (1e-150, 1e-146, 0.3):
        v = [np.cos(angle), np.sin(angle)]
        step = lorentz.distance(above, [1.0, 0.0], above, v) - lorentz.distance(below, [1.0, 0.0], below, v)
        assert -1e-9 <= step <= 2 * (above - below) + 1e-9


@pytest.mark.parametrize("d", [3, 8, 64])
def test_long_batches_in_blocks_and_threads_equal_single_distances(d: int) -> None:
    rng = np.random.default_rng(9)
    n = 18001
    rho_x, rho_y, u, v = rng.uniform(0, 25, n), rng.uniform(0, 25, n), unit(rng, n, d), unit(rng, n, d)
    whole = lorentz.distance(rho_x, u, rho_y, v, -4.0)
    np.testing.assert_array_equal(lorentz.distance(rho_x, u, rho_y, v, -4.0, threads=3), whole)
    single = [float(lorentz.distance(rho_x[i], u[i], rho_y[i], v[i], -4.0)) for i in range(0, n, 100)]
    np.testing.assert_allclose(whole[::100], single, rtol=1e-14)
    one = lorentz.distance(rho_x[0], u[0], rho_y, v, -4.0)
    np.testing.assert_allclose(one[:50], lorentz.distance(rho_x[0], u[0], rho_y[:50], v[:50], -4.0), rtol=1e-14)
    into = np.empty(n)
    assert lorentz.distance(rho_x, u, rho_y, v, -4.0, out=into) is into
    np.testing.assert_array_equal(into, whole)
    np.testing.assert_array_equal(lorentz.distance(rho_x[:1], u[:1], rho_y, v, -4.0), one)
    far = lorentz.distance(rho_x + 400, u, rho_y + 400, v, -4.0)
    np.testing.assert_allclose(far[:50], lorentz.distance(rho_x[:50] + 400, u[:50], rho_y[:50] + 400, v[:50], -4.0))


@pytest.mark.parametrize("K", CURVATURES)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_long_batches_are_exact_to_1e_13_up_to_depth_25(K: float, d: int) -> None:
    rng = np.random.default_rng(d)
    k, each = float(np.sqrt(-K)), 10
    rho_x, rho_y, u, v = [], [], [], []
    for length in (1e-6, 1e-2, 0.5, 0.68, 0.7, 1.0, 3.0, None):  # around the switch at acosh(1.25) = 0.693
        r, a = rng.uniform(0, 25, each), unit(rng, each, d)
        if length is None:
            s, b = rng.uniform(0, 25, each), unit(rng, each, d)
        else:
            s = np.clip(r + rng.uniform(-0.3, 0.3, each) * length / k, 0, 25)
            across = np.sinh(length / 2) ** 2 / np.maximum(np.sinh(k * r) * np.sinh(k * s), 1e-300)
            angle = 2 * np.arcsin(np.minimum(np.sqrt(across), 1.0))
            b = np.concatenate([near(rng, a[i : i + 1], float(angle[i])) for i in range(each)])
        rho_x, rho_y, u, v = [*rho_x, *r], [*rho_y, *s], [*u, *a], [*v, *b]
    many = np.resize(np.arange(len(rho_x)), LONG + 1)
    x, y = Points(rho_x, u, K), Points(rho_y, v, K)
    stored = (np.array(rho_x)[many], np.array(u)[many], np.array(rho_y)[many], np.array(v)[many])
    pairs = {"stored": lorentz.distance(*stored, K), "points": x[many].distance(y[many])}
    single = {
        "stored": lorentz.distance(stored[0][0], stored[1][0], *stored[2:], K),
        "points": y[many].distance(x[0]),
        "scalar second": lorentz.distance(stored[2], stored[3], stored[0][0], stored[1][0], K),
    }
    for i in range(len(rho_x)):
        for got, j in ((pairs, i), (single, 0)):
            want = exact_distance(rho_x[j], u[j], rho_y[i], v[i], K)
            for name, values in got.items():
                assert abs(mp.mpf(float(values[i])) - want) <= mp.mpf("1e-13") * want, (name, i, float(want))


def test_prepared_points_do_what_the_stored_ones_do() -> None:
    rng = np.random.default_rng(12)
    n = 5000
    for d in (1, 2, 3, 4, 5, 30):
        rho_x, rho_y, u, v = rng.uniform(0, 25, n), rng.uniform(0, 25, n), unit(rng, n, d), unit(rng, n, d)
        x, y = Points(rho_x, u, -0.1), Points(rho_y, v, -0.1)
        want = lorentz.distance(rho_x, u, rho_y, v, -0.1)
        np.testing.assert_allclose(x.distance(y), want, rtol=1e-13)
        np.testing.assert_array_equal(x.distance(y, threads=3), x.distance(y))
        few = lorentz.pairwise_distance(rho_x[:7], u[:7], rho_y[:9], v[:9], -0.1)
        exact = lorentz.distance(rho_x[:7, None], u[:7, None], rho_y[None, :9], v[None, :9], -0.1)
        np.testing.assert_allclose(few, exact, rtol=1e-13)
        strided = lorentz.distance(rho_x, np.asfortranarray(u), rho_y, np.repeat(v, 2, axis=0)[::2], -0.1)
        np.testing.assert_array_equal(strided, want)
    assert np.all(x.distance(x) == 0)
    assert len(x[3:5]) == 2
    assert len(x[:0].distance(y[:0])) == 0
    for other in (Points(rho_y[:3], v[:3], -0.1), Points(rho_y, v, -1.0), Points(rho_y, unit(rng, n, 3), -0.1)):
        with pytest.raises(HyperbolicError, match="one space"):
            x.distance(other)
    with pytest.raises(HyperbolicError, match="one direction a depth"):
        Points([1.0, 2.0], [[1.0, 0.0]])


def test_long_batches_of_any_depth_and_of_nan_are_right() -> None:
    rng = np.random.default_rng(13)
    n = 5000
    u, v = unit(rng, n, 3), unit(rng, n, 3)
    for depth in (350.0, 800.0, 1e5):
        rho_x, rho_y = depth + rng.uniform(0, 3, n), depth + rng.uniform(0, 3, n)
        want = [float(lorentz.distance(rho_x[i], u[i], rho_y[i], v[i])) for i in range(9)]
        x, y = Points(rho_x, u), Points(rho_y, v)
        np.testing.assert_allclose(lorentz.distance(rho_x, u, rho_y, v)[:9], want, rtol=1e-13)
        np.testing.assert_allclose(x.distance(y)[:9], want, rtol=1e-13)
        np.testing.assert_allclose(y.distance(x[0])[0], want[0], rtol=1e-13)
        np.testing.assert_allclose(lorentz.distance(rho_x[0], u[0], rho_y, v)[0], want[0], rtol=1e-13)
    rho = rng.uniform(0, 20, n)
    rho[7], u[9] = np.nan, np.nan
    for got in (lorentz.distance(rho, u, rho[::-1], v), Points(rho, u).distance(Points(rho[::-1].copy(), v))):
        assert np.flatnonzero(np.isnan(got)).tolist() == [7, 9, n - 8]


def test_the_naive_formula_that_the_project_does_not_offer_fails_where_the_polar_form_holds() -> None:
    rho, u = 13.0, np.array([1.0, 0.0, 0.0])
    v = np.array([np.cos(1e-9), np.sin(1e-9), 0.0])
    x, y = lorentz.from_polar(rho, u), lorentz.from_polar(rho, v)
    naive = np.arccosh(np.maximum(-lorentz.inner(x, y), 1.0))
    want = float(exact_distance(rho, u, rho, v, -1.0))
    assert abs(naive - want) / want > 0.5
    assert abs(lorentz.distance(rho, u, rho, v) - want) / want < 1e-12


@pytest.mark.parametrize("K", CURVATURES)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_vector_and_polar_form_are_one_geometry_at_moderate_depth(K: float, d: int) -> None:
    rng = np.random.default_rng(d + 1)
    k = np.sqrt(-K)
    n = 40
    rho_x, rho_y = rng.uniform(0.1, 3 / k, n), rng.uniform(0.1, 3 / k, n)
    u, v = unit(rng, n, d), unit(rng, n, d)
    x, y = lorentz.from_polar(rho_x, u, K), lorentz.from_polar(rho_y, v, K)
    want = lorentz.distance(rho_x, u, rho_y, v, K)
    np.testing.assert_allclose(lorentz.distance_half_chord(x, y, K), want, rtol=1e-11)
    np.testing.assert_allclose(lorentz.inner(x, x), 1 / K, rtol=1e-10)
    tangent = lorentz.log(x, y, K)
    assert lorentz.check_tangent(x, tangent, K)[0]
    np.testing.assert_allclose(lorentz.norm(tangent), want, rtol=1e-9)
    np.testing.assert_allclose(lorentz.exp(x, tangent, K), y, rtol=1e-9, atol=1e-9)
    moved = lorentz.transport(x, y, tangent, K)
    assert lorentz.check_tangent(y, moved, K)[0]
    np.testing.assert_allclose(lorentz.norm(moved), want, rtol=1e-8)
    np.testing.assert_allclose(-moved, lorentz.log(y, x, K), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(lorentz.exp_origin(lorentz.log_origin(x, K), K), x, rtol=1e-12, atol=1e-12)
    back_rho, back_u = lorentz.to_polar(x, K)
    np.testing.assert_allclose(back_rho, rho_x, rtol=1e-12)
    np.testing.assert_allclose(back_u, u, atol=1e-13)


def exact_polar_exp(rho: float, u: np.ndarray, a: float, b: np.ndarray, K: float) -> tuple[mp.mpf, list[mp.mpf]]:
    """exp in 100 digits on vectors: the oracle of the polar maps."""
    k = mp.sqrt(-mp.mpf(K))
    r, uu = mp.mpf(float(rho)), [mp.mpf(float(t)) for t in u]
    radial = [mp.sinh(k * r)] + [mp.cosh(k * r) * t for t in uu]
    v = [mp.mpf(float(a)) * t for t in radial]
    v = [v[0]] + [p + mp.mpf(float(q)) for p, q in zip(v[1:], b, strict=True)]
    x = [mp.cosh(k * r) / k] + [mp.sinh(k * r) / k * t for t in uu]
    length = mp.sqrt(mp.mpf(float(a)) ** 2 + mp.fsum(mp.mpf(float(q)) ** 2 for q in b))
    y = [mp.cosh(k * length) * p + mp.sinh(k * length) / (k * length) * q for p, q in zip(x, v, strict=True)]
    space = mp.sqrt(mp.fsum(t * t for t in y[1:]))
    return mp.asinh(k * space) / k, [t / space for t in y[1:]]


@pytest.mark.parametrize("K", CURVATURES)
@pytest.mark.parametrize("d", [2, 3, 8, 64])
def test_polar_exponential_map_is_exact_at_any_depth(K: float, d: int) -> None:
    rng = np.random.default_rng(d + 2)
    for _ in range(12):
        rho, u = rng.uniform(0.5, 25), unit(rng, 1, d)[0]
        a, b = rng.normal() * 4, rng.normal(size=d) * 3
        b -= (b @ u) * u
        b -= (b @ u) * u
        got_rho, got_u = polar.exp_polar(rho, u, a, b, K)
        want_rho, want_u = exact_polar_exp(rho, u, a, b, K)
        assert abs(float(got_rho) - float(want_rho)) <= 1e-9 * float(want_rho)
        np.testing.assert_allclose(got_u, [float(t) for t in want_u], atol=1e-9)


@pytest.mark.parametrize("K", CURVATURES)
def test_polar_log_and_exp_are_inverse_up_to_depth_25(K: float) -> None:
    rng = np.random.default_rng(5)
    n = 400
    rho_x, rho_y = rng.uniform(0.01, 25, n), rng.uniform(0.01, 25, n)
    u = unit(rng, n, 3)
    v = np.where(rng.uniform(size=(n, 1)) < 0.5, near(rng, u, 1e-6), unit(rng, n, 3))
    a, b = polar.log_polar(rho_x, u, rho_y, v, K)
    want = lorentz.distance(rho_x, u, rho_y, v, K)
    np.testing.assert_allclose(np.hypot(a, np.linalg.norm(b, axis=-1)), want, rtol=1e-12)
    np.testing.assert_allclose(np.sum(b * u, axis=-1), 0, atol=1e-12)
    back_rho, back_v = polar.exp_polar(rho_x, u, a, b, K)
    np.testing.assert_allclose(back_rho, rho_y, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(back_v, v, atol=1e-9)


@pytest.mark.parametrize("K", CURVATURES)
def test_polar_transport_keeps_lengths_and_angles_and_carries_the_geodesic_on(K: float) -> None:
    rng = np.random.default_rng(6)
    n = 200
    rho_x, rho_y = rng.uniform(0.01, 25, n), rng.uniform(0.01, 25, n)
    u, v = unit(rng, n, 8), unit(rng, n, 8)
    a, b = polar.log_polar(rho_x, u, rho_y, v, K)
    to_a, to_b = polar.transport_polar(rho_x, u, rho_y, v, a, b, K)
    back_a, back_b = polar.log_polar(rho_y, v, rho_x, u, K)
    np.testing.assert_allclose(to_a, -back_a, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(to_b, -back_b, atol=1e-9)
    c, e = rng.normal(size=n), rng.normal(size=(n, 8))
    e -= np.sum(e * u, axis=-1, keepdims=True) * u
    to_c, to_e = polar.transport_polar(rho_x, u, rho_y, v, c, e, K)
    np.testing.assert_allclose(to_c**2 + np.sum(to_e**2, axis=-1), c**2 + np.sum(e**2, axis=-1), rtol=1e-12)
    np.testing.assert_allclose(to_c * to_a + np.sum(to_e * to_b, axis=-1), c * a + np.sum(e * b, axis=-1), atol=1e-9)
    np.testing.assert_allclose(np.sum(to_e * v, axis=-1), 0, atol=1e-12)


def test_transvection_matrix_is_a_lorentz_isometry_that_moves_x_to_y() -> None:
    rng = np.random.default_rng(7)
    space = Lorentz(-4.0)
    x, y = space.from_polar(0.8, unit(rng, 1, 5)[0]), space.from_polar(0.3, unit(rng, 1, 5)[0])
    matrix = space.transvection(x, y)
    metric = np.diag([-1.0, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(matrix.T @ metric @ matrix, metric, atol=1e-12)
    np.testing.assert_allclose(matrix @ x, y, atol=1e-12)
    p = space.from_polar(0.5, unit(rng, 9, 5))
    want = space.exp(y, space.transport(x, y, space.log(x, p)))
    np.testing.assert_allclose(p @ matrix.T, want, atol=1e-11)


def unit_pairs() -> st.SearchStrategy[tuple[float, float, float, float]]:
    depth = st.floats(0, 25, allow_nan=False)
    return st.tuples(depth, depth, depth, st.floats(0, float(np.pi)))


@settings(max_examples=CASES, deadline=None)
@given(unit_pairs(), st.sampled_from(CURVATURES), st.floats(0, float(np.pi)))
def test_distance_is_a_metric(case: tuple[float, float, float, float], K: float, second: float) -> None:
    r1, r2, r3, first = case
    p, q, r = [1.0, 0.0], [np.cos(first), np.sin(first)], [np.cos(second), np.sin(second)]
    pq, qr = float(lorentz.distance(r1, p, r2, q, K)), float(lorentz.distance(r2, q, r3, r, K))
    pr = float(lorentz.distance(r1, p, r3, r, K))
    assert pq == float(lorentz.distance(r2, q, r1, p, K))
    assert pq >= 0
    assert pr <= (pq + qr) * (1 + 1e-12) + 1e-9
    assert abs(r1 - r2) <= pq * (1 + 1e-12) + 1e-12
    assert pq <= r1 + r2 + 1e-9


def test_bearing_tells_north_east_and_west_apart_and_is_defined_everywhere() -> None:
    def at(lon: float, lat: float) -> np.ndarray:
        lo, la = np.radians([lon, lat])
        return np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])

    np.testing.assert_allclose(polar.bearing(at(10, 0), at(10, 5)), (1, 0), atol=1e-12)
    np.testing.assert_allclose(polar.bearing(at(10, 0), at(15, 0)), (0, 1), atol=1e-12)
    np.testing.assert_allclose(polar.bearing(at(179, 0), at(178, 0)), (0, -1), atol=1e-12)
    np.testing.assert_allclose(polar.bearing(at(179, 0), at(-179, 0)), (0, 1), atol=1e-12)
    for place in (at(0, 90), at(10, 20)):
        assert polar.bearing(place, place) == (1.0, 0.0)


def test_checks_say_what_is_wrong() -> None:
    space = Lorentz()
    point = space.from_polar(2.0, [0.6, 0.8])
    assert space.check_point(point) == (True, "")
    assert "off" in space.check_point(point * 1.01)[1]
    assert "lower sheet" in space.check_point(-point)[1]
    assert "finite" in space.check_point([np.nan, 0.0, 0.0])[1]
    assert "time" in space.check_point([1.0])[1]
    assert "tangent" not in lorentz.check_tangent(point, point)[1]
    assert not lorentz.check_tangent(point, point)[0]
    assert lorentz.check_polar(1.0, [1.0, 0.0]) == (True, "")
    assert "rho < 0" in lorentz.check_polar(-1.0, [1.0, 0.0])[1]
    assert "|u|" in lorentz.check_polar(1.0, [1.0, 1.0])[1]
    assert "finite" in lorentz.check_polar(np.inf, [1.0, 0.0])[1]


@pytest.mark.parametrize("K", [0.0, 1.0, float("nan"), float("-inf")])
def test_a_curvature_that_is_not_negative_is_a_named_error(K: float) -> None:
    with pytest.raises(HyperbolicError, match="curvature"):
        Lorentz(K)
    with pytest.raises(AreoRAGError):
        lorentz.distance(1.0, [1.0, 0.0], 1.0, [1.0, 0.0], K)


def test_impossible_vectors_are_named_errors() -> None:
    with pytest.raises(HyperbolicError, match="Π_K"):
        lorentz.rescale([1.0, 2.0])
    with pytest.raises(HyperbolicError, match="polar form"):
        lorentz.from_polar(800.0, [1.0, 0.0])


def errors_at(a: float, K: float) -> dict[str, float]:
    """Worst relative errors of the vector formulas on float64 vectors at depth a, pairs from 0.1/√-K to 2a/√-K apart."""
    rng = np.random.default_rng(11)
    k = np.sqrt(-K)
    n = 400
    rho, u, side = np.full(n, a / k), unit(rng, n, 3), unit(rng, n, 3)
    side -= np.sum(side * u, axis=-1, keepdims=True) * u
    length = np.exp(rng.uniform(np.log(0.1), np.log(2 * a), n)) / k
    # chord of two points at depth a with that distance between them
    chord2 = 4 * np.minimum(np.sinh(k * length / 2) ** 2 / np.sinh(a) ** 2, 1)
    theta = 2 * np.arcsin(np.sqrt(chord2) / 2)[:, None]
    v = np.cos(theta) * u + np.sin(theta) * side / np.linalg.norm(side, axis=-1, keepdims=True)
    v /= np.linalg.norm(v, axis=-1, keepdims=True)
    x, y = lorentz.from_polar(rho, u, K), lorentz.from_polar(rho, v, K)
    want = lorentz.distance(rho, u, rho, v, K)
    radial, across = polar.log_polar(rho, u, rho, v, K)
    clean = radial[:, None] * np.concatenate([np.sinh(k * rho)[:, None], np.cosh(k * rho)[:, None] * u], -1)
    clean[:, 1:] += across
    end_rho, _ = lorentz.to_polar(lorentz.exp(x, clean, K), K)

    def worst(got: np.ndarray, expected: np.ndarray) -> float:
        return float(np.max(np.abs(got / expected - 1)))

    return {
        "distance_half_chord": worst(lorentz.distance_half_chord(x, y, K), want),
        "log": worst(lorentz.norm(lorentz.log(x, y, K)), want),
        "exp": worst(end_rho, rho),
        "transport": worst(lorentz.norm(lorentz.transport(x, y, clean, K)), want),
    }


@pytest.mark.parametrize("K", CURVATURES)
def test_vector_formulas_hold_as_far_as_documented(K: float) -> None:
    for name, limit in VECTOR_DOMAIN.items():
        assert errors_at(limit, K)[name] <= 1e-9, name
