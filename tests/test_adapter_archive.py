"""Facts of the shared archive, each checked by hand against the label, not against the program."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from areorag.evaluate.adapters import run
from areorag.evaluate.fuzz_adapters import faults
from areorag.graph.model import FileReport, Observation
from areorag.ingest.adapters import read_path
from areorag.planet import geometry

from .odl_compare import SHARED, shared

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def reports() -> dict[str, FileReport]:
    base = shared("archive")
    return {Path(r.path).relative_to(base).as_posix(): r for r in read_path(base)}


def one(reports: dict[str, FileReport], path: str) -> Observation:
    assert len(reports[path].observations) == 1
    return reports[path].observations[0]


def test_every_file_is_accounted_for_once_with_a_reason(reports: dict[str, FileReport]) -> None:
    files = [p.relative_to(SHARED / "archive").as_posix() for p in (SHARED / "archive").rglob("*") if p.is_file()]
    assert sorted(reports) == sorted(files)
    for name, report in reports.items():
        assert report.status == "ok" or report.reason, f"{name} is silently {report.status}"
        assert not faults(report), name
        assert report.sha256 is not None


def test_hirise_rdr(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds3_hirise/ESP_013951_1955_RED.LBL")
    assert (o.platform, o.instrument, o.institution, o.kind) == ("MRO", "HiRISE", "University of Arizona", "orbital")
    assert o.resolution_m == 0.5
    assert o.start is not None and o.start.isoformat() == "2009-07-18T13:54:41.485000+00:00"
    assert (o.ls_label_deg, o.mars_year) == (305.594678, 29)
    assert o.ls_deg == pytest.approx(305.594678, abs=0.01)
    assert (o.incidence_deg, o.emission_deg, o.phase_deg) == (49.990076, 8.476113, 43.677223)
    assert len(o.derived_from) == 20 and o.derived_from[0] == "ESP_013951_1955_RED0_0"
    assert o.band is not None and o.band.centers_nm == [700.0]
    lons = [p[0] for p in o.footprint["coordinates"][0]]  # type: ignore[index]
    assert (min(lons), max(lons)) == (pytest.approx(72.731756232), pytest.approx(72.899868557))
    assert "Ancient Noachian bedrock" in o.text


def test_ctx_index_is_west_positive_and_areographic(reports: dict[str, FileReport]) -> None:
    rows = reports["index_tables/index.lbl"].observations
    assert len(rows) == 41
    o = rows[0]
    assert o.id == "P03_002023_1278_XI_52S055W"
    # corner 55.43 W, −52.64 areographic: tan φc = (3376.2/3396.19)² tan φg
    expected = math.degrees(math.atan((3376.20 / 3396.19) ** 2 * math.tan(math.radians(-52.64))))
    ring = o.footprint["coordinates"][0]  # type: ignore[index]
    assert any(p[0] == pytest.approx(-55.43) and p[1] == pytest.approx(expected, abs=1e-6) for p in ring)
    assert o.position_lon_deg == pytest.approx(-55.16, abs=0.05)
    assert o.resolution_m == 5.03
    assert (o.incidence_deg, o.emission_deg, o.phase_deg) == (78.32, 0.64, 77.77)
    assert o.stop is None, "the index has only IMAGE_TIME"


def test_index_row_in_an_ode_note_agrees_with_odes_own_footprint(reports: dict[str, FileReport]) -> None:
    o = one(reports, "ode/ode_rest_ctx_cross_meridian.json")
    ring = o.footprint["coordinates"][0]  # type: ignore[index]
    assert [0.18, 0.4052] in ring and [-0.26, 0.3558] in ring, "one polygon over 0°, not two"
    # the index row in the note says 0.41 areographic for that corner
    assert math.degrees(math.atan((3376.20 / 3396.19) ** 2 * math.tan(math.radians(0.41)))) == pytest.approx(
        0.4052, abs=1e-4
    )


def test_index_label_whose_table_is_another_one_is_refused(reports: dict[str, FileReport]) -> None:
    report = reports["index_tables/1f7d_index.lbl"]
    assert report.status == "rejected" and "555 bytes" in (report.reason or "")


def test_crism_tile_with_a_wrong_box_stands_where_its_id_says(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds3_crism/t1865_mrrde_70n185_0256_1_cropped.lbl")
    box = geometry.footprint(o.footprint)
    assert geometry.covers_point(box, 185.0, 70.0) and not geometry.covers_point(box, 5.0, 70.0)
    assert o.kind == "derived" and o.start is None
    assert o.resolution_m == pytest.approx(231.528833585)
    assert any("tile" in w for w in o.warnings)
    no_id = reports["pds3_crism/t1865_mrrde_70n185_0256_1_cropped_no_pid.lbl"]
    assert no_id.status == "partial" and no_id.observations[0].id == "T1865_MRRDE_70N185_0256_1"
    assert any("version" in w for w in one(reports, "pds3_crism/T0897_MRRAL_05S113_0256_1_cropped_badwv.lbl").warnings)


def test_crism_ddr_and_cdr(reports: dict[str, FileReport]) -> None:
    ddr = one(reports, "pds3_crism/frt00003e25_01_de156l_ddr1.lbl")
    assert ddr.ls_label_deg == pytest.approx(165.927858) and ddr.derived_from == [], "kernels are no sources"
    assert reports["pds3_crism/CDR410000000000_AT0300020L_2.LBL"].status == "rejected"


def test_mola_grid_is_the_whole_planet_and_has_no_season(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds3_mola/megt90n000cb.lbl")
    assert geometry.footprint(o.footprint).whole
    assert o.resolution_m == 14818.0 and o.kind == "derived"
    assert o.ls_deg is None and o.mars_year is None


def test_hrsc_footprint_list_and_sentinels(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds3_hrsc/H0010_0023_SR2_pds3.lbl")
    assert o.position_lon_deg == pytest.approx(90.4786, abs=1e-3) and o.position_lat_deg == pytest.approx(
        -6.1803, abs=1e-3
    )
    assert o.resolution_m == 2.529
    assert o.band is not None and (o.band.min_nm, o.band.max_nm) == (475.0, 725.0)
    missing = one(reports, "pds3_hrsc/h0279_0000_re2_cropped.img")
    assert "MISSING_FRAMES 167" in missing.quality_flags
    assert one(reports, "pds3_hrsc/h7926_0009_s22_cropped.img").body == "Phobos"


def test_bands_in_micrometres_become_nanometres(reports: dict[str, FileReport]) -> None:
    vis = one(reports, "pds3_themis/V46475015EDR_pds3.lbl").band
    assert vis is not None and vis.centers_nm == [654.0]
    infrared = one(reports, "pds3_themis/I74199019RDR_pds3.lbl").band
    assert infrared is not None and infrared.centers_nm is not None and infrared.centers_nm[-1] == 14880.0


def test_viking_has_one_craft_and_an_image_time(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds3_viking/f004a47_pds3.lbl")
    assert (o.id, o.platform, o.mars_year) == ("004A47", "Viking Orbiter 1", 12)
    assert o.stop is None


def test_rover_labels_and_localisation(reports: dict[str, FileReport]) -> None:
    apxs = one(reports, "pds3_msl/APB_540787326ECW16140610924_______M1.LBL")
    assert apxs.stop is None and any("before start" in w for w in apxs.warnings)
    assert (apxs.sol, apxs.lmst) == (1614, "15:56:24.253")
    assert one(reports, "pds3_msl/DNB_540767866EPA16140610924_______M1.LBL").stop is None, "UNK"
    placed = one(reports, "pds3_msl/NLA_399620372ARMLD0030266TRAV00004M1.LBL")
    # site 3: drive 260 at 137.441892 E, drive 372 at 137.442181 E; drive 266 between
    assert placed.position_lon_deg == pytest.approx(137.441892 + 6 / 112 * 0.000289, abs=1e-6)
    assert placed.derived_from[:2] == ["NLA_399620372EDR_D0030266TRAV00004M1", "NRA_399620372EDR_D0030266TRAV00004M1"]
    own = one(reports, "pds3_msl/NLA_399621413EDR_F0030308NCAM00405M1.IMG")
    assert own.id not in own.derived_from, "a product is not its own source"
    mer = one(reports, "pds3_mer/1M189529263EFF64KCP2977M2F1_cropped.IMG")
    assert (mer.platform, mer.instrument, mer.institution, mer.sol) == ("Opportunity", "MI", "USGS", 691)


def test_cassis_both_shapes(reports: dict[str, FileReport]) -> None:
    level1 = one(reports, "pds4_cassis/CAS-MCO-2016-11-26T22.50.27.381-BLU-03005-B1.xml")
    assert level1.id == "CAS-MCO-2016-11-26T22.50.27.381-BLU-03005-B1"
    assert level1.resolution_m == 6.9906 and level1.incidence_deg == 45.025
    assert level1.position_lon_deg == pytest.approx(93.682, abs=1e-2)
    derived = one(reports, "pds4_cassis/MY36_015782_024_0_PAN_cropped.xml")
    ring = derived.footprint["coordinates"][0]  # type: ignore[index]
    assert any(p == pytest.approx([257.01774681231 - 360, 22.253269143531]) for p in ring)
    assert derived.ls_deg == pytest.approx(55.415973760255, abs=0.01)
    assert derived.derived_from and derived.derived_from[0].startswith("urn:esa:psa:em16_tgo_cas:data_calibrated:")
    assert derived.lid is None if hasattr(derived, "lid") else derived.product.version == "1.0"


def test_a_label_that_names_the_wrong_mission_is_no_mars_observation(reports: dict[str, FileReport]) -> None:
    report = reports["pds4_other/V11979060.xml"]
    assert report.observations == [] and "Alpha Crucis" in (report.reason or "")
    assert reports["pds4_other/mer_raw_sc_tir_20200622_1.xml"].observations == []


def test_every_body_is_one_that_has_a_size(reports: dict[str, FileReport]) -> None:
    from areorag.planet.bodies import get_body

    for report in reports.values():
        for o in report.observations:
            assert get_body(o.body).radius_m > 0
    sky = one(reports, "malformed/v1877838443_1-EXCEPTION.lbl")
    assert (sky.body, sky.targets, sky.platform, sky.footprint) == ("Saturn", ["Sky"], "Cassini", None)


def test_calibration_target_that_calls_itself_mars(reports: dict[str, FileReport]) -> None:
    path = next(p for p in reports if "scam_0072" in p)
    o = one(reports, path)
    assert o.targets == ["SuperCam Calibration Target"] and "calibration target" in o.quality_flags
    assert o.stop is None, "xsi:nil"
    assert o.instrument == "SuperCam" and o.meta["site"] == 3 and o.meta["drive"] == 2208


def test_lander_stands_where_it_landed_and_its_season_wraps(reports: dict[str, FileReport]) -> None:
    o = one(reports, "pds4_insight/hp3_rad_der_00014_20181211_073042.xml")
    assert (o.position_lon_deg, o.position_lat_deg) == (
        pytest.approx(135.6234, abs=0.01),
        pytest.approx(4.5024, abs=0.01),
    )
    low, high = o.meta["solar_longitude_range_deg"]
    assert low == pytest.approx(304.29, abs=0.05) and high == pytest.approx(4.187, abs=0.05)
    assert o.processing_level == "Derived", "only the lid tells"
    assert o.instrument == "HP3" and o.sol == 14


def test_localisation_documents_and_collections_give_no_observations(reports: dict[str, FileReport]) -> None:
    for path in ("rover_traverse/Waypoints.csv", "rover_traverse/waypoints.json", "footprints/line.json",
                 "pds4_insight/collection_data_rad_derived.xml", "pds4_other/bundle_mars2020_spice_v003.xml",
                 "pds4_other/m2020_surf_rover_tlm_0000_0089_v1.xml", "stac/catalog.json", "text/ctxdtms.md",
                 "rover_traverse/new_data_for_targets.csv", "pds3_misc/pos.fmt"):  # fmt: skip
        assert reports[path].observations == [] and reports[path].status == "rejected", path


def test_footprint_files(reports: dict[str, FileReport]) -> None:
    geojson = reports["footprints/Mawrth_Vallis_ODE_products_intersect.geojson"].observations
    package = reports["footprints/mawrth_ode_iau49900.gpkg"].observations
    assert len(geojson) == len(package) == 132
    assert [o.id for o in geojson] == [o.id for o in package]
    hirise = reports["footprints/Mawrth_Vallis_reduced_sample_products_hirise.geojson"].observations[0]
    assert hirise.position_lon_deg == pytest.approx(342.5015 - 360, abs=0.01)
    assert hirise.position_lat_deg == pytest.approx(23.2452, abs=0.01)


def test_ode_text_export_and_stac(reports: dict[str, FileReport]) -> None:
    text = reports["ode/ODE_Small_SearchResults.txt"].observations
    assert text[0].id == "H1596_0001_BL2.IMG" and text[0].position_lat_deg == pytest.approx(30.7341)
    mola = one(reports, "stac/isis_global_dtms_mola_search.json")
    assert mola.start is None, "the datetime is when the item was written"
    assert mola.kind == "derived"
    assert one(reports, "stac/item.json").body == "Europa"


def test_oxide_rows_claim_abundances_with_their_uncertainty(reports: dict[str, FileReport]) -> None:
    o = reports["rover_traverse/ccam_MOC_single_shots_1042-1127.csv"].observations[0]
    silica = next(c for c in o.claims if c.property == "SiO2 abundance")
    assert (silica.value, silica.unit, silica.low, silica.high) == (
        "75 wt%",
        "wt%",
        pytest.approx(69.4),
        pytest.approx(80.6),
    )
    assert o.sol == 1053, "from the spacecraft clock"
    assert o.position_lon_deg == pytest.approx(137.37024)


def test_eval_result_has_the_contracts_form() -> None:
    result = run(shared("bug_inputs"), workers=1)
    assert set(result) >= {"files", "seconds"}
    json.dumps(result, allow_nan=False)
    paths = [f["path"] for f in result["files"]]
    assert len(paths) == len(set(paths)) == 15
    assert all({"path", "status", "reason", "observations"} <= set(f) for f in result["files"])
