"""Write the sample archive (areorag/sample/archive): labels in their true formats, facts real, wording ours.

    python tools/make_sample.py

Product ids of orbiters, places, sols and dates are those of the missions. Orbiter times are rounded to the minute and
swath outlines are nominal (centre ± the instrument's swath), so nobody should use them instead of the archive's own.
Ids of rover products follow the archive's naming rule with the sol, clock and target of the real activity.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from areorag.planet.bodies import get_body
from areorag.planet.coordinates import destination
from areorag.planet.marstime import solar_longitude
from areorag.planet.missions import lmst_string, sol_to_utc

OUT = Path(__file__).resolve().parent.parent / "areorag" / "sample" / "archive"
R = get_body("Mars").equatorial_radius_m
EPOCH = datetime(2000, 1, 1, 12, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def stamp(t: datetime) -> str:
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{t.microsecond // 1000:03d}"


def box(lon: float, lat: float, half_w_m: float, half_h_m: float) -> tuple[float, float, float, float]:
    """West, east, south, north of a nominal swath (no sample swath is near a pole or the antimeridian)."""
    east = float(destination(lon, lat, 90.0, half_w_m / R)[0])
    dlon, dlat = (east - lon) % 360, half_h_m / R * 57.29577951308232
    return round(lon - dlon, 4), round(lon + dlon, 4), round(lat - dlat, 4), round(lat + dlat, 4)


def write(path: str, text: str) -> None:
    target = OUT / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8", newline="\r\n" if path.lower().endswith((".lbl", ".tab")) else "\n")


# --------------------------------------------------------------------------------------------- orbiters, PDS3
# id, lon, lat, UTC (minute), scale m/px, incidence, emission, phase, rationale
HIRISE = [
    ("PSP_002387_1985", 77.385, 18.505, "2007-01-29T10:49", 0.25, 45.2, 4.6, 49.7, "Delta in Jezero Crater"),
    ("PSP_003798_1985", 77.385, 18.508, "2007-05-19T09:31", 0.25, 55.1, 15.2, 42.6, "Delta in Jezero Crater, stereo"),
    ("ESP_022680_1985", 77.44, 18.46, "2011-05-29T18:01", 0.25, 48.9, 12.9, 60.8, "Possible rover landing site in Jezero Crater"),
    ("ESP_023102_1985", 77.43, 18.47, "2011-07-01T15:13", 0.25, 41.8, 4.1, 45.7, "Possible rover landing site in Jezero Crater, stereo"),
    ("ESP_037330_1990", 77.34, 18.62, "2014-07-14T07:16", 0.25, 56.6, 3.4, 59.5, "Western fan of Jezero Crater"),
    ("ESP_037396_1985", 77.42, 18.49, "2014-07-19T10:41", 0.25, 57.5, 8.7, 49.6, "Jezero landing ellipse"),
    ("ESP_045994_1985", 77.41, 18.45, "2016-05-19T08:25", 0.25, 41.6, 3.7, 45.1, "Jezero landing ellipse"),
    ("ESP_046060_1985", 77.42, 18.45, "2016-05-24T11:51", 0.25, 41.2, 8.9, 33.4, "Jezero landing ellipse, stereo"),
    ("ESP_011417_1755", 137.605, -4.442, "2009-01-02T02:56", 0.25, 49.3, 2.5, 51.6, "Clay and sulfate stratigraphy in Gale Crater mound"),
    ("ESP_028269_1755", 137.442, -4.619, "2012-08-07T05:36", 0.25, 45.9, 2.3, 47.8, "Curiosity landing site"),
    ("ESP_029746_1755", 137.429, -4.717, "2012-11-30T07:46", 0.25, 39.4, 8.4, 47.1, "Bagnold dune field, Gale Crater"),
    ("ESP_051253_1750", 137.032, -4.732, "2017-07-03T03:47", 0.25, 41.6, 5.0, 46.3, "Dunes west of Aeolis Mons"),
    ("ESP_069665_2055", 109.92, 25.08, "2021-06-06T19:46", 0.25, 40.4, 3.8, 44.0, "Zhurong rover and lander in Utopia Planitia"),
    ("ESP_073225_2055", 109.91, 25.05, "2022-03-11T05:29", 0.25, 58.7, 2.8, 61.0, "Zhurong rover traverse in Utopia Planitia"),
    ("ESP_027802_1685", 290.31, -11.52, "2012-07-01T20:19", 0.25, 44.6, 3.0, 47.5, "Garni Crater slopes, Melas Chasma"),
    ("ESP_029780_1685", 290.31, -11.52, "2012-12-02T23:19", 0.25, 36.8, 5.6, 42.1, "Garni Crater slopes, Melas Chasma, monitoring"),
    ("ESP_031059_1685", 290.31, -11.52, "2013-03-12T15:19", 0.25, 35.9, 4.4, 31.7, "Garni Crater slopes, Melas Chasma, monitoring"),
    ("ESP_034184_1685", 290.31, -11.52, "2013-11-11T03:36", 0.25, 47.8, 2.2, 49.9, "Garni Crater slopes, Melas Chasma, monitoring"),
]  # fmt: skip


def hirise(row: tuple) -> None:
    obs, lon, lat, t, scale, inc, emi, pha, why = row
    w, e, s, n = box(lon, lat, 3000, 6500)
    start = at(t)
    write(f"hirise/{obs}_RED.LBL", f"""PDS_VERSION_ID            = PDS3
NOT_APPLICABLE_CONSTANT   = -9998
DATA_SET_ID               = "MRO-M-HIRISE-3-RDR-V1.1"
DATA_SET_NAME             = "MRO MARS HIGH RESOLUTION IMAGING SCIENCE
                            EXPERIMENT RDR V1.1"
PRODUCER_INSTITUTION_NAME = "UNIVERSITY OF ARIZONA"
PRODUCER_ID               = "UA"
PRODUCER_FULL_NAME        = "ALFRED MCEWEN"
OBSERVATION_ID            = "{obs}"
PRODUCT_ID                = "{obs}_RED"
PRODUCT_VERSION_ID        = "1.0"
INSTRUMENT_HOST_NAME      = "MARS RECONNAISSANCE ORBITER"
INSTRUMENT_HOST_ID        = "MRO"
INSTRUMENT_NAME           = "HIGH RESOLUTION IMAGING SCIENCE EXPERIMENT"
INSTRUMENT_ID             = "HIRISE"
TARGET_NAME               = "MARS"
ORBIT_NUMBER              = {int(obs[4:10])}
SOURCE_PRODUCT_ID         = ({obs}_RED4_0, {obs}_RED4_1,
                            {obs}_RED5_0, {obs}_RED5_1)
RATIONALE_DESC            = "{why}"
OBJECT = IMAGE_MAP_PROJECTION
    MAP_PROJECTION_TYPE          = "EQUIRECTANGULAR"
    PROJECTION_LATITUDE_TYPE     = PLANETOCENTRIC
    A_AXIS_RADIUS                = 3396.190 <KM>
    COORDINATE_SYSTEM_NAME       = PLANETOCENTRIC
    POSITIVE_LONGITUDE_DIRECTION = EAST
    KEYWORD_LATITUDE_TYPE        = PLANETOCENTRIC
    CENTER_LATITUDE              = {round(lat / 5) * 5:.3f} <DEG>
    CENTER_LONGITUDE             = 180.000 <DEG>
    MAP_SCALE                    = {scale} <METERS/PIXEL>
    MAXIMUM_LATITUDE             = {n} <DEG>
    MINIMUM_LATITUDE             = {s} <DEG>
    EASTERNMOST_LONGITUDE        = {e} <DEG>
    WESTERNMOST_LONGITUDE        = {w} <DEG>
END_OBJECT = IMAGE_MAP_PROJECTION
GROUP = TIME_PARAMETERS
    MRO:OBSERVATION_START_TIME   = {stamp(start)}
    START_TIME                   = {stamp(start)}
    STOP_TIME                    = {stamp(start + timedelta(seconds=9))}
END_GROUP = TIME_PARAMETERS
GROUP = VIEWING_PARAMETERS
    INCIDENCE_ANGLE   = {inc} <DEG>
    EMISSION_ANGLE    = {emi} <DEG>
    PHASE_ANGLE       = {pha} <DEG>
    SOLAR_LONGITUDE   = {solar_longitude(start):.4f} <DEG>
END_GROUP = VIEWING_PARAMETERS
OBJECT = UNCOMPRESSED_FILE
    FILE_NAME                    = "{obs}_RED.IMG"
    OBJECT = IMAGE
        BANDS                    = 1
        CENTER_FILTER_WAVELENGTH = 700 <NM>
        FILTER_NAME              = "RED"
    END_OBJECT = IMAGE
END_OBJECT = UNCOMPRESSED_FILE
END
""")  # fmt: skip


# id, lon, lat, UTC, scale, inclination angles, rationale
CTX = [
    ("P04_002743_1987_XI_18N282W", 77.46, 18.77, "2007-02-26T04:35", 5.51, 45.9, "Jezero Crater delta and floor"),
    ("F04_037396_1985_XN_18N282W", 77.45, 18.55, "2014-07-19T10:41", 5.54, 57.5, "Jezero landing ellipse context"),
    ("B18_016509_1978_XN_17N282W", 77.62, 17.85, "2010-02-02T21:29", 5.57, 49.3, "South of Jezero Crater"),
    ("B18_016786_1978_XN_17N283W", 76.93, 17.85, "2010-02-24T11:29", 5.55, 51.0, "Nili Planum west of Jezero"),
    ("B19_016931_1975_XN_17N283W", 77.05, 17.55, "2010-03-07T18:39", 5.55, 51.9, "Nili Planum southwest of Jezero"),
    ("G13_023102_1986_XN_18N282W", 77.43, 18.62, "2011-07-01T15:13", 5.48, 41.8, "Ride-along with HiRISE, Jezero"),
    ("G14_023669_1985_XN_18N282W", 77.40, 18.50, "2011-08-14T19:34", 5.46, 39.6, "Jezero Crater western fan"),
    ("B01_009861_1753_XI_04S222W", 137.535, -4.675, "2008-09-02T20:58", 5.32, 50.2, "Gale Crater floor and mound"),
    ("D03_028401_1754_XI_04S222W", 137.470, -4.616, "2012-08-17T12:25", 5.43, 45.1, "Curiosity landing region"),
    ("J10_048774_1751_XN_04S222W", 137.430, -4.882, "2016-12-21T23:42", 5.45, 37.0, "Aeolis Mons lower slopes"),
    ("K11_057728_1747_XN_05S222W", 137.295, -5.307, "2018-11-19T15:44", 5.42, 40.9, "Gale Crater mound after dust storm"),
]  # fmt: skip
COLUMNS = [
    ("VOLUME_ID", "CHARACTER", 9), ("FILE_SPECIFICATION_NAME", "CHARACTER", 35), ("ORIGINAL_PRODUCT_ID", "CHARACTER", 16),
    ("PRODUCT_ID", "CHARACTER", 26), ("IMAGE_TIME", "CHARACTER", 23), ("INSTRUMENT_ID", "CHARACTER", 6),
    ("SCALED_PIXEL_WIDTH", "ASCII_REAL", 8), ("EMISSION_ANGLE", "ASCII_REAL", 6), ("INCIDENCE_ANGLE", "ASCII_REAL", 6),
    ("PHASE_ANGLE", "ASCII_REAL", 6), ("CENTER_LONGITUDE", "ASCII_REAL", 6), ("CENTER_LATITUDE", "ASCII_REAL", 6),
    ("UPPER_LEFT_LONGITUDE", "ASCII_REAL", 6), ("UPPER_LEFT_LATITUDE", "ASCII_REAL", 6),
    ("UPPER_RIGHT_LONGITUDE", "ASCII_REAL", 6), ("UPPER_RIGHT_LATITUDE", "ASCII_REAL", 6),
    ("LOWER_LEFT_LONGITUDE", "ASCII_REAL", 6), ("LOWER_LEFT_LATITUDE", "ASCII_REAL", 6),
    ("LOWER_RIGHT_LONGITUDE", "ASCII_REAL", 6), ("LOWER_RIGHT_LATITUDE", "ASCII_REAL", 6),
    ("TARGET_NAME", "CHARACTER", 6), ("SOLAR_LONGITUDE", "ASCII_REAL", 6), ("RATIONALE_DESC", "CHARACTER", 60),
    ("DATA_QUALITY_DESC", "CHARACTER", 6), ("ORBIT_NUMBER", "ASCII_INTEGER", 6),
]  # fmt: skip


def ctx_index() -> None:
    """The cumulative index: its corner longitudes are positive WEST, as in the volumes, with no keyword saying so."""
    places, at_byte = [], 1
    for name, kind, width in COLUMNS:
        quoted = kind == "CHARACTER"
        places.append((name, kind, at_byte + quoted, width))
        at_byte += width + 2 * quoted + 1
    row_bytes = at_byte  # without the last comma, with CR and LF
    rows = []
    for pid, lon, lat, t, scale, inc, why in CTX:
        w, e, s, n = (360 - x if i < 2 else x for i, x in enumerate(box(lon, lat, 15000, 32000)))
        values = [
            "MROX_9001", f"DATA/{pid}.IMG", "4A_04_SAMPLE", pid, stamp(at(t)), "CTX", f"{scale:.2f}", "1.10",
            f"{inc:.2f}", f"{inc + 1:.2f}", f"{360 - lon:.2f}", f"{lat:.2f}", f"{w:.2f}", f"{n:.2f}", f"{e:.2f}",
            f"{n:.2f}", f"{w:.2f}", f"{s:.2f}", f"{e:.2f}", f"{s:.2f}", "MARS", f"{solar_longitude(at(t)):.2f}", why,
            "OK", str(int(pid[4:10])),
        ]  # fmt: skip
        cells = [
            f'"{v:<{width}}"' if kind == "CHARACTER" else f"{v:>{width}}"
            for v, (_, kind, width) in zip(values, COLUMNS, strict=True)
        ]
        rows.append(",".join(cells))
    assert {len(r) for r in rows} == {row_bytes - 2}
    head = f"""PDS_VERSION_ID                 = PDS3
RECORD_TYPE                    = FIXED_LENGTH
RECORD_BYTES                   = {row_bytes}
FILE_RECORDS                   = {len(rows)}
^INDEX_TABLE                   = "INDEX.TAB"
VOLUME_ID                      = "MROX_9001"
DATA_SET_ID                    = "MRO-M-CTX-2-EDR-L0-V1.0"
SPACECRAFT_NAME                = "MARS RECONNAISSANCE ORBITER"
INSTRUMENT_NAME                = "CONTEXT CAMERA"
TARGET_NAME                    = MARS
OBJECT                         = INDEX_TABLE
 INTERCHANGE_FORMAT            = ASCII
 ROWS                          = {len(rows)}
 COLUMNS                       = {len(COLUMNS)}
 ROW_BYTES                     = {row_bytes}
 INDEX_TYPE                    = SINGLE
"""
    columns = "".join(
        f" OBJECT                       = COLUMN\n  NAME                        = {name}\n"
        f"  COLUMN_NUMBER               = {i}\n  DATA_TYPE                   = {kind}\n"
        f"  START_BYTE                  = {byte}\n  BYTES                       = {width}\n"
        f" END_OBJECT                   = COLUMN\n"
        for i, (name, kind, byte, width) in enumerate(places, 1)
    )
    write("ctx/INDEX.LBL", head + columns + "END_OBJECT                     = INDEX_TABLE\nEND\n")
    write("ctx/INDEX.TAB", "\n".join(rows) + "\n")


# id, lon, lat, UTC, summary
CRISM = [
    ("FRT000047A3_07_IF166J_MTR3", 77.43, 18.53, "2007-02-26T04:35", "Carbonate and Fe/Mg smectite in the western fan of Jezero"),
    ("FRT0001642E_07_IF165J_MTR3", 77.60, 17.90, "2010-02-02T21:29", "Olivine and carbonate plains south of Jezero"),
    ("FRT00017103_07_IF166J_MTR3", 77.08, 17.60, "2010-03-07T18:39", "Low-calcium pyroxene and smectite, Nili Planum"),
    ("FRT0001ECBA_07_IF166J_MTR3", 77.44, 18.50, "2011-07-01T15:13", "Olivine in the crater floor of Jezero"),
    ("FRT0001FB74_07_IF166J_MTR3", 77.38, 18.50, "2011-08-14T19:34", "Western fan of Jezero, margin carbonates"),
    ("FRT0000B6F1_07_IF165J_MTR3", 137.40, -4.70, "2008-07-18T06:32", "Clays and sulfates in the lower mound of Gale"),
    ("FRT00017327_07_IF166J_MTR3", 137.36, -4.68, "2010-03-10T09:40", "Sand and lower mound of Gale"),
]  # fmt: skip


def crism(row: tuple) -> None:
    pid, lon, lat, t, why = row
    w, e, s, n = box(lon, lat, 5200, 5200)
    start = at(t)
    write(
        f"crism/{pid.lower()}.lbl",
        f"""PDS_VERSION_ID               = PDS3
DATA_SET_ID                  = "MRO-M-CRISM-5-RDR-MPTARGETED-V1.0"
PRODUCT_ID                   = "{pid}"
INSTRUMENT_HOST_NAME         = "MARS RECONNAISSANCE ORBITER"
SPACECRAFT_ID                = MRO
INSTRUMENT_NAME              = "COMPACT RECONNAISSANCE IMAGING
                                SPECTROMETER FOR MARS"
INSTRUMENT_ID                = CRISM
TARGET_NAME                  = MARS
PRODUCT_TYPE                 = MAP_PROJECTED_TARGETED_RDR
START_TIME                   = {stamp(start)}
STOP_TIME                    = {stamp(start + timedelta(seconds=135))}
OBSERVATION_TYPE             = "FRT"
OBSERVATION_ID               = "16#{pid[3:11]}#"
PRODUCT_VERSION_ID           = "3"
RATIONALE_DESC               = "{why}"
SOURCE_PRODUCT_ID            = {{
      "{pid[:12]}07_IF166L_TRR3",
      "{pid[:12]}07_IF166S_TRR3"
}}
PRODUCER_INSTITUTION_NAME    = "APPLIED PHYSICS LABORATORY"
SOLAR_LONGITUDE              = {solar_longitude(start):.4f} <DEGREES>
OBJECT                       = FILE
  OBJECT                     = IMAGE
    LINES                    = 600
    LINE_SAMPLES             = 620
    BANDS                    = 489
    MRO:WAVELENGTH_FILE_NAME = "{pid[:12]}07_WV166J_MTR3.TAB"
    MINIMUM_WAVELENGTH       = 436.13 <NM>
    MAXIMUM_WAVELENGTH       = 3896.76 <NM>
  END_OBJECT                 = IMAGE
END_OBJECT                   = FILE
OBJECT                       = IMAGE_MAP_PROJECTION
  MAP_PROJECTION_TYPE          = "EQUIRECTANGULAR"
  A_AXIS_RADIUS                = 3396.190 <KM>
  COORDINATE_SYSTEM_NAME       = "PLANETOCENTRIC"
  POSITIVE_LONGITUDE_DIRECTION = "EAST"
  MAP_SCALE                    = 0.018 <KM/PIXEL>
  MAXIMUM_LATITUDE             = {n} <DEGREE>
  MINIMUM_LATITUDE             = {s} <DEGREE>
  WESTERNMOST_LONGITUDE        = {w} <DEGREE>
  EASTERNMOST_LONGITUDE        = {e} <DEGREE>
END_OBJECT                   = IMAGE_MAP_PROJECTION
END
""",
    )


# tile, west, east, south, north
MOLA = [
    ("MEGT44N000HB", 0, 90, 0, 44), ("MEGT44N090HB", 90, 180, 0, 44), ("MEGT00N090HB", 90, 180, -44, 0),
    ("MEGT00N270HB", 270, 360, -44, 0), ("MEGT44N180HB", 180, 270, 0, 44),
]  # fmt: skip


def mola(row: tuple) -> None:
    tile, w, e, s, n = row
    write(
        f"mola/{tile.lower()}.lbl",
        f"""PDS_VERSION_ID                = PDS3
RECORD_TYPE                   = FIXED_LENGTH
RECORD_BYTES                  = 23040
FILE_RECORDS                  = 5632
^IMAGE                        = "{tile}.IMG"
DATA_SET_ID                   = "MGS-M-MOLA-5-MEGDR-L3-V1.0"
PRODUCT_ID                    = "{tile}.IMG"
SPACECRAFT_NAME               = "MARS GLOBAL SURVEYOR"
INSTRUMENT_ID                 = MOLA
INSTRUMENT_NAME               = "MARS ORBITER LASER ALTIMETER"
TARGET_NAME                   = MARS
START_TIME                    = 1997-09-15T19:10:00.000
STOP_TIME                     = 2001-06-30T11:10:40.000
PRODUCT_VERSION_ID            = "2.0"
PRODUCER_ID                   = MGS_MOLA_TEAM
PRODUCER_INSTITUTION_NAME     = "GODDARD SPACE FLIGHT CENTER"
DESCRIPTION                   = "Topographic map at 1/128 degree, heights
 above the areoid, gridded from the altimetry profiles (PEDR). Cells
 without a shot hold an interpolated value."
OBJECT                        = IMAGE
 NAME                         = MEDIAN_TOPOGRAPHY
 LINES                        = 5632
 LINE_SAMPLES                 = 11520
 SAMPLE_TYPE                  = MSB_INTEGER
 SAMPLE_BITS                  = 16
 UNIT                         = METER
END_OBJECT                    = IMAGE
OBJECT                        = IMAGE_MAP_PROJECTION
 MAP_PROJECTION_TYPE          = "SIMPLE CYLINDRICAL"
 A_AXIS_RADIUS                = 3396.0 <KM>
 B_AXIS_RADIUS                = 3396.0 <KM>
 C_AXIS_RADIUS                = 3396.0 <KM>
 COORDINATE_SYSTEM_TYPE       = "BODY-FIXED ROTATING"
 COORDINATE_SYSTEM_NAME       = "PLANETOCENTRIC"
 POSITIVE_LONGITUDE_DIRECTION = "EAST"
 MAP_RESOLUTION               = 128.0 <PIXEL/DEGREE>
 MAP_SCALE                    = 0.463 <KM/PIXEL>
 MAXIMUM_LATITUDE             = {n}.0 <DEGREE>
 MINIMUM_LATITUDE             = {s}.0 <DEGREE>
 WESTERNMOST_LONGITUDE        = {w}.0 <DEGREE>
 EASTERNMOST_LONGITUDE        = {e}.0 <DEGREE>
END_OBJECT                    = IMAGE_MAP_PROJECTION
END
""",
    )


def dtm() -> None:
    """The HiRISE terrain model of the Jezero delta, derived from the stereo pair that is in the sample too."""
    w, e, s, n = box(77.385, 18.505, 2900, 6300)
    write(
        "derived/DTEEC_002387_1985_003798_1985_A01.LBL",
        f"""PDS_VERSION_ID            = PDS3
DATA_SET_ID               = "MRO-M-HIRISE-5-DTM-V1.0"
DATA_SET_NAME             = "MRO MARS HIGH RESOLUTION IMAGING SCIENCE
                            EXPERIMENT DTM V1.0"
PRODUCER_INSTITUTION_NAME = "UNIVERSITY OF ARIZONA"
PRODUCT_ID                = "DTEEC_002387_1985_003798_1985_A01"
PRODUCT_VERSION_ID        = "1.0"
INSTRUMENT_HOST_NAME      = "MARS RECONNAISSANCE ORBITER"
INSTRUMENT_HOST_ID        = "MRO"
INSTRUMENT_ID             = "HIRISE"
TARGET_NAME               = "MARS"
SOURCE_PRODUCT_ID         = (PSP_002387_1985, PSP_003798_1985)
RATIONALE_DESC            = "Terrain model of the delta in Jezero Crater"
SOFTWARE_NAME             = "Socet_Set 5.4.1"
OBJECT = IMAGE_MAP_PROJECTION
    MAP_PROJECTION_TYPE          = "EQUIRECTANGULAR"
    PROJECTION_LATITUDE_TYPE     = PLANETOCENTRIC
    A_AXIS_RADIUS                = 3396.190 <KM>
    COORDINATE_SYSTEM_NAME       = PLANETOCENTRIC
    POSITIVE_LONGITUDE_DIRECTION = EAST
    KEYWORD_LATITUDE_TYPE        = PLANETOCENTRIC
    MAP_SCALE                    = 1.00 <METERS/PIXEL>
    MAXIMUM_LATITUDE             = {n} <DEG>
    MINIMUM_LATITUDE             = {s} <DEG>
    EASTERNMOST_LONGITUDE        = {e} <DEG>
    WESTERNMOST_LONGITUDE        = {w} <DEG>
END_OBJECT = IMAGE_MAP_PROJECTION
OBJECT = IMAGE
    BANDS     = 1
    UNIT      = "METER"
END_OBJECT = IMAGE
END
""",
    )


def ode() -> None:
    """One reply of the Orbital Data Explorer: HRSC over the Olympus Mons summit and the Utopia landing area."""

    def product(pid, lon, lat, t, scale, half_w, half_h, comment, inc):  # type: ignore[no-untyped-def]
        w, e, s, n = box(lon, lat, half_w, half_h)
        ring = f"POLYGON (({w} {n}, {e} {n}, {e} {s}, {w} {s}, {w} {n}))"
        w0, e0 = ((x + 180) % 360 - 180 for x in (w, e))
        ring0 = f"POLYGON (({w0:.4f} {n}, {e0:.4f} {n}, {e0:.4f} {s}, {w0:.4f} {s}, {w0:.4f} {n}))"
        return {
            "pdsid": pid, "ihid": "MEX", "iid": "HRSC", "pt": "REFDRMAPV3", "Data_Set_Id": "MEX-M-HRSC-5-REFDR-MAPPROJECTED-V3.0",
            "Target_name": "MARS", "Comment": comment, "Center_latitude": str(lat), "Center_longitude": str(lon),
            "Easternmost_longitude": str(e), "Westernmost_longitude": str(w), "Maximum_latitude": str(n),
            "Minimum_latitude": str(s), "Map_scale": str(scale), "Incidence_angle": str(inc), "Emission_angle": "0.6",
            "Phase_angle": str(inc), "Solar_longitude": f"{solar_longitude(at(t)):.3f}",
            "UTC_start_time": stamp(at(t)), "UTC_stop_time": stamp(at(t) + timedelta(seconds=240)),
            "Observation_time": stamp(at(t) + timedelta(seconds=120)), "Footprints_cross_meridian": "False",
            "Footprint_C0_geometry": ring0, "Footprint_GL_geometry": ring, "Footprint_geometry": ring,
            "Footprint_NP_geometry": "MULTIPOLYGON EMPTY", "Footprint_SP_geometry": "MULTIPOLYGON EMPTY",
            "Producer_id": "DLR",
        }  # fmt: skip

    items = [
        product("H0037_0000_ND3", 226.90, 18.40, "2004-01-21T15:27", 12.5, 45000, 150000, "Summit caldera of Olympus Mons", 51.0),
        product("H1089_0000_ND3", 222.60, 19.50, "2004-11-24T11:15", 12.5, 40000, 200000, "Western scarp and aureole of Olympus Mons", 47.0),
        product("H2221_0002_ND3", 289.10, -11.20, "2005-10-07T06:12", 25.0, 50000, 200000, "Melas Chasma, Valles Marineris", 44.0),
        product("H5270_0000_ND3", 77.30, 18.40, "2008-02-11T05:41", 20.0, 50000, 180000, "Jezero Crater and Nili Planum", 46.0),
    ]  # fmt: skip
    reply = {"ODEResults": {"Status": "Success", "Count": str(len(items)), "Products": {"Product": items}}}
    write("ode/hrsc_olympus_melas_jezero.json", json.dumps(reply, indent=1) + "\n")


# --------------------------------------------------------------------------------------------- Perseverance, PDS4
# instrument, sol, LMST hour, target, site, drive, note
M2020 = [
    ("pixl", 167, 20.0, "Guillaumes", 5, 628, "X-ray map of an abraded floor rock"),
    ("sherloc", 161, 9.0, "Guillaumes", 5, 628, "Deep-UV Raman and fluorescence of an abraded floor rock"),
    ("supercam", 72, 11.2, "Naat'aanii", 3, 0, "Laser and infrared spectra of a floor rock"),
    ("pixl", 187, 20.5, "Bellegarde", 5, 1216, "X-ray map of an abraded floor rock"),
    ("supercam", 202, 12.0, "Garde", 8, 0, "Infrared and Raman spectra of an olivine-rich rock in Seitah"),
    ("sherloc", 207, 8.8, "Garde", 8, 0, "Raman spectra of an olivine-rich abraded patch"),
    ("pixl", 257, 20.2, "Dourbes", 8, 84, "X-ray map of an olivine cumulate"),
    ("sherloc", 304, 9.4, "Quartier", 10, 200, "Raman spectra of sulfate and perchlorate salts"),
    ("mastcamz", 180, 12.4, "Kodiak", 5, 628, "Telephoto mosaic of the delta remnant Kodiak"),
    ("rimfax", 200, 13.0, "Artuby", 6, 0, "Ground-penetrating radar along the Artuby ridge"),
    ("supercam", 466, 11.9, "Enchanted Lake", 26, 100, "Infrared spectra of delta-front strata"),
    ("sherloc", 513, 8.5, "Berry Hollow", 27, 40, "Raman and fluorescence of fine-grained sulfate-bearing sandstone"),
    ("pixl", 505, 19.8, "Thornton Gap", 27, 10, "X-ray map of a delta sandstone"),
    ("supercam", 790, 12.1, "Ouzel Falls", 38, 20, "Infrared spectra of the upper fan"),
    ("pixl", 1088, 20.1, "Bunsen Peak", 51, 30, "X-ray map of a carbonate- and silica-bearing margin rock"),
    ("meda", 315, 14.0, "atmosphere", 10, 200, "Dust opacity and pressure during a regional dust storm"),
]  # fmt: skip
COMPONENT = {
    "pixl": ("Planetary Instrument for X-ray Lithochemistry", "mars2020.pixl", "mars2020_pixl:data_processed"),
    "sherloc": ("Scanning Habitable Environments with Raman and Luminescence for Organics and Chemicals", "mars2020.sherloc", "mars2020_sherloc:data_processed"),
    "supercam": ("Spectrometer and Micro-Imager Suite (SuperCam)", "mars2020.supercam", "mars2020_supercam:data_calibrated_spectra"),
    "mastcamz": ("Mast Camera Zoom", "mars2020.mastcamz", "mars2020_mastcamz_ops_calibrated:data"),
    "rimfax": ("Radar Imager for Mars' Subsurface Experiment", "mars2020.rimfax", "mars2020_rimfax:data_calibrated"),
    "meda": ("Mars Environmental Dynamics Analyzer", "mars2020.meda", "mars2020_meda:data_derived_env"),
}  # fmt: skip
M2020_SITES = {  # site, drive -> east longitude, planetocentric latitude
    (3, 0): (77.4509, 18.4446), (5, 628): (77.4443, 18.4318), (5, 1216): (77.4441, 18.4306), (6, 0): (77.4420, 18.4290),
    (8, 0): (77.4398, 18.4330), (8, 84): (77.4401, 18.4337), (10, 200): (77.4386, 18.4351), (26, 100): (77.4020, 18.4505),
    (27, 10): (77.4040, 18.4545), (27, 40): (77.4059, 18.4590), (38, 20): (77.3880, 18.4770), (51, 30): (77.3290, 18.4990),
}  # fmt: skip


def m2020(row: tuple) -> None:
    inst, sol, hour, target, site, drive, title = row
    name, lid, collection = COMPONENT[inst]
    start = sol_to_utc("M2020", sol + hour / 24)
    clock = int((start - EPOCH).total_seconds())
    slug = "".join(c for c in target.lower() if c.isalnum())
    pid = f"{inst}_{sol:04d}_{clock:010d}_{slug}"
    ls = solar_longitude(start)
    write(
        f"m2020/{pid}.xml",
        f"""<?xml version="1.0" encoding="UTF-8"?>
<Product_Observational xmlns="http://pds.nasa.gov/pds4/pds/v1"
    xmlns:geom="http://pds.nasa.gov/pds4/geom/v1"
    xmlns:mars2020="http://pds.nasa.gov/pds4/mission/mars2020/v1"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Identification_Area>
    <logical_identifier>urn:nasa:pds:{collection}:{pid}</logical_identifier>
    <version_id>1.0</version_id>
    <title>{title}</title>
    <information_model_version>1.16.0.0</information_model_version>
    <product_class>Product_Observational</product_class>
  </Identification_Area>
  <Observation_Area>
    <Time_Coordinates>
      <start_date_time>{stamp(start)}Z</start_date_time>
      <stop_date_time>{stamp(start + timedelta(minutes=40))}Z</stop_date_time>
      <solar_longitude unit="deg">{ls:.4f}</solar_longitude>
    </Time_Coordinates>
    <Primary_Result_Summary>
      <purpose>Science</purpose>
      <processing_level>{"Derived" if inst == "meda" else "Calibrated"}</processing_level>
    </Primary_Result_Summary>
    <Investigation_Area>
      <name>Mars 2020</name>
      <type>Mission</type>
    </Investigation_Area>
    <Observing_System>
      <Observing_System_Component>
        <name>Mars 2020</name>
        <type>Host</type>
        <Internal_Reference>
          <lid_reference>urn:nasa:pds:context:instrument_host:spacecraft.mars2020</lid_reference>
          <reference_type>is_instrument_host</reference_type>
        </Internal_Reference>
      </Observing_System_Component>
      <Observing_System_Component>
        <name>{name}</name>
        <type>Instrument</type>
        <Internal_Reference>
          <lid_reference>urn:nasa:pds:context:instrument:{lid}</lid_reference>
          <reference_type>is_instrument</reference_type>
        </Internal_Reference>
      </Observing_System_Component>
    </Observing_System>
    <Target_Identification>
      <name>Mars</name>
      <type>Planet</type>
    </Target_Identification>
    <Mission_Area>
      <mars2020:Mars2020_Parameters>
        <mars2020:Observation_Information>
          <mars2020:sol_number>{sol}</mars2020:sol_number>
          <mars2020:start_local_mean_solar_time>{lmst_string("M2020", start)}</mars2020:start_local_mean_solar_time>
          <mars2020:start_solar_longitude unit="deg">{ls:.4f}</mars2020:start_solar_longitude>
        </mars2020:Observation_Information>
      </mars2020:Mars2020_Parameters>
    </Mission_Area>
    <Discipline_Area>
      <geom:Geometry>
        <geom:Geometry_Lander>
          <geom:Motion_Counter>
            <geom:Motion_Counter_Index>
              <geom:index_id>SITE</geom:index_id>
              <geom:index_value_number>{site}</geom:index_value_number>
            </geom:Motion_Counter_Index>
            <geom:Motion_Counter_Index>
              <geom:index_id>DRIVE</geom:index_id>
              <geom:index_value_number>{drive}</geom:index_value_number>
            </geom:Motion_Counter_Index>
          </geom:Motion_Counter>
          <geom:Derived_Geometry>
            <geom:target_name>{target}</geom:target_name>
          </geom:Derived_Geometry>
        </geom:Geometry_Lander>
      </geom:Geometry>
    </Discipline_Area>
  </Observation_Area>
</Product_Observational>
""",
    )


def m2020_waypoints() -> None:
    sols = {(r[4], r[5]): r[1] for r in M2020}
    features = [
        {
            "type": "Feature",
            "properties": {"RMC": f"{s}_{d}", "site": s, "drive": d, "sol": sols[s, d], "lon": lon, "lat": lat, "final": "y"},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        }
        for (s, d), (lon, lat) in M2020_SITES.items()
    ]  # fmt: skip
    write("m2020/M20_waypoints.json", json.dumps({"type": "FeatureCollection", "features": features}, indent=1) + "\n")


# --------------------------------------------------------------------------------------------- Curiosity, PDS3
# instrument id, sol, LMST hour, site, drive, target, pds3 data set, product id stem, rationale
MSL = [
    ("APXS", 46, 15.0, 3, 1276, "Jake_M", "MSL-M-APXS-4/5-RDR-V1.0", "APB_{clk}RSP0046_JAKE_M", "Alkaline rock Jake_M"),
    ("CHEMIN", 195, 22.0, 5, 802, "John_Klein", "MSL-M-CHEMIN-4-RDR-V1.0", "CMA_{clk}RDR0195_JOHN_KLEIN", "Drilled Sheepbed mudstone, John Klein"),
    ("CHEMIN", 286, 22.0, 5, 1302, "Cumberland", "MSL-M-CHEMIN-4-RDR-V1.0", "CMA_{clk}RDR0286_CUMBERLAND", "Drilled Sheepbed mudstone, Cumberland"),
    ("MAST_RIGHT", 275, 13.0, 5, 1302, "Cumberland", "MSL-M-MASTCAM-4-RDR-IMG-V1.0", "0275MR0011930000201268E01_DRCX", "Multispectral view of the Cumberland drill target"),
    ("CHEMIN", 623, 22.0, 31, 1330, "Windjana", "MSL-M-CHEMIN-4-RDR-V1.0", "CMA_{clk}RDR0623_WINDJANA", "Drilled Kimberley sandstone, Windjana"),
    ("CHEMCAM_LIBS", 628, 12.0, 31, 1330, "Yarrada", "MSL-M-CHEMCAM-LIBS-4/5-RDR-V1.0", "CL5_{clk}CCS_YARRADA", "Zinc-rich target at Kimberley"),
    ("CHEMIN", 1061, 22.0, 48, 1570, "Buckskin", "MSL-M-CHEMIN-4-RDR-V1.0", "CMA_{clk}RDR1061_BUCKSKIN", "Drilled silica-rich mudstone, Buckskin"),
    ("CHEMIN", 1230, 22.0, 51, 630, "Gobabeb", "MSL-M-CHEMIN-4-RDR-V1.0", "CMA_{clk}RDR1230_GOBABEB", "Scooped sand of Namib dune, Bagnold field"),
    ("SAM", 573, 2.0, 31, 438, "atmosphere", "MSL-M-SAM-5-RDR-V1.0", "SM{clk}_TLS_METHANE_0573", "Tunable laser measurement of methane"),
    ("DAN", 1614, 16.0, 61, 924, "traverse", "MSL-M-DAN-3/4-RDR-V1.0", "DNB_{clk}DER1614", "Neutron die-away along the traverse"),
    ("REMS", 2082, 14.0, 70, 100, "atmosphere", "MSL-M-REMS-5-MODRDR-V1.0", "RME_{clk}RMD2082", "Pressure, temperature and opacity in the MY 34 dust storm"),
    ("MAHLI", 2270, 13.0, 76, 500, "Kilmarie", "MSL-M-MAHLI-4-RDR-IMG-V1.0", "2270MH0001700010802345C00_DRCX", "Clay-bearing unit at Glen Torridon"),
]  # fmt: skip
MSL_SITES = {
    (3, 1276): (137.4462, -4.5892), (5, 802): (137.4499, -4.5895), (5, 1302): (137.4492, -4.5894), (31, 438): (137.4253, -4.6270),
    (31, 1330): (137.4184, -4.6397), (48, 1570): (137.3688, -4.7025), (51, 630): (137.3553, -4.6861), (61, 924): (137.3629, -4.7108),
    (70, 100): (137.3700, -4.7210), (76, 500): (137.3895, -4.7369),
}  # fmt: skip


def msl(row: tuple) -> None:
    inst, sol, hour, site, drive, target, dataset, stem, why = row
    start = sol_to_utc("MSL", sol + hour / 24)
    pid = stem.format(clk=int((start - EPOCH).total_seconds()))
    write(
        f"msl/{pid}.LBL",
        f"""PDS_VERSION_ID                   = PDS3
RECORD_TYPE                      = FIXED_LENGTH
DATA_SET_ID                      = "{dataset}"
INSTRUMENT_HOST_ID               = MSL
INSTRUMENT_HOST_NAME             = "MARS SCIENCE LABORATORY"
INSTRUMENT_ID                    = {inst}
MSL:LOCAL_MEAN_SOLAR_TIME        = "{lmst_string("MSL", start)}"
MISSION_NAME                     = "MARS SCIENCE LABORATORY"
PLANET_DAY_NUMBER                = {sol}
PRODUCER_INSTITUTION_NAME        = "MULTIMISSION INSTRUMENT PROCESSING LAB,
                                   JET PROPULSION LAB"
PRODUCT_ID                       = "{pid}"
PRODUCT_VERSION_ID               = "V1.0"
RATIONALE_DESC                   = "{why}, target {target}"
ROVER_MOTION_COUNTER             = ({site},{drive},0,0,0,0,0,0,0,0)
ROVER_MOTION_COUNTER_NAME        = (SITE, DRIVE, POSE, ARM, CHIMRA,
                                   DRILL, RSM, HGA, DRT, IC)
SOLAR_LONGITUDE                  = {solar_longitude(start):.3f}
START_TIME                       = {stamp(start)}
STOP_TIME                        = {stamp(start + timedelta(minutes=30))}
TARGET_NAME                      = MARS
TARGET_TYPE                      = PLANET
PROCESSING_HISTORY_TEXT          = "CODMAC LEVEL 4"
END
""",
    )


def msl_localization() -> None:
    lines = ["frame,site,drive,pose,landing_x,landing_y,landing_z,northing,easting,planetocentric_latitude,planetodetic_latitude,longitude,elevation,sol,sclk"]  # fmt: skip
    sols = {(r[3], r[4]): r[1] for r in MSL}
    body = get_body("Mars")
    from areorag.planet.coordinates import planetocentric_to_planetographic

    for (s, d), (lon, lat) in MSL_SITES.items():
        graphic = float(planetocentric_to_planetographic(lat, body))
        lines.append(f"ROVER,{s},{d},0,0,0,0,0,0,{lat},{graphic:.6f},{lon},-4500,{sols[s, d]},0")
    write("msl/localized_interp.csv", "\n".join(lines) + "\n")


def zhurong() -> None:
    """Science data index of the Zhurong rover, as a table: Tianwen-1 product name, instrument, place and time."""
    lines = [
        "data_id,instrument,level,start_time,stop_time,sol,longitude_deg_e,latitude_deg_n,ls_deg,target,description"
    ]
    rows = [
        ("HX1-Ro_GRAS_MSCAM-2B_SCI_P", "MSCam", "2B", 20, 109.925, 25.066, "landing area soil", "Multispectral view of the landing area"),
        ("HX1-Ro_GRAS_MarSCoDe-2B_SCI_P", "MarSCoDe", "2B", 57, 109.924, 25.056, "duricrust", "Laser and short-wave infrared spectra of platy rocks"),
        ("HX1-Ro_GRAS_MarSCoDe-2B_SCI_P", "MarSCoDe", "2B", 105, 109.922, 25.050, "bright platy rock", "Short-wave infrared spectra of bright crusts"),
        ("HX1-Ro_GRAS_RoPeR-2B_SCI_P", "RoPeR", "2B", 96, 109.923, 25.052, "subsurface", "Low-frequency ground-penetrating radar profile, 15 to 80 m depth"),
        ("HX1-Ro_GRAS_MCS-2B_SCI_P", "MCS", "2B", 107, 109.922, 25.049, "atmosphere", "Pressure, temperature and wind"),
        ("HX1-Ro_GRAS_MSCAM-2B_SCI_P", "MSCam", "2B", 266, 109.917, 25.041, "dune surface", "Crusts and cracks on a barchan dune"),
    ]  # fmt: skip
    for pid, inst, level, sol, lon, lat, target, text in rows:
        start = sol_to_utc("Zhurong", sol + 0.5)
        pid, stop = f"{pid}_{start:%Y%m%d}", start + timedelta(minutes=25)
        lines.append(
            f"{pid},{inst},{level},{stamp(start)}Z,{stamp(stop)}Z,{sol},{lon},{lat},{solar_longitude(start):.3f},{target},{text}"
        )
    write("zhurong/zhurong_index.csv", "\n".join(lines) + "\n")


def main() -> None:
    if OUT.exists():
        shutil.rmtree(OUT)
    for rows, one in ((HIRISE, hirise), (CRISM, crism), (MOLA, mola), (M2020, m2020), (MSL, msl)):
        for row in rows:
            one(row)
    for whole in (ctx_index, dtm, ode, m2020_waypoints, msl_localization, zhurong):
        whole()
    print(f"{sum(1 for p in OUT.rglob('*') if p.is_file())} files, "
          f"{len(HIRISE) + len(CTX) + len(CRISM) + len(MOLA) + 1 + 4 + len(M2020) + len(MSL) + 6} observations")  # fmt: skip


if __name__ == "__main__":
    main()
