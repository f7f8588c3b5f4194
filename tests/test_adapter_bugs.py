"""Each bug input of the shared data gives what its README row says."""

from __future__ import annotations

import time

import pytest

from areorag.graph.model import FileReport, Observation
from areorag.ingest.adapters import read_path
from areorag.planet import geometry
from areorag.planet.bodies import MARS

from .odl_compare import shared

pytestmark = pytest.mark.shared


def report(name: str) -> FileReport:
    (one,) = read_path(shared("bug_inputs", name))
    return one


def only(name: str) -> Observation:
    (observation,) = report(name).observations
    return observation


def test_01_empty_value_is_null_and_warned() -> None:
    o = only("01_empty_value.lbl")
    assert o.id == "TEST_01"
    assert o.start is not None and o.start.year == 2004
    assert any("DERIVED_IMAGE_TYPE has no value" in w for w in o.warnings)


def test_02_binary_tail_costs_nothing() -> None:
    start = time.process_time()
    assert only("02_attached_tail.img").id == "TEST_02"
    assert time.process_time() - start < 2.0


def test_03_latin1_byte_is_read_and_flagged() -> None:
    o = only("03_latin1_degree.lbl")
    assert "slope 5° to 7°" in o.text
    assert any("latin-1" in w for w in o.warnings)


def test_06_ascii_index_table_is_not_binary() -> None:
    rows = report("06_index_ascii.lbl").observations
    assert [o.id for o in rows] == ["P03_002023_1", "P03_002024_1"]
    assert rows[0].start is not None and rows[0].start.isoformat() == "2007-01-01T01:44:08.020000+00:00"
    assert rows[1].start is None, "a blank time is unknown"


def test_07_bad_note_costs_no_other_key() -> None:
    one = report("07_bad_note.lbl")
    assert one.observations[0].id == "TEST_07"
    assert one.observations[0].targets == ["Mars"]
    assert "NOTE" in (one.reason or "")


def test_09_document_pointer_is_ignored_and_both_targets_kept_in_order() -> None:
    assert only("09_doc_pointer.lbl").targets == ["Mars", "Phobos"]


def test_10_pds4_is_told_by_content() -> None:
    one = report("10_pds4_in.lblx")
    assert one.adapter is not None and "pds4" in one.adapter
    assert one.observations[0].id == "urn:nasa:pds:x:y:test_10"


def test_13_west_planetographic_box_over_zero() -> None:
    o = only("13_west_planetographic.lbl")
    box = geometry.footprint(o.footprint)
    assert geometry.covers_point(box, 0.0, 42.0)
    assert not geometry.covers_point(box, 180.0, 42.0)
    ring = o.footprint["coordinates"][0]  # type: ignore[index]
    assert sorted({p[0] for p in ring}) == [-10.0, 10.0], "20° wide over 0"
    assert [round(v, 3) for v in sorted({p[1] for p in ring})] == [39.667, 44.662], (
        "planetocentric, by the tangent formula"
    )
    assert o.resolution_m == pytest.approx(231.0)


def test_14_artificial_pole_points_make_a_cap() -> None:
    o = only("14_pole_artificial_points.wkt")
    cap = geometry.footprint(o.footprint)
    assert geometry.contains_pole(cap) == (True, False)
    # between caps of 80° and 82° latitude: 2πR²(1 − cos θ)
    radii = [geometry.area_m2(geometry.cap(0, 90, (90 - lat) * MARS.metres_per_degree, MARS), MARS) for lat in (82, 80)]
    assert radii[0] * 0.95 < geometry.area_m2(cap, MARS) < radii[1]


def test_16_split_item_is_one_narrow_polygon() -> None:
    o = only("16_stac_0_360.json")
    assert o.footprint is not None and o.footprint["type"] == "Polygon"
    lons = [p[0] for p in o.footprint["coordinates"][0]]
    assert max(lons) - min(lons) == pytest.approx(0.9)
    assert o.position_lon_deg == pytest.approx(-0.05, abs=1e-3)


def test_18_items_column_is_a_list_of_clean_strings() -> None:
    o = only("18_items_column.lbl")
    assert o.meta["filters"] == ["RED", "BG"]
    assert o.band is not None and o.band.name == "RED, BG"


def test_20_naive_time_is_utc_and_offsets_are_converted() -> None:
    o = only("20_time_offset.geojson")
    dumped = o.model_dump(mode="json")
    assert dumped["start"] == "2021-02-28T23:30:00Z"
    assert dumped["stop"] == "2021-02-28T22:30:00Z"
    assert any("before start" in w for w in o.warnings)
