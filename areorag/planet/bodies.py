"""Bodies and their sizes: the one place where a length gets its radius (AreoRAG §III-B, frames).

Every function of the project that turns an angle into metres takes a `Body`; nothing assumes Mars, and libraries whose
default is the Earth are always given a radius. Sizes: IAU Working Group on Cartographic Coordinates and Rotational
Elements, report 2015 (Archinal et al. 2018); Earth: WGS 84.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..errors import GeometryError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Body:
    """An ellipsoid of revolution.

    Attributes
    ----------
    name : how the IAU writes it
    equatorial_radius_m, polar_radius_m : semi-axes, metres. Distances and areas on the body use the equatorial radius
        (a sphere); the ellipsoid's difference is at most 0.6 % for Mars.
    prograde : sense of rotation; it fixes the sense of planetographic longitude.
    west_positive : planetographic longitude grows to the west (prograde bodies, but not Earth and Moon).
    aliases : other names, lower case.
    """

    name: str
    equatorial_radius_m: float
    polar_radius_m: float
    prograde: bool = True
    west_positive: bool = True
    aliases: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for value in (self.equatorial_radius_m, self.polar_radius_m):
            if not (math.isfinite(value) and value > 0):
                raise GeometryError(f"body {self.name}: radius {value} m is not a positive number")

    @property
    def radius_m(self) -> float:
        """Radius of the sphere on which lengths are measured, metres."""
        return self.equatorial_radius_m

    @property
    def flattening(self) -> float:
        """f = (a - b) / a."""
        return (self.equatorial_radius_m - self.polar_radius_m) / self.equatorial_radius_m

    @property
    def metres_per_degree(self) -> float:
        """Length of one degree of the equator (Mars: 59,274.7 m)."""
        return math.radians(1.0) * self.equatorial_radius_m


_BODIES: tuple[Body, ...] = (
    Body("Mars", 3_396_190.0, 3_376_200.0, aliases=("499", "planet mars", "iau_mars", "marte")),
    Body("Moon", 1_737_400.0, 1_737_400.0, west_positive=False, aliases=("301", "luna", "the moon", "lune", "mond")),
    Body("Earth", 6_378_137.0, 6_356_752.314245, west_positive=False, aliases=("399", "terra", "world", "wgs84")),
    Body("Mercury", 2_440_530.0, 2_438_260.0, aliases=("199",)),
    Body("Venus", 6_051_800.0, 6_051_800.0, prograde=False, west_positive=False, aliases=("299",)),
    Body("Phobos", 13_000.0, 9_100.0, aliases=("401",)),
    Body("Deimos", 7_800.0, 5_100.0, aliases=("402",)),
    Body("Ceres", 487_300.0, 446_000.0, west_positive=False, aliases=("1 ceres", "2000001")),
    Body("Vesta", 289_000.0, 229_000.0, west_positive=False, aliases=("4 vesta", "2000004")),
    Body("Jupiter", 71_492_000.0, 66_854_000.0, aliases=("599",)),
    Body("Io", 1_829_400.0, 1_815_700.0, aliases=("501",)),
    Body("Europa", 1_562_600.0, 1_559_500.0, aliases=("502",)),
    Body("Ganymede", 2_631_200.0, 2_631_200.0, aliases=("503",)),
    Body("Callisto", 2_410_300.0, 2_410_300.0, aliases=("504",)),
    Body("Saturn", 60_268_000.0, 54_364_000.0, aliases=("699",)),
    Body("Enceladus", 256_600.0, 248_300.0, aliases=("602",)),
    Body("Titan", 2_575_150.0, 2_574_470.0, aliases=("606",)),
    Body("Uranus", 25_559_000.0, 24_973_000.0, prograde=False, west_positive=False, aliases=("799",)),
    Body("Neptune", 24_764_000.0, 24_341_000.0, aliases=("899",)),
    Body("Triton", 1_352_600.0, 1_352_600.0, prograde=False, west_positive=False, aliases=("801",)),
    Body("Pluto", 1_188_300.0, 1_188_300.0, west_positive=False, aliases=("999", "134340 pluto")),
    Body("Charon", 606_000.0, 606_000.0, west_positive=False, aliases=("901",)),
)

MARS, MOON, EARTH, MERCURY, VENUS = _BODIES[:5]


def all_bodies() -> tuple[Body, ...]:
    """Every body known by name."""
    return _BODIES


def get_body(name: str | Body) -> Body:
    """The body of that name (case, spaces and NAIF numbers are understood); a `Body` is handed back.

    Raises
    ------
    UnknownNameError
        No such body; build one with ``Body(name, equatorial_radius_m, polar_radius_m)``.

    Examples
    --------
    >>> get_body("mars").equatorial_radius_m
    3396190.0
    """
    if isinstance(name, Body):
        return name
    key = " ".join(str(name).replace("_", " ").split()).casefold()
    for body in _BODIES:
        if key == body.name.casefold() or key in body.aliases or key.replace(" ", "_") in body.aliases:
            return body
    raise UnknownNameError(f"no body called {name!r}. Build one with Body(name, equatorial_radius_m, polar_radius_m)")
