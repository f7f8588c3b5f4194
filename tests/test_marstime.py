"""Mars time against labels, an independent package, published instants, and its own inverse."""

from __future__ import annotations

import re
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import GeometryError, UnknownNameError
from areorag.planet import marstime as mt
from areorag.planet.missions import (
    all_missions,
    find_mission,
    get_mission,
    lmst_string,
    mission_sol,
    mission_sol_fraction_unix,
    parse_lmst,
    sol_to_utc,
)

ARCHIVE = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "archive"
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2045, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def off(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


# L_s of published events: mission landings and the equinoxes and solstices of the Mars calendar
@pytest.mark.parametrize(
    ("when", "ls", "within"),
    [
        ("2000-01-06T00:00:00", 277.18758, 1e-3),  # Allison & McEwen's worked example
        ("2004-01-04T04:35:00", 327.7, 0.05),
        ("2012-08-06T05:18:00", 150.7, 0.05),
        ("2021-05-03T15:24:36.516", 40.1481, 0.02),
        ("2023-03-23T23:14:12.664", 41.210, 0.02),
        ("2018-12-11T07:30:42.598", 304.290, 0.035),  # InSight's labels differ by 0.03° from those of the rovers
        ("2019-03-31T23:36:01.945", 4.187, 0.035),
        ("2021-02-18T20:55:00", 5.5, 0.15),
        ("1976-07-20T11:53:06", 97.0, 0.2),
    ],
)
def test_solar_longitude_of_known_instants(when: str, ls: float, within: float) -> None:
    assert off(mt.solar_longitude(utc(when)), ls) < within


@pytest.mark.parametrize(
    ("year", "begins"),
    [(1, "1955-04-11"), (12, "1975-12-19"), (24, "1998-07-14"), (25, "2000-05-31"), (34, "2017-05-05"),
     (35, "2019-03-23"), (36, "2021-02-07"), (37, "2022-12-26"), (38, "2024-11-12")],
)  # fmt: skip
def test_mars_years_begin_on_the_published_dates(year: int, begins: str) -> None:
    assert mt.from_ls(year, 0.0).date().isoformat() == begins
    assert mt.mars_year(utc(begins) + timedelta(days=1, hours=1)) == year
    assert mt.mars_year(utc(begins) - timedelta(days=1)) == year - 1


@settings(max_examples=60)
@given(INSTANTS)
def test_solar_longitude_and_year_lead_back_to_the_instant(when: datetime) -> None:
    clock = mt.mars_time(when)
    assert 0 <= clock.ls_deg < 360
    back = mt.from_ls(clock.mars_year, clock.ls_deg)
    assert abs((back - when).total_seconds()) < 1.05  # a leap second apart at most


@settings(max_examples=40)
@given(INSTANTS, st.sampled_from([m.name for m in all_missions()]))
def test_sols_lead_back_to_the_instant(when: datetime, mission: str) -> None:
    sol = float(mission_sol_fraction_unix(mission, mt.to_unix(when)))
    # an instant inside a leap second has no other name in UTC
    assert abs((sol_to_utc(mission, sol) - when).total_seconds()) < 1.001
    assert mission_sol(mission, when) == int(np.floor(sol))


def test_vectors_and_scalars_agree() -> None:
    days = [utc("1969-12-31T23:59:00") + timedelta(days=397 * k) for k in range(60)]
    unix = np.array([mt.to_unix(d) for d in days])
    assert mt.solar_longitude_unix(unix) == pytest.approx([mt.solar_longitude(d) for d in days], abs=1e-12)
    assert mt.mars_year_unix(unix).tolist() == [mt.mars_year(d) for d in days]


def test_the_independent_package_agrees() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = pytest.importorskip("mars_time")
    for k in range(25):
        when = utc("1990-01-01") + timedelta(days=500 * k)
        theirs = other.datetime_to_marstime(when)
        ours = mt.mars_time(when)
        assert theirs.year == ours.mars_year
        assert off(theirs.solar_longitude, ours.ls_deg) < 0.02


def test_leap_seconds_count_and_times_before_them_are_smooth() -> None:
    assert float(mt.tt_minus_utc(mt.to_unix(utc("2020-01-01")))) == pytest.approx(69.184)
    assert float(mt.tt_minus_utc(mt.to_unix(utc("1999-06-01")))) == pytest.approx(64.184)
    assert float(mt.tt_minus_utc(mt.to_unix(utc("2016-12-31T23:59:59")))) == pytest.approx(68.184)
    assert 30 < float(mt.tt_minus_utc(mt.to_unix(utc("1955-04-11")))) < 33


def test_naive_times_are_utc_and_offsets_are_honoured() -> None:
    naive = datetime(2021, 2, 18, 20, 55)
    assert mt.solar_longitude(naive) == mt.solar_longitude(naive.replace(tzinfo=UTC))
    shifted = datetime.fromisoformat("2021-02-18T21:55:00+01:00")
    assert mt.solar_longitude(shifted) == mt.solar_longitude(naive)


def test_local_times_lie_in_a_day_and_differ_by_longitude() -> None:
    when = utc("2012-08-06T05:17:57")
    assert mt.lmst(when, 137.4417) == pytest.approx(15.05, abs=0.02)
    assert (mt.lmst(when, 152.4417) - mt.lmst(when, 137.4417)) % 24 == pytest.approx(1.0, abs=1e-9)
    assert 0 <= mt.ltst(when, 137.4417) < 24


def test_an_interval_that_wraps_ends_in_the_next_year() -> None:
    begin, end = mt.ls_interval_unix(36, 350.0, 20.0)
    assert 0 < end - begin < 100 * 86_400
    assert mt.mars_year_unix(np.array([begin, end])).tolist() == [36, 37]


def test_a_solar_longitude_out_of_range_is_refused() -> None:
    with pytest.raises(GeometryError):
        mt.from_ls(36, 400.0)


def test_missions_are_found_by_rover_name_host_id_and_spelling() -> None:
    assert get_mission("Perseverance").name == "M2020"
    assert get_mission("mars2020").name == "M2020"
    assert get_mission("MER2").name == "MER-A"
    assert get_mission("mer-b").title == "Opportunity"
    assert find_mission("Apollo 11") is None
    with pytest.raises(UnknownNameError):
        get_mission("Apollo 11")


@pytest.mark.parametrize("mission", [m.name for m in all_missions()])
def test_the_landing_falls_on_the_first_sol(mission: str) -> None:
    m = get_mission(mission)
    assert mission_sol(m, m.landed) == m.first_sol
    assert mission_sol(m, m.landed - timedelta(days=2)) < m.first_sol


@pytest.mark.parametrize(
    ("mission", "when", "clock", "seconds"),
    [
        ("MSL", "2023-03-23T23:14:12.664", "Sol-03778M12:22:38.9", 1.5),
        ("MSL", "2012-08-30T17:59:23.435", "Sol-00024M11:59:31.1", 1.5),
        ("M2020", "2021-05-03T15:24:36.516", "Sol-00072M11:11:35.4", 1.5),
        ("InSight", "2019-06-23T07:39:50.783", "Sol-00203M12:11:14.0", 1.5),
    ],
)
def test_mission_clocks_read_what_the_labels_say(mission: str, when: str, clock: str, seconds: float) -> None:
    read = parse_lmst(clock)
    assert read is not None
    value = float(mission_sol_fraction_unix(mission, mt.to_unix(utc(when))))
    assert abs(value - (read[0] + read[1] / 24)) * mt.SOL_SECONDS < seconds
    assert lmst_string(mission, utc(when)).startswith(clock[:10])


def test_what_is_no_local_time_is_not_read_as_one() -> None:
    assert parse_lmst("not applicable") is None
    assert parse_lmst("10.18") is None
    assert mt.hms(23.9999999999) == "23:59:59"


def _label(path: Path) -> str:
    return path.read_bytes()[:60_000].decode("latin-1")


def _value(text: str, key: str) -> str | None:
    match = re.search(rf'(?:^|[\s:]){key}\s*=\s*"?([^"\r\n]+)', text)
    return match.group(1).strip() if match else None


@pytest.mark.shared
def test_labels_of_the_sample_archive_agree_to_two_hundredths_of_a_degree() -> None:
    if not ARCHIVE.is_dir():
        pytest.skip("the shared sample archive is not here")
    worst, count = 0.0, 0
    for path in sorted(p for p in ARCHIVE.rglob("*") if p.is_file()):
        text = _label(path)
        ls, start = _value(text, "SOLAR_LONGITUDE"), _value(text, "START_TIME")
        try:
            label = float(re.match(r"[-\d.]+", ls or "").group())  # type: ignore[union-attr]
            when = datetime.fromisoformat((start or "").rstrip("Z")).replace(tzinfo=UTC)
        except (AttributeError, ValueError):
            continue
        worst, count = max(worst, off(mt.solar_longitude(when), label)), count + 1
        sol = _value(text, "PLANET_DAY_NUMBER")
        if sol:
            mission = {"2M": "MER-A", "1M": "MER-B"}.get(path.name[:2], "MSL")
            assert mission_sol(mission, when) == int(sol), path.name
    assert count >= 8
    assert worst < 0.02
