"""Bodies and coordinate conventions: what `planet.bodies` and `planet.coordinates` promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import GeometryError, UnknownNameError
from areorag.planet.bodies import EARTH, MARS, MOON, VENUS, Body, all_bodies, get_body
from areorag.planet.coordinates import (
    arc_m,
    bearing_deg,
    chord_m,
    destination,
    lon_360,
    normalise_lon,
    planetocentric_to_planetographic,
    planetographic_to_planetocentric,
    position_xyz,
    to_lonlat,
    to_unit,
    west_to_east,
)

LON = st.floats(-720, 720, allow_nan=False)
LAT = st.floats(-90, 90, allow_nan=False)


def test_a_degree_of_the_martian_equator_has_the_iau_length() -> None:
    assert MARS.metres_per_degree == pytest.approx(59_274.7, abs=0.05)


def test_bodies_are_found_by_any_usual_name_and_unknown_ones_are_refused() -> None:
    assert get_body("MARS") is MARS
    assert get_body("iau_mars") is MARS
    assert get_body("301") is MOON
    assert get_body(EARTH) is EARTH
    with pytest.raises(UnknownNameError, match="Krypton"):
        get_body("Krypton")


def test_any_ellipsoid_can_be_a_body_and_nonsense_cannot() -> None:
    toutatis = Body("Toutatis", 2_450.0, 1_900.0)
    assert 0 < toutatis.flattening < 1
    with pytest.raises(GeometryError):
        Body("Nothing", 0.0, 1.0)


def test_only_prograde_bodies_count_planetographic_longitude_westwards() -> None:
    assert MARS.west_positive
    assert not any(b.west_positive for b in (EARTH, MOON, VENUS))
    assert all(b.prograde or not b.west_positive for b in all_bodies())


@given(LON)
def test_normalised_longitudes_are_the_same_direction_in_half_open_range(lon: float) -> None:
    out = normalise_lon(lon)
    assert -180.0 <= out < 180.0
    assert math.isclose(math.cos(math.radians(out)), math.cos(math.radians(lon)), abs_tol=1e-9)
    assert math.isclose(math.sin(math.radians(out)), math.sin(math.radians(lon)), abs_tol=1e-9)
    assert 0.0 <= lon_360(lon) < 360.0


@given(st.floats(-180, 179.999))
def test_a_longitude_in_range_keeps_every_digit(lon: float) -> None:
    assert normalise_lon(lon) == lon


def test_west_longitudes_turn_round() -> None:
    assert west_to_east(282.0) == 78.0
    assert west_to_east(np.array([10.0, 350.0])).tolist() == [-10.0, 10.0]


@given(LAT)
def test_planetographic_and_planetocentric_latitudes_are_inverse(lat: float) -> None:
    ocentric = planetographic_to_planetocentric(lat, MARS)
    assert abs(ocentric) <= abs(lat) + 1e-12
    assert planetocentric_to_planetographic(ocentric, MARS) == pytest.approx(lat, abs=1e-9)
    assert planetographic_to_planetocentric(lat, MOON) == pytest.approx(lat, abs=1e-12)


def test_a_known_planetographic_latitude_keeps_its_sign_and_size() -> None:
    assert planetographic_to_planetocentric(18.66, MARS) == pytest.approx(18.457, abs=0.002)
    assert planetographic_to_planetocentric(-90.0, MARS) == -90.0


def test_a_latitude_beyond_the_pole_is_refused() -> None:
    with pytest.raises(GeometryError):
        planetographic_to_planetocentric(91.0, MARS)


@given(st.floats(-180, 179.999), st.floats(-89.999, 89.999))
def test_unit_vectors_lead_back_to_their_coordinates(lon: float, lat: float) -> None:
    x, y = to_lonlat(to_unit(lon, lat))
    assert y == pytest.approx(lat, abs=1e-9)
    assert math.cos(math.radians(y)) * abs((x - lon + 180) % 360 - 180) < 1e-9


def test_both_names_of_the_antimeridian_are_one_point_and_a_pole_has_no_longitude() -> None:
    assert np.array_equal(to_unit(180.0, 10.0), to_unit(-180.0, 10.0))
    assert np.array_equal(to_unit(33.0, 90.0), to_unit(-120.0, 90.0))


@settings(max_examples=50)
@given(LON, st.floats(-89, 89), st.floats(0, 360), st.floats(1e-6, 3.0))
def test_going_along_a_bearing_covers_the_distance_asked(lon: float, lat: float, bearing: float, arc: float) -> None:
    x, y = destination(lon, lat, bearing, arc)
    assert arc_m(lon, lat, x, y, MARS) == pytest.approx(arc * MARS.radius_m, rel=1e-7, abs=0.1)
    if 1e-3 < arc < 3.0:
        turn = (bearing_deg(lon, lat, x, y) - bearing + 180) % 360 - 180
        assert abs(turn) < 1e-3


def test_near_distances_keep_their_digits() -> None:
    one_mm = math.degrees(1e-3 / MARS.radius_m)
    assert arc_m(77.0, 0.0, 77.0 + one_mm, 0.0, MARS) == pytest.approx(1e-3, rel=1e-6)


def test_a_chord_is_shorter_than_its_arc_and_stops_at_the_diameter() -> None:
    assert chord_m(1000.0, MARS) == pytest.approx(1000.0, rel=1e-7)
    assert chord_m(1e9, MARS) == 2 * MARS.radius_m
    assert np.linalg.norm(position_xyz(137.4, -4.6, MARS)) == pytest.approx(MARS.radius_m)
