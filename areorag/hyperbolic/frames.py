"""Cross-reference-frame alignment: site frames to areocentric coordinates, then the transvection (AreoRAG §III-B 4).

Two different things, in this order:

1. *Physical*: rover coordinates (metres north, east of a site's origin, as localisation tables give them) to
   longitude and planetocentric latitude: :func:`site_to_lonlat`. It says where a measurement is.
2. *Hyperbolic*: :func:`align_frame` moves points embedded about a local origin o_k to a global o_g by
   exp_{o_g} Γ_{o_k→o_g} log_{o_k} (AreoRAG Eq. 7), an isometry. It carries a local configuration as it is; it
   neither knows nor corrects a position on the ground, which is why it cannot replace the first step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import HyperbolicError
from .polar import align

Float = NDArray[np.float64]


@dataclass(frozen=True)
class SiteFrame:
    """A local frame: where its origin is (degrees east, planetocentric north) and how its north axis is turned.

    `azimuth_deg` is the clockwise angle from true north to the frame's +x axis (0 for PDS site frames).
    """

    lon_deg: float
    lat_deg: float
    azimuth_deg: float = 0.0


def site_to_lonlat(north_m: ArrayLike, east_m: ArrayLike, site: SiteFrame, radius_m: float) -> tuple[Float, Float]:
    """Longitude (east, [-180, 180)) and latitude, degrees, of points given in metres north and east of a site.

    The offset is laid off along the great circle (azimuthal equidistant): exact on the sphere of `radius_m`. Adding
    north/R and east/(R cos lat) to the angles instead would be 5 m off at 10 km (18° N on Mars). Any shape.

    Raises
    ------
    HyperbolicError
        The radius is not positive, or a number is not finite.

    >>> lon, lat = site_to_lonlat(0.0, 59274.7, SiteFrame(137.4, 0.0), 3396190.0)
    >>> round(float(lon), 4), round(float(lat), 4)
    (138.4, 0.0)
    """
    north, east = np.asarray(north_m, dtype=np.float64), np.asarray(east_m, dtype=np.float64)
    if not (np.isfinite(radius_m) and radius_m > 0):
        raise HyperbolicError(f"the body's radius must be positive (metres), not {radius_m}")
    finite = np.all(np.isfinite(north)) and np.all(np.isfinite(east))
    if not (finite and np.isfinite(site.lon_deg) and np.isfinite(site.lat_deg)):
        raise HyperbolicError("a site coordinate is not finite")
    angle = np.hypot(north, east) / radius_m
    azimuth = np.arctan2(east, north) + np.radians(site.azimuth_deg)
    lat0 = np.radians(site.lat_deg)
    sin_lat = np.sin(lat0) * np.cos(angle) + np.cos(lat0) * np.sin(angle) * np.cos(azimuth)
    x = np.cos(angle) * np.cos(lat0) - np.sin(lat0) * np.sin(angle) * np.cos(azimuth)
    y = np.sin(azimuth) * np.sin(angle)
    lat = np.degrees(np.arctan2(sin_lat, np.hypot(x, y)))
    lon = site.lon_deg + np.degrees(np.arctan2(y, x))
    return np.asarray((lon + 180.0) % 360.0 - 180.0), np.asarray(lat)


def align_frame(
    rho: ArrayLike,
    u: ArrayLike,
    local_origin: tuple[float, ArrayLike],
    global_origin: tuple[float, ArrayLike],
    K: float = -1.0,
) -> tuple[Float, Float]:
    """Φ_aligned of points (n,), (n, d) from the frame of `local_origin` to that of `global_origin` (Eq. 7).

    What holds: all pairwise distances; d(aligned, o_g) = d(point, o_k). What does not: ρ and x₀ of the points
    themselves, unless o_k = o_g (a point of x₀ = 74.2 may land at 248.6).
    """
    return align(rho, u, local_origin, global_origin, K)
