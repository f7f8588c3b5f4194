"""Bridges are physics: their numbers are right, and each fault test finds its own fault and no other."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from areorag.planet.bodies import get_body
from areorag.triage.bridges import Pair, run_all
from areorag.triage.bridges.base import SOL_S, metres
from areorag.triage.bridges.instrument import (
    coating_transmission,
    gamma_free_path_m,
    radar_depth_m,
    radar_range_resolution_m,
    thermal_skin_depth_m,
)
from areorag.triage.bridges.numeric import sphere_offset_m
from areorag.triage.bridges.provenance import flag_severity
from areorag.triage.bridges.scale import fill_fraction, mixed_band_depth, spots_to_hit
from areorag.triage.bridges.temporal import displacement_m, in_global_storm, lineae_active, seasonal_frost_expected
from areorag.triage.bridges.viewing import phase_ratio, shading_contrast, shadow_length_m
from areorag.triage.faulty import blame
from areorag.triage.features import build_pair, feature_names, featurise
from areorag.triage.source import Source

BASE = Source(
    data_id="A",
    subject="the place",
    property="surface elevation",
    value="-4.1 km",
    text="Heights are about -4.1 km.",
    platform="MRO",
    instrument="HiRISE",
    kind="orbital",
    lon_deg=234.25,
    lat_deg=68.2,
    footprint_radius_m=3000.0,
    resolution_m=0.3,
    band_nm=(400.0, 1000.0),
    penetration_depth_m=1e-6,
    incidence_deg=50.0,
    emission_deg=2.0,
    phase_deg=50.0,
    start=datetime(2008, 5, 25, 12, tzinfo=UTC),
    authority=0.9,
)


def pair(question: str, a: dict[str, object], b: dict[str, object]) -> Pair:
    return build_pair(question, replace(BASE, **a), replace(BASE, data_id="B", **b))  # type: ignore[arg-type]


def test_formulas_give_the_textbook_numbers() -> None:
    assert thermal_skin_depth_m(200.0, SOL_S) == pytest.approx(0.0280, rel=0.01)
    assert thermal_skin_depth_m(200.0, 668.6 * SOL_S) / thermal_skin_depth_m(200.0, SOL_S) == pytest.approx(
        25.86, rel=0.01
    )
    assert radar_depth_m(4e6, 3.2, 0.005) == pytest.approx(1334, rel=0.01)
    assert radar_depth_m(4e6, 3.2, 0.005) / radar_depth_m(20e6, 3.2, 0.005) == pytest.approx(5.0)
    assert radar_range_resolution_m(10e6, 1.0) == pytest.approx(14.99, rel=1e-3)  # SHARAD: 15 m in free space
    assert radar_range_resolution_m(1e6, 1.0) == pytest.approx(149.9, rel=1e-3)  # MARSIS: 150 m
    assert gamma_free_path_m(1500.0) == pytest.approx(0.111, rel=0.01)
    assert coating_transmission(2e-5) < 1e-4
    assert fill_fraction(6.0, 18.0, linear=False) == pytest.approx(1 / 9)
    assert fill_fraction(6.0, 18.0, linear=True) == pytest.approx(1 / 3)
    assert mixed_band_depth(0.09, 1 / 9) == pytest.approx(0.01)
    assert spots_to_hit(0.1) == pytest.approx(28.4, rel=0.01)
    assert shadow_length_m(1.0, 45.0) == pytest.approx(1.0)
    assert shading_contrast(3.0, 78.0) > 5 * shading_contrast(3.0, 30.0)
    assert phase_ratio(5.0, 5.0) == pytest.approx(1.0)
    assert displacement_m(0.5, 365.25) == pytest.approx(0.5)
    assert metres(450_000.0) == "450 km"


def test_the_sphere_lies_17_km_above_the_areoid_at_phoenix_and_near_it_at_the_equator() -> None:
    body = get_body("Mars")
    assert sphere_offset_m(68.22) == pytest.approx(-17_000, abs=300)
    assert sphere_offset_m(0.0) == pytest.approx(body.equatorial_radius_m - 3_396_000.0)
    assert sphere_offset_m(90.0) == pytest.approx(body.polar_radius_m - 3_396_000.0)


@pytest.mark.parametrize(
    "year, ls, inside", [(25, 200, True), (28, 280, True), (34, 220, True), (34, 20, False), (30, 280, False)]
)
def test_global_storms_are_those_of_record(year: int, ls: float, inside: bool) -> None:
    assert in_global_storm(year, ls) is inside


def test_frost_and_lineae_follow_the_season_of_their_hemisphere() -> None:
    assert seasonal_frost_expected(75.0, 300.0)
    assert not seasonal_frost_expected(75.0, 120.0)
    assert seasonal_frost_expected(-75.0, 120.0)
    assert not seasonal_frost_expected(10.0, 120.0)
    assert lineae_active(-41.6, 330.0)
    assert not lineae_active(-41.6, 80.0)


def best(p: Pair, category: str) -> str:
    found = [b for b in run_all(p).values() if b is not None and b.category == category]
    return max(found, key=lambda b: b.score).name if found else ""


def test_a_target_below_the_coarse_pixel_is_bridged_by_scale_and_one_far_above_it_is_not() -> None:
    small = {"property": "surface texture", "value": "polygons 5 m across", "text": "Polygons cover the plain."}
    none = {"property": "surface texture", "value": "featureless", "text": "No relief.", "resolution_m": 18.0}
    bridge = run_all(pair("What is the texture?", small, none))["subpixel"]
    assert bridge is not None
    assert bridge.holds
    assert bridge.numbers["samples_coarse"] == pytest.approx(5 / 18, rel=0.01)
    large = small | {"value": "channels 800 m wide", "property": "channels"}
    far = run_all(pair("Are there channels?", large, none | {"property": "channels"}))["subpixel"]
    assert far is not None
    assert not far.holds


def test_depth_bridges_a_buried_thing_and_not_an_elevation() -> None:
    radar = {"instrument": "SHARAD", "penetration_depth_m": 700.0, "resolution_m": 500.0, "band_nm": None}
    ice = {"property": "subsurface ice", "value": "thick ice"}
    dry = {"property": "subsurface ice", "value": "no ice", "instrument": "CRISM", "penetration_depth_m": 1e-4}
    assert run_all(pair("Is there ice?", radar | ice, dry))["penetration"].holds  # type: ignore[union-attr]
    weak = run_all(pair("How high is it?", radar, {"instrument": "CRISM", "penetration_depth_m": 1e-4}))["penetration"]
    assert weak is None or not weak.holds


def test_a_band_outside_one_instruments_range_is_named() -> None:
    clay = {"property": "smectite", "instrument": "CRISM", "band_nm": (362.0, 3920.0), "value": "present"}
    camera = {"property": "smectite", "value": "absent"}
    bridge = run_all(pair("Is there clay?", clay, camera))["spectral_coverage"]
    assert bridge is not None
    assert bridge.holds
    assert "2.305" in bridge.text


def test_season_and_time_of_day_bridge_what_follows_the_sun() -> None:
    frosty = {"property": "CO2 frost", "value": "bright frost", "stated_ls_deg": 330.0, "stated_mars_year": 28}
    bare = {"property": "CO2 frost", "value": "no frost", "stated_ls_deg": 120.0, "stated_mars_year": 29}
    assert run_all(pair("Is there frost?", frosty, bare))["season"].score >= 0.9  # type: ignore[union-attr]


def fault(
    name: str, a: dict[str, object], b: dict[str, object], question: str = "What is the elevation?"
) -> str | None:
    p = pair(question, a, b)
    bridge = run_all(p)[name]
    assert bridge is not None, name
    assert bridge.score >= 0.6, (name, bridge)
    return bridge.faulty


def test_a_height_above_the_sphere_is_found_out() -> None:
    assert fault("datum", {}, {"value": "about -21.2 km"}) == "b"
    assert run_all(pair("What is the elevation?", {}, {"value": "-9 km"}))["datum"] is None


def test_a_lost_sign_is_found_out_and_the_lowland_tells_the_side() -> None:
    where = {"subject": "floor of Hellas basin", "lat_deg": -43.0}
    assert fault("sign_flip", where | {"value": "-7 km"}, where | {"value": "7 km"}) == "b"


def test_a_unit_mixup_is_found_by_its_factor() -> None:
    prop = {"property": "surface pressure"}
    assert fault("unit_mixup", prop | {"value": "735 Pa"}, prop | {"value": "735 hPa"}) == "b"
    tau = {"property": "dust optical depth"}
    assert fault("unit_mixup", tau | {"value": "tau 0.85"}, tau | {"value": "tau 8.5"}) == "b"
    temp = {"property": "surface temperature"}
    assert fault("unit_mixup", temp | {"value": "195 K"}, temp | {"value": "-78 K"}) == "b"
    plain = pair("x", prop | {"value": "735 Pa"}, prop | {"value": "900 Pa"})
    assert run_all(plain)["unit_mixup"] is None


def test_an_oxide_listed_as_its_element_is_found_by_the_ratio() -> None:
    s = {"property": "sulfur"}
    assert fault("oxide", s | {"value": "6.0 wt% SO3"}, s | {"value": "6.0 wt% S"}) is None


def test_a_value_no_place_on_mars_has_is_impossible() -> None:
    temp = {"property": "surface temperature"}
    assert fault("impossible", temp | {"value": "240 K"}, temp | {"value": "515 K"}) == "b"


def test_west_longitude_read_as_east_is_undone() -> None:
    question = "Is there a mound in the crater at 8 S, 353 E?"
    here = {"lon_deg": 353.0, "lat_deg": -8.0}
    assert fault("misplaced", here, {"lon_deg": 7.0, "lat_deg": -8.0}, question) == "b"
    assert run_all(pair(question, here, here))["misplaced"] is None


def test_a_clock_that_contradicts_itself_is_found() -> None:
    assert fault("clock", {"stated_ls_deg": None}, {"stated_ls_deg": 200.0, "stated_mars_year": 29}) == "b"


@pytest.mark.parametrize(
    "flag, severity",
    [
        ("CLUTTER_CHECKED", 0.0),
        ("PARTIAL_DUST_COVER", 0.1),
        ("LOW_SNR", 0.6),
        ("SATURATED", 1.0),
        ("SUPERSEDED_CALIBRATION", 1.0),
        ("DARK_CURRENT_NOT_SUBTRACTED", 1.0),
    ],
)
def test_flags_count_by_meaning(flag: str, severity: float) -> None:
    assert flag_severity((flag,)) == severity


def test_blame_goes_by_test_then_by_authority_then_to_nobody() -> None:
    proven = pair("What is the elevation?", {"authority": 0.6}, {"value": "about -21.2 km", "authority": 0.95})
    assert blame(proven, run_all(proven)).side == "b"
    a = {"property": "albedo of the plain", "value": "0.30", "authority": 0.80}
    b = {"property": "albedo of the plain", "value": "0.17", "authority": 0.92}
    by_authority = pair("How bright?", a, b)
    found = blame(by_authority, run_all(by_authority))
    assert (found.side, found.how) == ("a", "authority")
    equal = pair("How bright?", a | {"authority": 0.9}, b)
    assert blame(equal, run_all(equal)).side is None


def test_features_do_not_depend_on_the_order_of_the_sides() -> None:
    a = {
        "property": "smectite",
        "value": "present",
        "instrument": "CRISM",
        "resolution_m": 18.0,
        "penetration_depth_m": 1e-4,
    }
    b = {"property": "smectite", "value": "absent", "start": datetime(2012, 1, 1, tzinfo=UTC), "authority": 0.6}
    one, two = pair("Is there clay?", a, b), pair("Is there clay?", b, a)
    za, zb = featurise(one).z, featurise(two).z
    names = feature_names()
    assert [n for n, x, y in zip(names, za, zb, strict=True) if not math.isclose(x, y, abs_tol=1e-9)] == []
    assert len(names) == len(set(names)) == len(za)


def test_sparse_metadata_gives_finite_features() -> None:
    blank = Source("", "", "", "", "")
    z = featurise(build_pair("", blank, blank)).z
    assert all(math.isfinite(v) for v in z)
