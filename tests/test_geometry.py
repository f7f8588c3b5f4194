"""Geometry on the sphere: what each builder means, the traps, and the way back to GeoJSON (METHODS §2)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import GeometryError
from areorag.planet import rings
from areorag.planet.bodies import MARS, MOON
from areorag.planet.coordinates import arc_m, destination
from areorag.planet.geojson import split_at_antimeridian
from areorag.planet.geometry import (
    WHOLE,
    area_fraction,
    area_m2,
    band,
    bbox,
    bounding_cap,
    buffer,
    cap,
    centroid,
    contains_pole,
    covers,
    covers_point,
    distance_m,
    footprint,
    intersects,
    length_m,
    point,
    points,
    polygon,
    polyline,
    to_geojson,
    union,
    vertices,
    whole_planet,
)

BUGS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "bug_inputs"


def zone(south: float, north: float) -> float:
    """Exact share of the sphere between two parallels."""
    return (math.sin(math.radians(north)) - math.sin(math.radians(south))) / 2


# ------------------------------------------------------------------ boxes and bands


@pytest.mark.parametrize(("south", "north"), [(40, 60), (-90, -60), (-30, 90), (0, 0.5), (-89.9, 89.9)])
def test_a_band_has_the_area_between_its_parallels(south: float, north: float) -> None:
    assert area_fraction(band(south, north)) == pytest.approx(zone(south, north), rel=2e-6, abs=2e-7)


@pytest.mark.parametrize(("west", "east", "south", "north"),
                         [(0, 60, 30, 60), (170, -170, -10, 10), (-100, 160, -80, 80), (350, 10, 80, 90), (10, 9, 0, 5)])  # fmt: skip
def test_a_box_has_the_area_between_its_meridians_and_parallels(
    west: float, east: float, south: float, north: float
) -> None:
    width = (east - west) % 360
    assert area_fraction(bbox(west, east, south, north)) == pytest.approx(width / 360 * zone(south, north), rel=2e-6)


def test_the_northern_edge_of_a_wide_box_is_the_parallel_and_not_the_great_circle() -> None:
    box = bbox(-30, 30, 30, 45)
    assert not covers_point(box, 0.0, 45.1)  # a great circle would bulge to 49.1°
    assert covers_point(box, 0.0, 44.999)
    chords = vertices(box)
    step = np.abs(np.diff(np.sort(chords[np.abs(chords[:, 1] - 45) < 1e-9][:, 0])))
    assert step.max() <= rings.MAX_STEP_DEG


def test_whole_planet_is_a_flag_and_not_an_empty_or_inverted_polygon() -> None:
    world = footprint("POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))")
    assert world.whole
    assert footprint("POLYGON((0 -90, 360 -90, 360 90, 0 90, 0 -90))").whole
    assert bbox(0, 360, -90, 90).whole
    assert whole_planet() is WHOLE
    assert intersects(world, point(12, 34))
    assert covers(world, band(-90, 10))
    assert not covers(band(-89, 89), world)
    assert area_m2(world, MARS) == pytest.approx(4 * math.pi * MARS.radius_m**2)


def test_more_than_a_hemisphere_is_not_turned_inside_out() -> None:
    big = footprint("POLYGON((-180 -30, 180 -30, 180 90, -180 90, -180 -30))")
    assert area_fraction(big) == pytest.approx(0.75, rel=1e-6)
    assert contains_pole(big) == (True, False)
    assert covers_point(big, 100, 0)
    assert not covers_point(big, 100, -40)
    assert bounding_cap(big)[1] == math.pi
    wide = footprint("POLYGON((116.05 -8.7, 354.65 -8.7, 354.65 73.66, 116.05 73.66, 116.05 -8.7))")
    assert area_fraction(wide) == pytest.approx(238.6 / 360 * zone(-8.7, 73.66), rel=1e-6)


def test_boxes_that_make_no_sense_are_refused() -> None:
    for args in ((0, 10, 20, 10), (0, math.nan, 0, 1), (0, 10, -91, 0)):
        with pytest.raises(GeometryError):
            bbox(*args)


def test_flat_boxes_are_lines_and_points() -> None:
    assert bbox(10, 10, 0, 20).dimension == 1
    assert bbox(10, 20, 5, 5).dimension == 1
    assert bbox(10, 10, 5, 5).dimension == 0


# ------------------------------------------------------------------ antimeridian and poles


def test_a_ring_that_jumps_over_the_antimeridian_takes_the_short_way() -> None:
    ring = "POLYGON((170 0, -170 1, -171 10, 172 10, 170 0))"
    same = "POLYGON((170 0, 190 1, 189 10, 172 10, 170 0))"
    assert area_fraction(footprint(ring)) == pytest.approx(area_fraction(footprint(same)), rel=1e-12)
    assert covers_point(footprint(ring), 180.0, 5.0)
    assert covers_point(footprint(ring), -180.0, 5.0)
    assert not covers_point(footprint(ring), 0.0, 5.0)


def test_a_footprint_split_at_the_antimeridian_has_no_seam() -> None:
    split = footprint({"type": "MultiPolygon", "coordinates": [
        [[[170, 0], [180, 0], [180, 10], [170, 10], [170, 0]]],
        [[[-180, 0], [-170, 0], [-170, 10], [-180, 10], [-180, 0]]]]})  # fmt: skip
    whole = bbox(170, -170, 0, 10)
    assert len(split.parts) == 1
    assert covers(split, whole)
    assert covers(whole, split)
    assert covers(split, footprint("POLYGON((175 2, 185 2.1, 185 8, 175 8.2, 175 2))"))
    assert all(covers_point(split, lon, 5) for lon in (180.0, -180.0, 179.9999, -179.9999))


@pytest.mark.parametrize("wkt", [
    "POLYGON((0 80, 90 80, 180 80, 270 80, 0 80))",
    "POLYGON((-180 80, -90 80, 0 80, 90 80, 180 80, 180 90, -180 90, -180 80))",
    "POLYGON((360 80, 270 80, 180 80, 90 80, 0 80, 0 90, 360 90, 360 80))",
])  # fmt: skip
def test_a_ring_round_a_pole_encloses_it_however_it_is_closed_on_the_map(wkt: str) -> None:
    cap_ = footprint(wkt)
    assert contains_pole(cap_) == (True, False)
    assert area_fraction(cap_) == pytest.approx(zone(80, 90), rel=1e-5)


def test_a_strip_across_the_pole_holds_it_and_a_wedge_ends_there() -> None:
    strip = footprint("POLYGON((0 89, 1 89, 180 89, 181 89.1, 0 89))")
    assert area_fraction(strip) < 1e-4
    wedge = footprint("POLYGON((0 60, 40 60, 20 90, 0 60))")
    assert area_fraction(wedge) == pytest.approx(0.00695766, rel=1e-4)
    south = footprint("POLYGON((-180 -80, 180 -80, 180 -90, -180 -90, -180 -80))")
    assert contains_pole(south) == (False, True)


@pytest.mark.shared
def test_artificial_pole_points_of_a_real_footprint_are_removed() -> None:
    if not BUGS.is_dir():
        pytest.skip("the shared bug inputs are not here")
    found = footprint((BUGS / "14_pole_artificial_points.wkt").read_text())
    assert contains_pole(found) == (True, False)
    assert np.abs(vertices(found)[:, 1]).max() < 89.0
    narrow = footprint(json.loads((BUGS / "16_stac_0_360.json").read_text()))
    lon, _ = centroid(narrow)
    assert abs(lon) < 2
    assert bounding_cap(narrow)[1] < math.radians(30)


# ------------------------------------------------------------------ degenerate input


@pytest.mark.parametrize(("wkt", "dimension"), [
    ("POLYGON((0 0, 1 0, 2 0, 0 0))", 1),
    ("POLYGON((5 5, 6 7, 5 5))", 1),
    ("POLYGON((5 5, 5 5, 5 5, 5 5))", 0),
    ("LINESTRING(3 4, 3 4)", 0),
    ("POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))", 2),
    ("POLYGON((0 0, 0 0, 1 0, 1 1, 1 1, 0 1, 0 0))", 2),
    ("POLYGON((0 0, 2 0, 2 2, 1 2, 1 5, 1 2, 0 2, 0 0))", 2),
])  # fmt: skip
def test_repeats_spikes_bow_ties_and_flat_rings_become_what_they_are(wkt: str, dimension: int) -> None:
    assert footprint(wkt).dimension == dimension


def test_a_flat_ring_keeps_the_whole_of_its_line() -> None:
    there_and_back = footprint("POLYGON((-46.5 0, -45.8 -4.1, -45.7 -4.4, -45.8 -4.1, -46.5 0))")
    assert intersects(there_and_back, point(-46.5, 0))
    assert intersects(there_and_back, point(-45.7, -4.4))


@pytest.mark.parametrize("bad", [
    "POLYGON((0 0, 1 95, 1 1, 0 0))", "not a geometry", {"type": "Circle"}, {"type": "Point", "coordinates": ["a", 1]},
    {"type": "Point", "coordinates": [float("nan"), 1]}, {"type": "GeometryCollection", "geometries": []}, 42,
    "LINESTRING(0 0, 180 0)", {"type": "Point", "coordinates": [5000, 0]}, "{broken", {"type": "Polygon", "coordinates": []},
])  # fmt: skip
def test_what_is_no_geometry_is_refused_in_one_line(bad: Any) -> None:
    with pytest.raises(GeometryError) as caught:
        footprint(bad)
    assert "\n" not in str(caught.value)


def test_geojson_text_features_collections_and_third_ordinates_are_read() -> None:
    text = json.dumps({"type": "Feature", "geometry": {"type": "Point", "coordinates": [77.4, 18.4, -2500]}})
    assert covers_point(footprint(text), 77.4, 18.4)
    mixed = footprint({"type": "GeometryCollection", "geometries": [
        {"type": "Point", "coordinates": [0, 0]}, {"type": "LineString", "coordinates": [[10, 0], [20, 0]]}]})  # fmt: skip
    assert mixed.dimension == 1
    assert intersects(mixed, point(0, 0))
    assert intersects(mixed, point(15, 0))
    assert footprint("SRID=104905;POINT(1 2)").dimension == 0


# ------------------------------------------------------------------ predicates


def test_caps_and_buffers_are_exact() -> None:
    disc = cap(77.0, 18.0, 20_000, MARS)
    edge = destination(77.0, 18.0, 33.0, 20_000 / MARS.radius_m)
    beyond = destination(77.0, 18.0, 33.0, 20_001 / MARS.radius_m)
    assert intersects(disc, point(*edge))
    assert not intersects(disc, point(*beyond))
    assert covers(disc, cap(77.0, 18.1, 10_000, MARS))
    assert not covers(disc, cap(77.0, 18.1, 15_000, MARS))
    assert area_m2(disc, MARS) == pytest.approx(math.pi * 20_000**2, rel=1e-4)
    assert distance_m(disc, point(77.0, 19.0), MARS) == pytest.approx(MARS.metres_per_degree - 20_000, rel=1e-9)
    assert buffer(point(0, 0), 1e9, MARS).whole


def test_lengths_follow_the_body() -> None:
    a, b = point(0, 0), point(1, 0)
    assert distance_m(a, b, MARS) == pytest.approx(59_274.7, abs=0.1)
    assert distance_m(a, b, MOON) == pytest.approx(30_323.4, abs=0.1)
    assert length_m(polyline([[0, 0], [1, 0]]), MARS) == pytest.approx(59_274.7, abs=0.1)


def test_touching_counts_and_parts_are_covered_by_the_whole() -> None:
    assert intersects(bbox(0, 5, 0, 5), bbox(5, 10, 0, 5))
    assert intersects(bbox(0, 5, 0, 5), point(5.0, 3.3))
    assert covers(bbox(0, 50, 30, 60), bbox(3.3, 17.7, 30, 60))
    assert covers(bbox(0, 50, 30, 60), bbox(0, 50, 30, 60))
    assert not covers(bbox(0, 50, 30, 60), bbox(0, 50.01, 30, 60))
    assert covers(band(-90, -60), bbox(10, 200, -80, -70))
    assert covers(bbox(0, 10, 0, 10), polyline([[1, 1], [9, 9]]))
    assert not covers(bbox(0, 10, 0, 10), polyline([[1, 1], [11, 9]]))
    ring = polygon([[0, 0], [10, 0.1], [10, 10], [0.1, 10]], holes=[[[4, 4], [6, 4.1], [6, 6], [4, 6.1]]])
    assert not covers(ring, point(5, 5))
    assert covers(ring, point(2, 2))


def test_a_union_is_any_of_its_members() -> None:
    both = union([bbox(0, 1, 0, 1), bbox(5, 6, 0, 1)])
    assert covers_point(both, 0.5, 0.5)
    assert covers_point(both, 5.5, 0.5)
    assert not covers_point(both, 3, 0.5)
    assert union([point(0, 0), WHOLE]).whole
    with pytest.raises(GeometryError):
        union([])
    with pytest.raises(GeometryError):
        union([point(0, 0), cap(1, 1, 100, MARS)])


def test_centroids_lie_where_they_should() -> None:
    lon, lat = centroid(bbox(170, -170, 0, 10))
    assert abs(abs(lon) - 180) < 1e-6
    assert lat == pytest.approx(5.0, abs=0.1)
    assert centroid(band(60, 90))[1] > 89.9
    assert all(math.isfinite(v) for v in centroid(band(-20, 20)))
    assert centroid(points([[0, 0], [0, 10]]))[1] == pytest.approx(5.0)


# ------------------------------------------------------------------ properties

PLACES = st.tuples(st.floats(-180, 179.9), st.floats(-89, 89))


@settings(max_examples=15, deadline=None)
@given(PLACES, st.integers(3, 9), st.floats(0.01, 12), st.floats(0, 360))
def test_a_ring_encloses_its_middle_whichever_way_it_is_wound_and_written(
    place: tuple[float, float], n: int, size: float, turn: float
) -> None:
    lon, lat = destination(*place, turn + np.arange(n) * 360.0 / n, np.full(n, math.radians(size)))
    ring = np.column_stack([lon, lat])
    for written in (ring, ring[::-1], np.column_stack([np.mod(ring[:, 0], 360), ring[:, 1]])):
        found = polygon([*written.tolist(), written[0].tolist()])
        assert covers_point(found, *place)
        assert not covers_point(found, (place[0] + 180.0), -place[1])
        centre, radius = bounding_cap(found)
        assert math.radians(size) * 0.999 <= radius <= math.radians(size) * 1.4
        assert centre.shape == (3,)


@settings(max_examples=15, deadline=None)
@given(PLACES, st.integers(3, 9), st.floats(0.05, 20), st.floats(0, 360))
def test_geojson_leads_back_to_the_same_set(place: tuple[float, float], n: int, size: float, turn: float) -> None:
    lon, lat = destination(*place, turn + np.arange(n) * 360.0 / n, np.full(n, math.radians(size)))
    first = polygon(np.column_stack([lon, lat]).tolist())
    written = to_geojson(first)
    again = footprint(written)
    assert area_fraction(again) == pytest.approx(area_fraction(first), rel=1e-6)
    assert covers(first, again)
    assert covers(again, first)
    flat = [
        p for c in ([written["coordinates"]] if written["type"] == "Polygon" else written["coordinates"]) for p in c[0]
    ]
    assert all(-180 <= x <= 180 and -90 <= y <= 90 for x, y in flat)


@pytest.mark.parametrize("geog", [band(40, 60), band(60, 90), band(-30, 90), bbox(-100, 160, -80, 80), WHOLE,
                                  bbox(170, -170, 0, 10), polyline([[170, 0], [-170, 20]]), point(180, 4)])  # fmt: skip
def test_wide_and_polar_sets_survive_geojson(geog: Any) -> None:
    again = footprint(to_geojson(geog))
    assert area_fraction(again) == pytest.approx(area_fraction(geog), abs=1e-8)
    assert covers(geog, again)
    assert covers(again, geog)


def test_splitting_adds_nothing_along_parallels_and_keeps_the_set() -> None:
    box = {"type": "Polygon", "coordinates": [[[170, 0], [190, 0], [190, 10], [170, 10], [170, 0]]]}
    out = split_at_antimeridian(box)
    assert out["type"] == "MultiPolygon"
    assert sum(len(p[0]) for p in out["coordinates"]) == 10
    assert covers(footprint(out), footprint(box))
    slanted = {"type": "Polygon", "coordinates": [[[170, 50], [-170, 52], [-171, 60], [172, 61], [170, 50]]]}
    cut = footprint(split_at_antimeridian(slanted))
    assert area_fraction(cut) == pytest.approx(area_fraction(footprint(slanted)), rel=1e-9)


@settings(max_examples=20, deadline=None)
@given(PLACES, PLACES)
def test_distances_agree_with_trigonometry(a: tuple[float, float], b: tuple[float, float]) -> None:
    assert distance_m(point(*a), point(*b), MARS) == pytest.approx(arc_m(*a, *b, MARS), rel=1e-9, abs=1e-3)
