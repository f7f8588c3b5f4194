"""Landed missions: where and when they came down, and how they count sols (METHODS §1, in-situ frames).

A mission counts whole local days from its landing day, which it calls sol 0 or sol 1. Three clocks occur:

``lmst``  local mean solar time of the landing site's longitude (MSL, M2020, InSight, Phoenix, Zhurong);
``ltst``  local true solar time (Mars Pathfinder);
``epoch`` a mean-sol clock started at a given instant (the Vikings' local lander time; the hybrid clock of the MERs).

Sources: mission landing reports and the local-time clock kernels published by NAIF; epochs in UTC at the spacecraft.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..errors import UnknownNameError
from . import marstime

Clock = Literal["lmst", "ltst", "epoch"]


@dataclass(frozen=True, slots=True)
class Mission:
    """A lander or rover of Mars.

    Attributes
    ----------
    lon_deg, lat_deg : landing site, east and planetocentric degrees (the clock's longitude for ``lmst``)
    first_sol : number of the landing sol
    epoch : start of the landing sol for the ``epoch`` clock
    last_sol : last sol with data, where the mission has ended
    clock_lon_deg : longitude of the ``lmst`` clock where it is not the site's: MSL and M2020 kept that of the centre of
        the landing ellipse chosen before arrival (recovered from their labels to 0.003°, 0.7 s)
    """

    name: str
    title: str
    landed: datetime
    lon_deg: float
    lat_deg: float
    first_sol: int
    clock: Clock = "lmst"
    epoch: datetime | None = None
    aliases: tuple[str, ...] = ()
    last_sol: int | None = None
    clock_lon_deg: float | None = None


def _t(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


_MISSIONS: tuple[Mission, ...] = (
    Mission("MSL", "Curiosity", _t("2012-08-06T05:17:57"), 137.4417, -4.5895, 0,
            aliases=("curiosity", "mars science laboratory", "msl rover"), clock_lon_deg=137.4177),
    Mission("M2020", "Perseverance", _t("2021-02-18T20:43:49"), 77.4509, 18.4447, 0,
            aliases=("perseverance", "mars 2020", "mars2020", "mars 2020 rover", "percy", "ingenuity"),
            clock_lon_deg=77.4278),
    Mission("MER-A", "Spirit", _t("2004-01-04T04:26:00"), 175.4729, -14.5692, 1, "epoch",
            _t("2004-01-03T13:36:15.420"), ("spirit", "mer2", "mera", "mer a", "mars exploration rover a"), 2210),
    Mission("MER-B", "Opportunity", _t("2004-01-25T04:55:00"), 354.4734, -1.9462, 1, "epoch",
            _t("2004-01-24T15:08:59.814"), ("opportunity", "mer1", "merb", "mer b", "oppy",
                                            "mars exploration rover b"), 5111),
    Mission("InSight", "InSight", _t("2018-11-26T19:44:52"), 135.6234, 4.5024, 0,
            aliases=("nsyt", "insight lander"), last_sol=1440),
    Mission("Phoenix", "Phoenix", _t("2008-05-25T23:38:24"), 234.2488, 68.2188, 0,
            aliases=("phx", "phoenix lander", "phoenix mars lander"), last_sol=152),
    Mission("MPF", "Mars Pathfinder", _t("1997-07-04T16:56:55"), 326.7477, 19.0949, 1, "ltst",
            aliases=("pathfinder", "mars pathfinder", "sojourner"), last_sol=83),
    Mission("VL1", "Viking Lander 1", _t("1976-07-20T11:53:06"), 312.0486, 22.2692, 0, "epoch",
            _t("1976-07-19T19:13:08.7"), ("viking lander 1", "viking 1 lander", "viking 1", "viking lander-1"), 2245),
    Mission("VL2", "Viking Lander 2", _t("1976-09-03T22:37:50"), 134.2814, 47.6680, 0, "epoch",
            _t("1976-09-03T12:32:33.3"), ("viking lander 2", "viking 2 lander", "viking 2", "viking lander-2"), 1281),
    Mission("Zhurong", "Zhurong", _t("2021-05-14T23:18:00"), 109.925, 25.066, 1,
            aliases=("tianwen-1 rover", "tianwen-1", "tianwen 1", "zhurong rover"), last_sol=358),
)  # fmt: skip


def all_missions() -> tuple[Mission, ...]:
    """Every mission with a sol count."""
    return _MISSIONS


def _key(name: str) -> str:
    return " ".join(re.sub(r"[\s_]+", " ", name).split()).casefold()


@cache
def _by_key() -> dict[str, Mission]:
    out: dict[str, Mission] = {}
    for mission in _MISSIONS:
        for name in (mission.name, mission.title, *mission.aliases):
            key = _key(name)
            out[key] = mission
            out[key.replace("-", " ")] = mission
            out[key.replace("-", "").replace(" ", "")] = mission
    return out


def find_mission(name: str) -> Mission | None:
    """The mission of that name, rover name or host id (``MER2`` is Spirit), or None."""
    key = _key(name)
    table = _by_key()
    return table.get(key) or table.get(key.replace("-", " ")) or table.get(key.replace("-", "").replace(" ", ""))


def get_mission(name: str | Mission) -> Mission:
    """The mission of that name.

    Raises
    ------
    UnknownNameError
        No mission of that name counts sols here.
    """
    if isinstance(name, Mission):
        return name
    mission = find_mission(name)
    if mission is None:
        known = ", ".join(m.name for m in _MISSIONS)
        raise UnknownNameError(f"no mission called {name!r} with a sol count. Known: {known}")
    return mission


def _phase(mission: Mission, unix_s: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Local days since some midnight of the mission's clock, (n,)."""
    t = np.asarray(unix_s, dtype=float)
    if mission.clock == "epoch":
        assert mission.epoch is not None
        return np.asarray((t + marstime.tt_minus_utc(t) - _epoch_tt(mission)) / marstime.SOL_SECONDS)
    days = marstime.msd_unix(t) + _clock_lon(mission) / 360.0
    return np.asarray(days + marstime.eot_deg_unix(t) / 360.0 if mission.clock == "ltst" else days)


def _clock_lon(mission: Mission) -> float:
    return mission.lon_deg if mission.clock_lon_deg is None else mission.clock_lon_deg


def _epoch_tt(mission: Mission) -> float:
    assert mission.epoch is not None
    t = marstime.to_unix(mission.epoch)
    return t + float(marstime.tt_minus_utc(t))


@cache
def _landing_day(mission: Mission) -> float:
    return float(np.floor(_phase(mission, marstime.to_unix(mission.landed))))


def mission_sol_fraction_unix(mission: str | Mission, unix_s: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Sol number and fraction of the local day, (n,); negative before landing."""
    m = get_mission(mission)
    return np.asarray(_phase(m, unix_s) - _landing_day(m) + m.first_sol)


def mission_sol(mission: str | Mission, dt: datetime) -> int:
    """Number of the sol an instant falls in.

    Examples
    --------
    >>> mission_sol("MSL", datetime(2012, 8, 6, 5, 17, 57, tzinfo=UTC))
    0
    """
    return int(np.floor(mission_sol_fraction_unix(mission, marstime.to_unix(dt))))


def sol_to_utc(mission: str | Mission, sol: float) -> datetime:
    """UTC at which a sol begins (local midnight of the mission's clock); a fraction is a time of that day."""
    m = get_mission(mission)
    days = float(sol) - m.first_sol + _landing_day(m)
    if m.clock == "epoch":
        tt = _epoch_tt(m) + days * marstime.SOL_SECONDS
        unix = tt
        for _ in range(2):
            unix = tt - float(marstime.tt_minus_utc(unix))
        return marstime.from_unix(unix)
    unix = float(marstime.unix_from_msd(days - _clock_lon(m) / 360.0))
    if m.clock == "ltst":
        for _ in range(6):
            unix += (days - float(_phase(m, unix))) * marstime.SOL_SECONDS
    return marstime.from_unix(unix)


def lmst_string(mission: str | Mission, dt: datetime) -> str:
    """``Sol-01614M15:56:24``: the form the labels of MSL and M2020 use."""
    value = float(mission_sol_fraction_unix(mission, marstime.to_unix(dt)))
    sol = int(np.floor(value))
    return f"Sol-{sol:05d}M{marstime.hms((value - sol) * 24.0)}"


_LMST = re.compile(r"^\s*(?:sol[-_ ]?)?(\d{1,5})\s*[MAT]\s*(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)", re.IGNORECASE)


def parse_lmst(text: str) -> tuple[int, float] | None:
    """(sol, Mars hours) of ``Sol-01614M15:56:24.253``; None where the text has another form."""
    match = _LMST.match(text)
    if match is None:
        return None
    sol, h, m, s = match.groups()
    return int(sol), int(h) + int(m) / 60.0 + float(s) / 3600.0
