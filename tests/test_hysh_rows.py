"""Observation → row vectors: every clamp of graph/hysh.py, and what comes out for real kinds of records."""

from __future__ import annotations

import numpy as np
import pytest

from areorag.errors import HyperbolicError
from areorag.graph.hysh import embed_observations
from areorag.graph.model import Observation, ProductRef
from areorag.settings import Settings

R_MARS = 3396190.0


def observation(name: str, **fields: object) -> Observation:
    return Observation(id=name, kind="orbital", product=ProductRef(data_id=name), **fields)  # type: ignore[arg-type]


def square(lon: float, lat: float, half: float) -> dict[str, object]:
    ring = [[lon - half, lat - half], [lon + half, lat - half], [lon + half, lat + half], [lon - half, lat + half]]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def test_a_label_with_resolution_and_footprint_is_placed_by_its_centroid() -> None:
    rows = embed_observations([observation("A", resolution_m=0.25, footprint=square(77.5, 18.4, 0.05))], Settings())
    assert rows.placed.all()
    assert rows.scale_source == ["label"]
    assert rows.rho[0] == pytest.approx(np.log(R_MARS / 0.25))
    assert rows.depth[0] == pytest.approx(np.cosh(rows.rho[0]))
    np.testing.assert_allclose(np.linalg.norm(rows.position_xyz[0]), R_MARS, rtol=1e-12)
    np.testing.assert_allclose(rows.lonlat[0], [77.5, 18.4], atol=1e-3)
    row = rows.row(0)
    assert row is not None
    assert row["embedding_version"] == rows.version
    assert len(row["lorentz"]) == 4


def test_a_missing_resolution_falls_back_and_says_to_what() -> None:
    rows = embed_observations(
        [
            observation("I", instrument="HiRISE", position_lon_deg=0.0, position_lat_deg=0.0),
            observation("F", footprint=square(10, 0, 1.0)),
            observation("U", position_lon_deg=0.0, position_lat_deg=0.0),
        ],
        Settings(),
    )
    assert rows.scale_source == ["instrument", "footprint", "unknown"]
    assert 0.25 <= rows.scale_m[0] <= 1.0
    assert rows.scale_m[1] == pytest.approx(2 * np.sqrt(2) * 59274.7, rel=0.15)
    assert rows.rho[2] == 0.0
    assert "origin" in rows.warnings[2][0]


def test_a_record_without_any_position_is_not_placed() -> None:
    rows = embed_observations(
        [observation("N", resolution_m=6.0), observation("P", position_lon_deg=1.0, position_lat_deg=2.0)], Settings()
    )
    np.testing.assert_array_equal(rows.placed, [False, True])
    assert rows.row(0) is None
    assert np.all(np.isnan(rows.lorentz[0]))
    assert np.all(np.isfinite(rows.lorentz[1]))
    assert "not placed" in rows.warnings[0][0]


def test_resolutions_beyond_ell_max_and_whole_planet_products_are_clamped_with_a_warning() -> None:
    whole = {"type": "Polygon", "coordinates": [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]}
    rows = embed_observations(
        [
            observation("C", resolution_m=500.0, position_lon_deg=0.0, position_lat_deg=0.0),
            observation("W", resolution_m=463.0, footprint=whole),
        ],
        Settings(ell_max_m=463.0),
    )
    np.testing.assert_array_equal(rows.rho, [0.0, 0.0])
    assert "coarser" in rows.warnings[0][0]
    assert "no centroid" in rows.warnings[1][0]
    assert len(rows.warnings[1]) == 1


def test_zero_and_nan_resolutions_that_slip_past_validation_are_taken_as_unknown() -> None:
    for bad in (0.0, float("nan"), -3.0):
        broken = observation("Z", position_lon_deg=0.0, position_lat_deg=0.0).model_copy(update={"resolution_m": bad})
        rows = embed_observations([broken], Settings())
        assert rows.rho[0] == 0.0
        assert "not a positive number" in rows.warnings[0][0]


def test_every_body_has_its_own_radius() -> None:
    both = [
        observation(b, body=b, resolution_m=1.0, position_lon_deg=0.0, position_lat_deg=0.0) for b in ("Mars", "Moon")
    ]
    rows = embed_observations(both, Settings())
    np.testing.assert_allclose(np.linalg.norm(rows.position_xyz, axis=1), [R_MARS, 1737400.0])
    np.testing.assert_allclose(rows.rho, np.log([R_MARS, 1737400.0]))


def test_text_takes_its_share_of_the_direction() -> None:
    pair = [observation(n, resolution_m=1.0, position_lon_deg=0.0, position_lat_deg=0.0) for n in "AB"]
    chosen = Settings(spatial_share=0.5, embedding_dim=32)
    text = np.random.default_rng(0).normal(size=(2, 384))
    rows = embed_observations(pair, chosen, text=text)
    np.testing.assert_allclose(np.sum(rows.direction[:, :3] ** 2, axis=1), 0.5)
    assert "seed" in rows.version
    with pytest.raises(HyperbolicError, match="text"):
        embed_observations(pair, chosen)


def test_no_observations_give_empty_rows() -> None:
    rows = embed_observations([], Settings())
    assert rows.lorentz.shape == (0, 4)
    assert rows.position_xyz.shape == (0, 3)
