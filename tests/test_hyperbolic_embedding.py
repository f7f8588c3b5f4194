"""Closed-form embedding and frame alignment: AreoRAG Eq. 5 and 7, METHODS §1."""

from __future__ import annotations

import numpy as np
import pytest

from areorag.errors import HyperbolicError
from areorag.hyperbolic import lorentz
from areorag.hyperbolic.embedding import (
    coarsest,
    depth_of,
    directions,
    embed_closed_form,
    embedding_version,
    place_entity,
    resolution_of,
    text_projection,
)
from areorag.hyperbolic.frames import SiteFrame, align_frame, site_to_lonlat

R_MARS = 3396190.0


def at(lon: float, lat: float) -> np.ndarray:
    lo, la = np.radians([lon, lat])
    return np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])


def test_depth_is_the_log_of_the_scale_and_x0_its_hyperbolic_cosine() -> None:
    got = embed_closed_form([at(0, 0), at(10, 10)], [463.0, 0.25], K=-1.0, ell_max_m=R_MARS)
    np.testing.assert_allclose(got.rho, np.log(R_MARS / np.array([463.0, 0.25])))
    np.testing.assert_allclose(got.lorentz[:, 0], np.cosh(got.rho), rtol=1e-12)
    assert got.rho[0] < got.rho[1]
    assert got.lorentz.shape == (2, 4)
    np.testing.assert_allclose(resolution_of(got.rho, R_MARS), [463.0, 0.25])


@pytest.mark.parametrize("K", [-0.1, -1.0, -4.0])
def test_rho_is_the_geodesic_distance_from_the_origin_at_any_curvature(K: float) -> None:
    got = embed_closed_form([at(5, 5)], [1000.0], K=K, ell_max_m=R_MARS)
    assert lorentz.distance(0.0, at(0, 0), got.rho[0], got.u[0], K) == pytest.approx(got.rho[0], rel=1e-12)


def test_geodesic_distance_is_a_scale_space_metric_in_metres() -> None:
    """Second term of the distance ≈ (arc length)²/(16 ℓ₁ℓ₂) for fine products."""
    arc_m = 30.0
    ell = np.array([6.0, 0.3])
    e = embed_closed_form(
        [at(77, 18), at(77 + np.degrees(arc_m / R_MARS) / np.cos(np.radians(18)), 18)], ell, ell_max_m=R_MARS
    )
    d = lorentz.distance(e.rho[0], e.u[0], e.rho[1], e.u[1])
    want = np.sinh((e.rho[0] - e.rho[1]) / 2) ** 2 + arc_m**2 / (16 * ell[0] * ell[1])
    assert np.sinh(d / 2) ** 2 == pytest.approx(want, rel=1e-4)


def test_a_resolution_coarser_than_ell_max_sits_at_the_origin_and_is_flagged() -> None:
    got = embed_closed_form([at(0, 0), at(0, 0)], [500.0, 463.0], ell_max_m=463.0)
    np.testing.assert_array_equal(got.clamped, [True, False])
    np.testing.assert_array_equal(got.rho, [0.0, 0.0])
    assert coarsest([6.0, np.nan, 463.0]) == 463.0


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_an_impossible_resolution_is_a_named_error(bad: float) -> None:
    with pytest.raises(HyperbolicError, match="resolution"):
        embed_closed_form([at(0, 0)], [bad], ell_max_m=R_MARS)
    with pytest.raises(HyperbolicError, match="ℓ_max"):
        depth_of([1.0], bad)


def test_impossible_positions_and_shares_are_named_errors() -> None:
    for unit_vectors, words in (([[np.nan, 0, 0]], "position"), ([[0.0, 0, 0]], "position"), ([[1.0, 0]], "3-D")):
        with pytest.raises(HyperbolicError, match=words):
            embed_closed_form(unit_vectors, [1.0], ell_max_m=R_MARS)
    with pytest.raises(HyperbolicError, match="share"):
        directions([at(0, 0)], s=1.5)
    with pytest.raises(HyperbolicError, match="text"):
        directions([at(0, 0)], s=0.5, dim=8)
    with pytest.raises(HyperbolicError, match="positions for"):
        embed_closed_form([at(0, 0)], [1.0, 2.0], ell_max_m=R_MARS)
    with pytest.raises(HyperbolicError, match="finite resolution"):
        coarsest([np.nan])
    assert embed_closed_form(np.zeros((0, 3)), [], ell_max_m=R_MARS).lorentz.shape == (0, 4)


def test_spatial_share_mixes_position_and_text_and_keeps_unit_length() -> None:
    rng = np.random.default_rng(1)
    n, text = rng.normal(size=(20, 3)), rng.normal(size=(20, 384))
    u = directions(n, text=text, s=0.75, dim=64)
    np.testing.assert_allclose(np.linalg.norm(u, axis=1), 1.0)
    np.testing.assert_allclose(np.sum(u[:, :3] ** 2, axis=1), 0.75)
    pure = directions(n, s=1.0, dim=64)
    np.testing.assert_array_equal(pure[:, 3:], 0.0)
    text[0] = 0.0
    np.testing.assert_allclose(directions(n, text=text, s=0.75, dim=64)[0, 3:], 0.0)


def test_the_projection_depends_on_its_seed_alone_and_keeps_inner_products() -> None:
    a, b = text_projection(384, 61, 20260801), text_projection(384, 61, 20260801)
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, text_projection(384, 61, 20260802))
    np.testing.assert_array_equal(np.sign(a[0, :8]), [1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    rng = np.random.default_rng(2)
    t = rng.normal(size=(200, 384))
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    p = t @ a
    assert np.std(np.sum(p * p, axis=1)) < 0.25
    assert abs(np.mean(np.sum(p * p, axis=1)) - 1) < 0.05


def test_the_version_names_everything_that_changes_the_numbers() -> None:
    base = {"K": -1.0, "ell_max_m": R_MARS, "s": 1.0, "dim": 3, "seed": 1}
    names = {embedding_version(**base)}
    for change in (
        {"K": -2.0},
        {"ell_max_m": 463.0},
        {"dim": 4},
        {"s": 0.5, "dim": 64},
        {"s": 0.5, "dim": 64, "seed": 2},
    ):
        names.add(embedding_version(**(base | change)))
    assert len(names) == 6


def test_entities_are_placed_by_their_own_size_or_by_their_hyperedges() -> None:
    rho, u = place_entity(size_m=45000.0, direction=at(77.5, 18.4), ell_max_m=R_MARS)
    assert rho == pytest.approx(np.log(R_MARS / 45000.0))
    np.testing.assert_allclose(u, at(77.5, 18.4))
    members = (np.array([9.0, 16.0]), np.array([at(77, 18), at(78, 18)]))
    rho, u = place_entity(members=members, ell_max_m=R_MARS)
    assert 9.0 <= rho <= 16.0 + 1e-9
    with pytest.raises(HyperbolicError):
        place_entity(ell_max_m=R_MARS)
    with pytest.raises(HyperbolicError, match="empty"):
        place_entity(members=(np.zeros(0), np.zeros((0, 3))), ell_max_m=R_MARS)


# --- frames --------------------------------------------------------------------------------------------------------


def test_alignment_is_an_isometry_and_carries_the_distance_from_o_k_to_o_g() -> None:
    rng = np.random.default_rng(3)
    rho, u = rng.uniform(5, 22, 40), rng.normal(size=(40, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    o_k, o_g = (12.0, at(137.4, -4.6)), (0.0, at(0, 0))
    new_rho, new_u = align_frame(rho, u, o_k, o_g)
    before = lorentz.pairwise_distance(rho, u, rho, u)
    after = lorentz.pairwise_distance(new_rho, new_u, new_rho, new_u)
    off = ~np.eye(40, dtype=bool)
    np.testing.assert_allclose(after[off], before[off], rtol=1e-9)
    np.testing.assert_allclose(lorentz.distance(new_rho, new_u, *o_g), lorentz.distance(rho, u, *o_k), rtol=1e-12)


def test_alignment_does_not_keep_the_depth_x0() -> None:
    """The paper's "preserves radial depth" is not so when x₀ is measured from one fixed origin."""
    rho, u = np.arccosh(74.2), np.array([1.0, 0.0, 0.0])
    new_rho, _ = align_frame([rho], [u], (1.2, -u), (0.0, u))
    assert np.cosh(new_rho[0]) == pytest.approx(74.2 * np.exp(1.2), rel=1e-3)  # 74.2 → 246
    same, _ = align_frame([rho], [u], (1.2, np.array([0.0, 1.0, 0.0])), (1.2, np.array([0.0, 1.0, 0.0])))
    assert np.cosh(same[0]) == pytest.approx(74.2, rel=1e-12)


def test_site_coordinates_follow_great_circles() -> None:
    gale = SiteFrame(137.4417, -4.5895)
    lon, lat = site_to_lonlat([0.0, 1000.0, 0.0], [0.0, 0.0, 1000.0], gale, R_MARS)
    np.testing.assert_allclose([lon[0], lat[0]], [137.4417, -4.5895], atol=1e-12)
    assert lat[1] - lat[0] == pytest.approx(np.degrees(1000 / R_MARS), rel=1e-9)
    assert lon[2] - lon[0] == pytest.approx(np.degrees(1000 / R_MARS) / np.cos(np.radians(4.5895)), rel=1e-6)
    over, _ = site_to_lonlat(0.0, 1e5, SiteFrame(179.9, 0.0), R_MARS)
    assert -180 <= over < -178
    turned = site_to_lonlat(1000.0, 0.0, SiteFrame(0.0, 0.0, azimuth_deg=90.0), R_MARS)
    np.testing.assert_allclose(turned, (np.degrees(1000 / R_MARS), 0.0), atol=1e-12)
    with pytest.raises(HyperbolicError):
        site_to_lonlat(np.nan, 0.0, gale, R_MARS)
    with pytest.raises(HyperbolicError):
        site_to_lonlat(0.0, 0.0, gale, 0.0)


def test_a_rover_measurement_lands_beside_the_orbital_images_that_cover_it() -> None:
    """Mixed orbiter + rover: localisation first, then one geometry for both."""
    lon, lat = site_to_lonlat(35.0, -220.0, SiteFrame(77.4509, 18.4446), R_MARS)  # a rover spot, 12 mm across
    places = [at(77.45, 18.44), at(77.30, 18.40), at(137.4, -4.6), at(float(lon), float(lat))]
    e = embed_closed_form(places, [0.25, 6.0, 0.25, 0.012], ell_max_m=R_MARS)
    d = lorentz.distance(e.rho[3], e.u[3], e.rho[:3], e.u[:3])
    assert np.argmin(d) == 0  # the HiRISE image of the same place
    assert d[0] < d[1] < d[2]
