"""Labels of every family written for these tests, in the families' own forms: what feeds what, and the rules that bite."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from areorag.graph.model import FileReport, Observation
from areorag.ingest.adapters import read_path
from areorag.planet import geometry


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(dedent(text).lstrip(), encoding=encoding)
    return path


def read(folder: Path, name: str) -> FileReport:
    return next(r for r in read_path(folder) if Path(r.path).name == name)


def single(folder: Path, name: str, text: str) -> Observation:
    write(folder, name, text)
    (observation,) = read(folder, name).observations
    return observation


MAP = """
OBJECT = IMAGE_MAP_PROJECTION
  MAP_PROJECTION_TYPE = "{projection}"
  COORDINATE_SYSTEM_NAME = {system}
  POSITIVE_LONGITUDE_DIRECTION = {direction}
  CENTER_LATITUDE = {clat} <DEG>
  CENTER_LONGITUDE = {clon} <DEG>
  MAP_SCALE = {scale}
  MAXIMUM_LATITUDE = {north} <DEG>
  MINIMUM_LATITUDE = {south} <DEG>
  WESTERNMOST_LONGITUDE = {west} <DEG>
  EASTERNMOST_LONGITUDE = {east} <DEG>
END_OBJECT = IMAGE_MAP_PROJECTION
"""


def map_label(**changes: object) -> str:
    values: dict[str, object] = {
        "projection": "EQUIRECTANGULAR", "system": "PLANETOCENTRIC", "direction": "EAST", "clat": 0.0, "clon": 180.0,
        "scale": "0.5 <METERS/PIXEL>", "north": 2.0, "south": 1.0, "west": 10.0, "east": 11.0, "lines": 1000, "samples": 500,
        "head": 'DATA_SET_ID = "MRO-M-HIRISE-3-RDR-V1.1"\nINSTRUMENT_HOST_ID = MRO\nINSTRUMENT_ID = HIRISE',
    }  # fmt: skip
    values.update(changes)
    head = f"PDS_VERSION_ID = PDS3\nPRODUCT_ID = TESTMAP\nTARGET_NAME = MARS\n{values['head']}\n"
    image = f"OBJECT = IMAGE\n LINES = {values['lines']}\n LINE_SAMPLES = {values['samples']}\nEND_OBJECT = IMAGE\n"
    return head + MAP.format(**values) + image + "END\n"


@pytest.mark.parametrize(
    ("scale", "metres"),
    [("0.231 <KM/PIXEL>", 231.0), ("0.0125 <km/pixel>", 12.5), ("0.5 <METERS/PIXEL>", 0.5), ("4 <m/pixel>", 4.0),
     ("6.99 <m/px>", 6.99), ("0.0050001", 5.0001), ("25", 25.0), ("14.818 <KM/PIXEL>", 14818.0), ('"N/A"', None), ("-9998", None)],
)  # fmt: skip
def test_map_scale_in_any_spelling(tmp_path: Path, scale: str, metres: float | None) -> None:
    o = single(tmp_path, "a.lbl", map_label(scale=scale))
    assert o.resolution_m == (None if metres is None else pytest.approx(metres))


def test_scale_without_unit_is_checked_against_the_map_resolution(tmp_path: Path) -> None:
    text = map_label(scale="0.3").replace("MAP_SCALE", "MAP_RESOLUTION = 197.6 <PIXEL/DEGREE>\n  MAP_SCALE")
    assert single(tmp_path, "a.lbl", text).resolution_m == pytest.approx(300.0)


def test_box_over_zero_in_east_longitudes(tmp_path: Path) -> None:
    o = single(tmp_path, "a.lbl", map_label(west=359.5, east=0.25))
    box = geometry.footprint(o.footprint)
    assert geometry.covers_point(box, 0.0, 1.5) and not geometry.covers_point(box, 180.0, 1.5)
    assert o.position_lon_deg == pytest.approx(-0.125)


def test_whole_circle_box_of_a_small_image_is_not_believed(tmp_path: Path) -> None:
    o = single(tmp_path, "a.lbl", map_label(west=0.0, east=360.0, clat=1.5, lines=1000, samples=1000))
    assert o.footprint is None
    assert any("crosses 0°" in w for w in o.warnings)


def test_edges_are_taken_from_the_projection_where_it_proves_itself(tmp_path: Path) -> None:
    # 100,000 pixel/degree at latitude 0: north edge 2° is line 200,000; image of 20,000 samples is 0.2° wide, from 359.9°
    text = map_label(
        west=0.0, east=360.0, north=2.0, south=1.9, clat=0.0, clon=0.0, scale="0.59 <METERS/PIXEL>", samples=20_000
    )
    offsets = "MAP_RESOLUTION = 100000 <PIX/DEG>\n LINE_PROJECTION_OFFSET = 200000\n SAMPLE_PROJECTION_OFFSET = 10000\n"
    o = single(tmp_path, "a.lbl", text.replace("  MAP_SCALE", offsets + "  MAP_SCALE"))
    lons = sorted({p[0] for p in o.footprint["coordinates"][0]})  # type: ignore[index]
    assert lons == [pytest.approx(-0.1), pytest.approx(0.1)]
    assert any("edges taken from the projection" in w for w in o.warnings)


@pytest.mark.parametrize(("south", "north", "poles"), [(70.0, 90.0, (True, False)), (-90.0, -65.0, (False, True))])
def test_polar_map_is_a_cap_that_holds_its_pole(
    tmp_path: Path, south: float, north: float, poles: tuple[bool, bool]
) -> None:
    text = map_label(projection="POLAR STEREOGRAPHIC", south=south, north=north, west=0.0, east=360.0, clat=90.0 if north == 90 else -90.0,
                     scale="1 <KM/PIXEL>", lines=3000, samples=3000)  # fmt: skip
    o = single(tmp_path, "a.lbl", text)
    assert geometry.contains_pole(geometry.footprint(o.footprint)) == poles
    assert o.position_lat_deg == pytest.approx(90.0 if poles[0] else -90.0)


def test_planetographic_latitudes_are_converted(tmp_path: Path) -> None:
    o = single(tmp_path, "a.lbl", map_label(system="PLANETOGRAPHIC", south=40.0, north=45.0))
    lats = sorted({p[1] for p in o.footprint["coordinates"][0]})  # type: ignore[index]
    assert lats == [pytest.approx(39.667247, abs=1e-6), pytest.approx(44.661768, abs=1e-6)]


def test_hirise_dtm_is_derived_from_two_observations(tmp_path: Path) -> None:
    head = """DATA_SET_ID = "MRO-M-HIRISE-5-DTM-V1.0"
INSTRUMENT_HOST_ID = "MRO"
INSTRUMENT_ID = "HIRISE"
SOURCE_PRODUCT_ID = (ESP_021918_1985, ESP_022129_1985)"""
    text = map_label(head=head, scale="1.0097 <METERS/PIXEL>").replace("TESTMAP", '"DTEEC_021918_1985_022129_1985_U01"')
    o = single(tmp_path, "DTEEC.lbl", text)
    assert o.kind == "derived"
    assert o.derived_from == ["ESP_021918_1985", "ESP_022129_1985"]
    assert o.start is None and o.ls_deg is None
    assert o.processing_level == "DTM (CODMAC 5)"
    assert read(tmp_path, "DTEEC.lbl").status == "ok"


HRSC = """
PDS_VERSION_ID = PDS3
DATA_SET_ID = "MEX-M-HRSC-5-REFDR-DTM-V1.0"
PRODUCT_ID = "H1235_0001_DT4.IMG"
INSTRUMENT_HOST_ID = MEX
INSTRUMENT_ID = HRSC
TARGET_NAME = MARS
START_TIME = 2005-01-03T10:00:00.000Z
STOP_TIME = 2005-01-03T10:05:00.000Z
PROCESSING_LEVEL_ID = 4
{points}
OBJECT = IMAGE
 LINES = 9000
 LINE_SAMPLES = 2000
END_OBJECT = IMAGE
OBJECT = IMAGE_MAP_PROJECTION
 MAP_PROJECTION_TYPE = SINUSOIDAL
 MAP_SCALE = 0.05 <km/pixel>
 COORDINATE_SYSTEM_NAME = PLANETOCENTRIC
 POSITIVE_LONGITUDE_DIRECTION = EAST
 MAXIMUM_LATITUDE = -17.0 <degree>
 MINIMUM_LATITUDE = -90.0 <degree>
 WESTERNMOST_LONGITUDE = 0.0 <degree>
 EASTERNMOST_LONGITUDE = 360.0 <degree>
END_OBJECT = IMAGE_MAP_PROJECTION
END
"""


def test_hrsc_dtm_uses_its_point_list_not_the_box(tmp_path: Path) -> None:
    points = (
        "FOOTPRINT_POINT_LATITUDE = (-20.0, -20.0, -17.0, -17.0)\nFOOTPRINT_POINT_LONGITUDE = (359.0, 1.0, 1.2, 359.2)"
    )
    o = single(tmp_path, "dt4.lbl", HRSC.format(points=points))
    assert o.kind == "derived" and o.resolution_m == 50.0
    assert o.position_lat_deg == pytest.approx(-18.5, abs=0.1) and o.position_lon_deg == pytest.approx(0.1, abs=0.1)


def test_hrsc_box_of_half_the_planet_is_refused_without_a_point_list(tmp_path: Path) -> None:
    write(tmp_path, "dt4.lbl", HRSC.format(points=""))
    report = read(tmp_path, "dt4.lbl")
    assert report.status == "partial" and report.observations[0].footprint is None


def test_crism_trdr_sources_are_a_set_and_nulls_are_null(tmp_path: Path) -> None:
    o = single(tmp_path, "frt.lbl", """
        PDS_VERSION_ID = PDS3
        DATA_SET_ID = "MRO-M-CRISM-3-RDR-TARGETED-V1.0"
        PRODUCT_ID = "FRT0001E5C3_07_IF165L_TRR3"
        INSTRUMENT_HOST_NAME = "MARS RECONNAISSANCE ORBITER"
        SPACECRAFT_ID = MRO
        INSTRUMENT_ID = CRISM
        TARGET_NAME = MARS
        PRODUCT_TYPE = TARGETED_RDR
        START_TIME = 2011-06-12T03:11:04.412
        STOP_TIME = 2011-06-12T03:13:04.412
        ORBIT_NUMBER = "NULL"
        OBSERVATION_ID = "16#0001E5C3#"
        MRO:SENSOR_ID = "L"
        SOURCE_PRODUCT_ID = {"CDR410000000000_SB0000000L_3", "CDR490000_AS0000000L_6",
           "FRT0001E5C3_07_SC165L_EDR0"}
        SOLAR_LONGITUDE = 309.5
        MRO:IKF_CONFIDENCE_LEVEL = "N/A"
        END
        """)  # fmt: skip
    assert o.derived_from == ["CDR410000000000_SB0000000L_3", "CDR490000_AS0000000L_6", "FRT0001E5C3_07_SC165L_EDR0"]
    assert o.band is not None and (o.band.min_nm, o.band.max_nm) == (1002.0, 3920.0)
    assert o.ls_label_deg == 309.5 and o.quality_flags == []
    assert "orbit_number" not in o.meta


def test_label_season_that_differs_is_kept_beside_the_computed_one(tmp_path: Path) -> None:
    text = map_label().replace("END\n", "START_TIME = 2009-07-18T13:54:41\nSOLAR_LONGITUDE = 306.0 <DEG>\nEND\n", 1)
    text = text.replace("START_TIME", "X = 1\nSTART_TIME") if text.count("START_TIME") == 0 else text
    head = 'DATA_SET_ID = "MRO-M-HIRISE-3-RDR-V1.1"\nINSTRUMENT_ID = HIRISE\nINSTRUMENT_HOST_ID = MRO\n'
    head += "START_TIME = 2009-07-18T13:54:41\nSOLAR_LONGITUDE = 306.0 <DEG>"
    o = single(tmp_path, "a.lbl", map_label(head=head))
    assert o.ls_label_deg == 306.0 and o.ls_deg == pytest.approx(305.593, abs=0.01)
    assert any("differs by 0.41°" in w for w in o.warnings)


def test_sharad_line_in_both_standards(tmp_path: Path) -> None:
    o = single(tmp_path, "s_rgram.lbl", """
        PDS_VERSION_ID = PDS3
        DATA_SET_ID = "MRO-M-SHARAD-5-RADARGRAM-V1.0"
        PRODUCT_ID = "S_00168901_RGRAM"
        INSTRUMENT_HOST_NAME = "MARS RECONNAISSANCE ORBITER"
        INSTRUMENT_ID = "SHARAD"
        TARGET_NAME = "MARS"
        START_TIME = 2006-12-06T01:04:40.100
        STOP_TIME = 2006-12-06T01:12:40.100
        MRO:START_SUB_SPACECRAFT_LATITUDE = 80.5 <DEGREE>
        MRO:STOP_SUB_SPACECRAFT_LATITUDE = 60.0 <DEGREE>
        MRO:START_SUB_SPACECRAFT_LONGITUDE = 359.0 <DEGREE>
        MRO:STOP_SUB_SPACECRAFT_LONGITUDE = 350.0 <DEGREE>
        END
        """)  # fmt: skip
    assert o.footprint is not None and o.footprint["type"] == "LineString"
    assert o.footprint["coordinates"][0] == [-1.0, 80.5]
    assert o.penetration_depth_m is not None and o.penetration_depth_m > 100
    p4 = single(tmp_path, "s_tiff.xml", """
        <?xml version="1.0"?><Product_Observational xmlns="http://pds.nasa.gov/pds4/pds/v1" xmlns:geom="http://pds.nasa.gov/pds4/geom/v1">
        <Identification_Area><logical_identifier>urn:nasa:pds:mro_sharad_radargram:data:s_00168901_tiff</logical_identifier>
        <version_id>1.0</version_id><title>SHARAD radargram</title></Identification_Area>
        <Observation_Area><Time_Coordinates><start_date_time>2006-12-06T01:04:40.100Z</start_date_time>
        <stop_date_time>2006-12-06T01:12:40.100Z</stop_date_time></Time_Coordinates>
        <Primary_Result_Summary><purpose>Science</purpose><processing_level>Derived</processing_level></Primary_Result_Summary>
        <Observing_System><Observing_System_Component><name>Mars Reconnaissance Orbiter</name><type>Host</type></Observing_System_Component>
        <Observing_System_Component><name>Mars Shallow Radar (SHARAD)</name><type>Instrument</type></Observing_System_Component></Observing_System>
        <Target_Identification><name>Mars</name><type>Planet</type></Target_Identification>
        <Discipline_Area><geom:Geometry><geom:Surface_Geometry_Start_Stop>
        <geom:start_subspacecraft_latitude unit="deg">80.5</geom:start_subspacecraft_latitude>
        <geom:start_subspacecraft_longitude unit="deg">359.0</geom:start_subspacecraft_longitude>
        <geom:stop_subspacecraft_latitude unit="deg">60.0</geom:stop_subspacecraft_latitude>
        <geom:stop_subspacecraft_longitude unit="deg">350.0</geom:stop_subspacecraft_longitude>
        </geom:Surface_Geometry_Start_Stop></geom:Geometry></Discipline_Area></Observation_Area>
        <Reference_List><Source_Product_External>
        <external_source_product_identifier>MRO-M-SHARAD-5-RADARGRAM-V1.0:S_00168901_RGRAM</external_source_product_identifier>
        <reference_type>data_to_derived_source_product</reference_type></Source_Product_External></Reference_List>
        </Product_Observational>
        """)  # fmt: skip
    assert p4.instrument == "SHARAD" and p4.platform == "MRO"
    assert p4.footprint == o.footprint
    assert p4.derived_from == ["MRO-M-SHARAD-5-RADARGRAM-V1.0:S_00168901_RGRAM"]


M2020 = """
<?xml version="1.0"?><Product_Observational xmlns="http://pds.nasa.gov/pds4/pds/v1" xmlns:geom="http://pds.nasa.gov/pds4/geom/v1"
 xmlns:mars2020="http://pds.nasa.gov/pds4/mission/mars2020/v1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<Identification_Area><logical_identifier>urn:nasa:pds:mars2020_sherloc:data_processed:ss__0161</logical_identifier>
<version_id>2.0</version_id></Identification_Area><Observation_Area>
<Time_Coordinates><start_date_time>2021-08-03T00:00:00Z</start_date_time><stop_date_time xsi:nil="true" nilReason="missing"/></Time_Coordinates>
<Observing_System><Observing_System_Component><name>Mars 2020</name><type>Host</type></Observing_System_Component>
<Observing_System_Component><name>Scanning Habitable Environments with Raman and Luminescence for Organics and Chemicals</name><type>Instrument</type>
<Internal_Reference><lid_reference>urn:nasa:pds:context:instrument:mars2020.sherloc</lid_reference></Internal_Reference></Observing_System_Component></Observing_System>
<Target_Identification><name>Mars</name><type>Planet</type></Target_Identification>
<Mission_Area><mars2020:Observation_Information><mars2020:sol_number>161</mars2020:sol_number></mars2020:Observation_Information>{extra}</Mission_Area>
<Discipline_Area><geom:Motion_Counter>
<geom:Motion_Counter_Index><geom:index_id>SITE</geom:index_id><geom:index_value_number>5</geom:index_value_number></geom:Motion_Counter_Index>
<geom:Motion_Counter_Index><geom:index_id>DRIVE</geom:index_id><geom:index_value_number>628</geom:index_value_number></geom:Motion_Counter_Index>
</geom:Motion_Counter></Discipline_Area></Observation_Area></Product_Observational>
"""


def test_rover_is_placed_by_waypoints_of_either_form(tmp_path: Path) -> None:
    write(tmp_path, "ss.xml", M2020.format(extra=""))
    write(tmp_path, "M20_waypoints.json", """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"RMC":"5_628","sol":160,"final":"y"},
        "geometry":{"type":"Point","coordinates":[77.4443,18.4318,-2560.0]}}]}""")  # fmt: skip
    o = read(tmp_path, "ss.xml").observations[0]
    assert (o.position_lon_deg, o.position_lat_deg) == (77.4443, 18.4318)
    assert (o.instrument, o.sol, o.stop) == ("SHERLOC", 161, None)
    assert read(tmp_path, "M20_waypoints.json").observations == []


def test_places_table_site_rows_are_dropped_and_planetodetic_is_converted(tmp_path: Path) -> None:
    write(tmp_path, "ss.xml", M2020.format(extra=""))
    write(tmp_path, "localized_interp.csv", """
        frame,site,drive,pose,planetodetic_latitude,longitude,elevation,sol
        SITE,5,628,0,10.0,77.4,-2500,-1
        ROVER,5,628,0,18.6383,77.4443,-2500,161
        """)  # fmt: skip
    o = read(tmp_path, "ss.xml").observations[0]
    assert o.position_lat_deg == pytest.approx(18.4353, abs=1e-3)


def test_calibration_target_name_replaces_mars(tmp_path: Path) -> None:
    extra = "<mars2020:calibration_target_name>AlGaN</mars2020:calibration_target_name>"
    o = single(tmp_path, "ss.xml", M2020.format(extra=extra))
    assert o.targets == ["AlGaN"] and o.body == "Mars"
    assert "calibration target" in o.quality_flags


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_zhurong_table_with_chinese_headers(tmp_path: Path, encoding: str) -> None:
    rows = (
        "\t".join(
            [
                "产品编号",
                "载荷名称",
                "起始时间(UTC)",
                "结束时间(UTC)",
                "火星日",
                "经度(°E)",
                "纬度(°N)",
                "数据级别",
                "目标",
            ]
        )
        + "\n"
    )
    rows += "\t".join(["HX1-Ro_GRAS_NaTeCamA-F-005_SCI_N_20210520", "导航地形相机", "2021/05/20 02:00:00", "2021/05/20 02:01:00", "6",
                       "109.925", "25.066", "2B", "着陆平台"]) + "\n"  # fmt: skip
    write(tmp_path, "祝融.tsv", rows, encoding)
    (o,) = read(tmp_path, "祝融.tsv").observations
    assert (o.platform, o.instrument, o.kind, o.sol) == ("Zhurong", "NaTeCam", "insitu", 6)
    assert (o.position_lon_deg, o.position_lat_deg) == (109.925, 25.066)
    assert o.start is not None and o.start.isoformat() == "2021-05-20T02:00:00+00:00"
    assert o.targets == ["着陆平台"]


def test_zhurong_table_with_english_headers(tmp_path: Path) -> None:
    write(tmp_path, "zhurong.csv", """
        Product ID,Instrument,Start Time,Longitude,Latitude,Sol
        HX1-Ro_GRAS_MarSCoDe-L-015_SCI_N_20210711,MarSCoDe,2021-07-11T10:13:08Z,109.924,25.056,57
        """)  # fmt: skip
    (o,) = read(tmp_path, "zhurong.csv").observations
    assert (o.instrument, o.sol, o.position_lat_deg) == ("MarSCoDe", 57, 25.056)


def test_host_names_with_underscores_and_moc_ids(tmp_path: Path) -> None:
    o = single(tmp_path, "moc.img", """
        PDS_VERSION_ID = PDS3
        SPACECRAFT_NAME = MARS_GLOBAL_SURVEYOR
        TARGET_NAME = MARS
        INSTRUMENT_ID = MOC-NA
        DATA_SET_ID = MGS-M-MOC-NA/WA-2-SDP-L0-V1.0
        PRODUCT_ID = M06-02160
        START_TIME = 1999-08-29T19:45:42.11
        FILTER_NAME = BROAD_BAND
        END
        """)  # fmt: skip
    assert (o.platform, o.instrument, o.institution) == ("MGS", "MOC-NA", "MSSS")


def test_doubtful_ids_fall_back_to_the_file_and_say_so(tmp_path: Path) -> None:
    write(tmp_path, "c_0001.lbl", """
        PDS_VERSION_ID = PDS3
        PRODUCT_ID = "TBD"
        INSTRUMENT_ID = CTX
        INSTRUMENT_HOST_NAME = "MARS RECONNAISSANCE ORBITER"
        TARGET_NAME = MARS
        START_TIME = 2009-01-01T00:00:00
        END
        """)  # fmt: skip
    report = read(tmp_path, "c_0001.lbl")
    assert report.status == "partial" and report.observations[0].id == "c_0001"


def test_ode_list_reply_and_polar_footprint(tmp_path: Path) -> None:
    write(tmp_path, "reply.json", """
        {"ODEResults": {"Count": "2", "Products": {"Product": [
         {"pdsid": "ESP_1_2650_RED", "ihid": "MRO", "iid": "HIRISE", "pt": "RDRV11", "Target_name": "MARS", "UTC_start_time": "2010-01-01T00:00:00",
          "Map_scale": "0.25", "Footprint_C0_geometry": "POLYGON ((-180 86, -90 86, 0 86.5, 90 86.2, 180 86, 180 90, -180 90, -180 86))"},
         {"pdsid": "A", "ihid": "ODY", "iid": "THEMIS", "pt": "VISEDR", "Target_name": "MARS", "Center_longitude": "200", "Center_latitude": "-10"}]}}}
        """)  # fmt: skip
    first, second = read(tmp_path, "reply.json").observations
    assert geometry.contains_pole(geometry.footprint(first.footprint)) == (True, False)
    assert (second.platform, second.position_lon_deg) == ("Mars Odyssey", -160.0)


def test_numbered_corners_and_east_longitudes_of_a_hirise_index(tmp_path: Path) -> None:
    columns = [("PRODUCT_ID", "CHARACTER", 24), ("OBSERVATION_START_TIME", "TIME", 20), ("MAP_SCALE", "ASCII_REAL", 6)]
    columns += [(f"CORNER{i}_{k}", "ASCII_REAL", 8) for i in range(1, 5) for k in ("LATITUDE", "LONGITUDE")]
    start, body = 1, ""
    for name, kind, width in columns:
        body += f"OBJECT = COLUMN\nNAME = {name}\nDATA_TYPE = {kind}\nSTART_BYTE = {start}\nBYTES = {width}\nEND_OBJECT = COLUMN\n"
        start += width + 1
    write(
        tmp_path,
        "RDRCUMINDEX.LBL",
        f"""PDS_VERSION_ID = PDS3\n^RDR_INDEX_TABLE = "RDRCUMINDEX.TAB"\nINSTRUMENT_HOST_ID = MRO\nINSTRUMENT_ID = HIRISE
DATA_SET_ID = "MRO-M-HIRISE-3-RDR-V1.1"\nTARGET_NAME = MARS\nOBJECT = RDR_INDEX_TABLE\nINTERCHANGE_FORMAT = ASCII\nROWS = 1\nROW_BYTES = {start + 1}\n{body}END_OBJECT = RDR_INDEX_TABLE\nEND\n""",
    )
    cells = [
        "PSP_001388_2035_RED",
        "2006-11-12T15:12:50",
        "0.25",
        "23.17",
        "342.56",
        "23.16",
        "342.46",
        "23.32",
        "342.44",
        "23.33",
        "342.54",
    ]
    line = ",".join(c.ljust(w) for c, (_, _, w) in zip(cells, columns, strict=True))
    (tmp_path / "RDRCUMINDEX.TAB").write_bytes(line.ljust(start - 1).encode() + b"\r\n")
    report = read(tmp_path, "RDRCUMINDEX.LBL")
    assert report.status == "ok", report.reason
    (o,) = report.observations
    assert o.position_lon_deg == pytest.approx(-17.5, abs=0.01) and o.position_lat_deg == pytest.approx(
        23.245, abs=0.01
    )


def test_xml_with_entities_is_refused(tmp_path: Path) -> None:
    write(
        tmp_path,
        "x.xml",
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Product_Observational>&x;</Product_Observational>',
    )
    report = read(tmp_path, "x.xml")
    assert report.status == "rejected" and "document type" in (report.reason or "")


def test_findings_file_is_accounted_for_and_changes_no_observation(tmp_path: Path) -> None:
    write(tmp_path, "a.lbl", map_label())
    alone = read(tmp_path, "a.lbl").observations[0]
    write(tmp_path, "f.jsonld", '{"@type": "FindingSet", "findings": [{"@id": "f1", "about": "TESTMAP"}]}')
    assert read(tmp_path, "a.lbl").observations[0] == alone
    assert "1 findings" in (read(tmp_path, "f.jsonld").reason or "")
