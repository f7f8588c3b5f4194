"""Mars time: solar longitude, Mars Year, sol, local mean and true solar time, both directions (METHODS §1).

References
----------
.. [1] Allison, M. & McEwen, M. (2000), Planet. Space Sci. 48, 215-235, with the coefficients NASA GISS has since
   published for Mars24 (the series below: 7 planetary perturbers, valid to 0.01° for 1874-2127).
.. [2] Clancy, R. T. et al. (2000), J. Geophys. Res. 105, 9553: Mars Year 1 begins 1955-04-11 (L_s = 0).
.. [3] IERS Bulletin C: leap seconds. No positive leap second has been announced after 2017-01-01.

Scalars are aware `datetime` (naive ones are taken as UTC); the ``*_unix`` functions take arrays of POSIX seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError

FloatArray = npt.NDArray[np.float64]

SOL_SECONDS = 88_775.244_147
"""Length of a mean solar day of Mars, SI seconds."""
J2000_UNIX = 946_728_000.0
"""2000-01-01T12:00:00 as POSIX seconds."""

# (UTC date from which it holds, TAI - UTC)
_LEAPS = (
    ("1972-01-01", 10), ("1972-07-01", 11), ("1973-01-01", 12), ("1974-01-01", 13), ("1975-01-01", 14),
    ("1976-01-01", 15), ("1977-01-01", 16), ("1978-01-01", 17), ("1979-01-01", 18), ("1980-01-01", 19),
    ("1981-07-01", 20), ("1982-07-01", 21), ("1983-07-01", 22), ("1985-07-01", 23), ("1988-01-01", 24),
    ("1990-01-01", 25), ("1991-01-01", 26), ("1992-07-01", 27), ("1993-07-01", 28), ("1994-07-01", 29),
    ("1996-01-01", 30), ("1997-07-01", 31), ("1999-01-01", 32), ("2006-01-01", 33), ("2009-01-01", 34),
    ("2012-07-01", 35), ("2015-07-01", 36), ("2017-01-01", 37),
)  # fmt: skip
_LEAP_UNIX = np.array([datetime.fromisoformat(d).replace(tzinfo=UTC).timestamp() for d, _ in _LEAPS])
_LEAP_TAI = np.array([float(n) for _, n in _LEAPS])
# before 1972 there are no leap seconds: TT - UT by year (Astronomical Almanac, rounded)
_DT_YEAR = np.array([1870.0, 1900.0, 1920.0, 1940.0, 1950.0, 1955.0, 1960.0, 1965.0, 1970.0, 1972.0])
_DT_SECONDS = np.array([1.6, -2.7, 21.2, 24.3, 29.1, 31.1, 33.2, 35.7, 40.2, 42.184])

_A = np.array([0.0071, 0.0057, 0.0039, 0.0037, 0.0021, 0.0020, 0.0018])
_TAU = np.array([2.2353, 2.7543, 1.1177, 15.7866, 2.1354, 2.4694, 32.8493])
_PHI = np.array([49.409, 168.173, 191.837, 21.736, 15.704, 95.528, 49.095])


@dataclass(frozen=True, slots=True)
class MarsTime:
    """`ls_deg` in [0, 360), Mars Year, Mars sol date (days of the prime meridian), equation of time (degrees)."""

    ls_deg: float
    mars_year: int
    msd: float
    eot_deg: float

    @property
    def cumulative_ls_deg(self) -> float:
        """360 · Mars Year + L_s: the age that conflict triage differences (METHODS §5)."""
        return 360.0 * self.mars_year + self.ls_deg


def to_unix(dt: datetime) -> float:
    """POSIX seconds of an aware datetime; a naive one is UTC."""
    return (dt.replace(tzinfo=UTC) if dt.tzinfo is None else dt).timestamp()


def from_unix(seconds: float) -> datetime:
    """Aware UTC datetime of POSIX seconds, also before 1970."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(seconds))
    except (OverflowError, ValueError) as exc:
        raise GeometryError(f"time {seconds} s is outside the calendar") from exc


def tt_minus_utc(unix_s: npt.ArrayLike) -> FloatArray:
    """TT - UTC in seconds: 32.184 + leap seconds from 1972 on, the tabulated TT - UT before."""
    t = np.asarray(unix_s, dtype=float)
    index = np.searchsorted(_LEAP_UNIX, t, side="right") - 1
    leap = 32.184 + _LEAP_TAI[np.maximum(index, 0)]
    year = 1970.0 + t / 31_556_952.0
    return np.where(index < 0, np.interp(year, _DT_YEAR, _DT_SECONDS), leap)


def _days_tt(unix_s: npt.ArrayLike) -> FloatArray:
    t = np.asarray(unix_s, dtype=float)
    return np.asarray((t - J2000_UNIX + tt_minus_utc(t)) / 86_400.0)


def _orbit(days_tt: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(cumulative L_s in degrees with L_s = 0 of Mars Year 24 at 0, equation of centre in degrees); [1]_ eqs. 16-19."""
    d = np.asarray(days_tt, dtype=float)
    m = np.radians(19.3871 + 0.52402073 * d)
    fms = 270.3871 + 0.524038496 * d
    pbs = (_A * np.cos(np.radians((0.985626 / _TAU) * d[..., None] + _PHI))).sum(axis=-1)
    centre = (
        (10.691 + 3.0e-7 * d) * np.sin(m)
        + 0.623 * np.sin(2 * m)
        + 0.050 * np.sin(3 * m)
        + 0.005 * np.sin(4 * m)
        + 0.0005 * np.sin(5 * m)
        + pbs
    )
    return fms + centre, centre


def cumulative_ls_unix(unix_s: npt.ArrayLike) -> FloatArray:
    """360 · Mars Year + L_s, degrees, continuous; (n,) POSIX seconds in, (n,) out."""
    return np.asarray(_orbit(_days_tt(unix_s))[0] + 360.0 * 24)


def solar_longitude_unix(unix_s: npt.ArrayLike) -> FloatArray:
    """L_s in [0, 360), degrees."""
    ls = np.mod(_orbit(_days_tt(unix_s))[0], 360.0)
    return np.asarray(np.where(ls >= 360.0, 0.0, ls))


def mars_year_unix(unix_s: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Mars Year after Clancy et al. [2]_ (0 and negative before 1955-04-11)."""
    return np.floor(cumulative_ls_unix(unix_s) / 360.0).astype(np.int64)


def msd_unix(unix_s: npt.ArrayLike) -> FloatArray:
    """Mars sol date: mean solar days at the prime meridian; [1]_ eq. 32 with Mars24's epoch."""
    return np.asarray((_days_tt(unix_s) - 4.5) / 1.0274912517 + 44_796.0 - 0.0009626)


def eot_deg_unix(unix_s: npt.ArrayLike) -> FloatArray:
    """Equation of time, degrees (15° = 1 Mars hour): true minus mean; [1]_ eq. 20."""
    cumulative, centre = _orbit(_days_tt(unix_s))
    ls = np.radians(cumulative)
    return np.asarray(2.861 * np.sin(2 * ls) - 0.071 * np.sin(4 * ls) + 0.002 * np.sin(6 * ls) - centre)


def mars_time(dt: datetime) -> MarsTime:
    """Everything of one instant."""
    t = np.array([to_unix(dt)])
    return MarsTime(
        float(solar_longitude_unix(t)[0]), int(mars_year_unix(t)[0]), float(msd_unix(t)[0]), float(eot_deg_unix(t)[0])
    )


def solar_longitude(dt: datetime) -> float:
    """L_s in [0, 360), degrees.

    Examples
    --------
    >>> round(solar_longitude(datetime(2000, 1, 6, 0, 0, tzinfo=UTC)), 2)
    277.19
    """
    return float(solar_longitude_unix(np.array([to_unix(dt)]))[0])


def mars_year(dt: datetime) -> int:
    """Mars Year (MY 1 began 1955-04-11)."""
    return int(mars_year_unix(np.array([to_unix(dt)]))[0])


def unix_from_cumulative_ls(cumulative_deg: npt.ArrayLike) -> FloatArray:
    """Inverse of `cumulative_ls_unix`: Newton on the series (its slope stays between 0.43 and 0.66 °/day)."""
    target = np.asarray(cumulative_deg, dtype=float) - 360.0 * 24
    days = np.array((target - 270.3871) / 0.524038496)
    for _ in range(30):
        value, _centre = _orbit(days)
        slope = (_orbit(days + 0.5)[0] - _orbit(days - 0.5)[0]) / 1.0
        step = (target - value) / slope
        days = days + step
        if np.all(np.abs(step) < 1e-10):
            break
    unix = J2000_UNIX + days * 86_400.0
    for _ in range(2):  # TT -> UTC depends on UTC
        unix = J2000_UNIX + days * 86_400.0 - tt_minus_utc(unix)
    return np.asarray(unix)


def from_ls(mars_year: int, ls_deg: float) -> datetime:
    """UTC of an L_s of a Mars Year.

    Raises
    ------
    GeometryError
        L_s outside [0, 360].
    """
    if not 0.0 <= ls_deg <= 360.0:
        raise GeometryError(f"L_s {ls_deg} is outside [0, 360] degrees")
    return from_unix(float(unix_from_cumulative_ls(np.array(360.0 * mars_year + ls_deg))))


def ls_interval_unix(mars_year: int, ls_min: float, ls_max: float) -> tuple[float, float]:
    """POSIX seconds at which an L_s interval of a Mars Year begins and ends; one that wraps ends a year later."""
    end = 360.0 * mars_year + ls_max + (360.0 if ls_max < ls_min else 0.0)
    out = unix_from_cumulative_ls(np.array([360.0 * mars_year + ls_min, end]))
    return float(out[0]), float(out[1])


def lmst(dt: datetime, lon_east_deg: float) -> float:
    """Local mean solar time, Mars hours in [0, 24)."""
    return float(np.mod(24.0 * (msd_unix(np.array([to_unix(dt)]))[0] + lon_east_deg / 360.0), 24.0))


def ltst(dt: datetime, lon_east_deg: float) -> float:
    """Local true solar time, Mars hours in [0, 24): mean + equation of time."""
    return float(np.mod(lmst(dt, lon_east_deg) + eot_deg_unix(np.array([to_unix(dt)]))[0] / 15.0, 24.0))


def unix_from_msd(msd: npt.ArrayLike) -> FloatArray:
    """POSIX seconds of a Mars sol date."""
    days = (np.asarray(msd, dtype=float) - 44_796.0 + 0.0009626) * 1.0274912517 + 4.5
    unix = J2000_UNIX + days * 86_400.0
    for _ in range(2):
        unix = J2000_UNIX + days * 86_400.0 - tt_minus_utc(unix)
    return np.asarray(unix)


def hms(hours: float) -> str:
    """``HH:MM:SS`` of Mars hours, never 24:00:00."""
    seconds = min(86_399, int(np.mod(hours, 24.0) * 3600.0 + 1e-6))
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def __getattr__(name: str) -> Any:
    """Mission sols live in `missions`; their names are reachable here too."""
    if name in {"Mission", "get_mission", "all_missions", "mission_sol", "sol_to_utc", "lmst_string", "parse_lmst"}:
        from . import missions

        return getattr(missions, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
