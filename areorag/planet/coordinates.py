"""Longitude and latitude conventions, unit vectors, arcs and bearings (METHODS §1 "Normal form").

Inside the project longitudes are east in [-180, 180) and latitudes planetocentric, degrees. Functions take scalars or
arrays and broadcast. The planetographic conversion is the tangent formula written out: projection libraries have been
seen to swap axes for planetary codes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import GeometryError
from .bodies import Body

FloatArray = npt.NDArray[np.float64]
ArrayLike = Any


def _out(value: Any) -> Any:
    """Scalars in, scalars out."""
    return float(value) if np.ndim(value) == 0 else value


def normalise_lon(lon_deg: ArrayLike) -> Any:
    """Longitude to [-180, 180), degrees; any finite number of turns.

    Examples
    --------
    >>> normalise_lon(282.0), normalise_lon(180.0), normalise_lon(-180.0)
    (-78.0, -180.0, -180.0)
    """
    lon = np.asarray(lon_deg, dtype=float)
    fine = (lon >= -180.0) & (lon < 180.0)
    if fine.all():  # keeps every digit; the sum below rounds
        return _out(lon)
    out = np.where(fine, lon, np.mod(lon + 180.0, 360.0) - 180.0)
    return _out(np.where(out >= 180.0, -180.0, out))


def lon_360(lon_deg: ArrayLike) -> Any:
    """Longitude to [0, 360), degrees."""
    lon = np.asarray(lon_deg, dtype=float)
    out = np.where((lon >= 0.0) & (lon < 360.0), lon, np.mod(lon, 360.0))
    return _out(np.where(out >= 360.0, 0.0, out))


def west_to_east(lon_west_deg: ArrayLike) -> Any:
    """West-positive longitude to east-positive in [-180, 180), degrees.

    Examples
    --------
    >>> west_to_east(282.0)
    78.0
    """
    return normalise_lon(-np.asarray(lon_west_deg, dtype=float))


def planetographic_to_planetocentric(lat_deg: ArrayLike, body: Body) -> Any:
    """tan φ_c = (b/a)² tan φ_g; degrees. The poles stay the poles.

    Examples
    --------
    >>> from areorag.planet.bodies import MARS
    >>> round(planetographic_to_planetocentric(18.65, MARS), 3)
    18.447
    """
    return _tangent(lat_deg, (body.polar_radius_m / body.equatorial_radius_m) ** 2)


def planetocentric_to_planetographic(lat_deg: ArrayLike, body: Body) -> Any:
    """tan φ_g = (a/b)² tan φ_c; degrees."""
    return _tangent(lat_deg, (body.equatorial_radius_m / body.polar_radius_m) ** 2)


def _tangent(lat_deg: ArrayLike, factor: float) -> Any:
    lat = np.asarray(lat_deg, dtype=float)
    if np.any(np.abs(lat) > 90.0 + 1e-9):
        raise GeometryError("a latitude lies outside [-90, 90] degrees")
    rad = np.radians(np.clip(lat, -90.0, 90.0))
    out = np.degrees(np.arctan2(factor * np.sin(rad), np.cos(rad)))
    return _out(np.where((lat == 0.0) | (np.abs(lat) >= 90.0), np.clip(lat, -90.0, 90.0), out))


def to_unit(lon_deg: ArrayLike, lat_deg: ArrayLike) -> FloatArray:
    """Unit vectors, shape (…, 3): x to (0° E, 0°), y to (90° E, 0°), z to the north pole."""
    lon, lat = np.broadcast_arrays(np.asarray(lon_deg, dtype=float), np.asarray(lat_deg, dtype=float))
    lam, phi = np.radians(normalise_lon(lon)), np.radians(lat)
    cos_phi = np.cos(phi)
    out = np.empty((*lat.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = cos_phi * np.cos(lam), cos_phi * np.sin(lam), np.sin(phi)
    pole = np.abs(lat) >= 90.0
    if pole.any():
        out[pole] = 0.0
        out[..., 2] = np.where(pole, np.sign(lat), out[..., 2])
    return out


def to_lonlat(xyz: ArrayLike) -> tuple[Any, Any]:
    """Longitude in [-180, 180) and latitude of vectors (…, 3), degrees; length does not matter."""
    v = np.asarray(xyz, dtype=float)
    lat = np.degrees(np.arctan2(v[..., 2], np.hypot(v[..., 0], v[..., 1])))
    return normalise_lon(np.degrees(np.arctan2(v[..., 1], v[..., 0]))), _out(lat)


def arc_rad(lon1_deg: ArrayLike, lat1_deg: ArrayLike, lon2_deg: ArrayLike, lat2_deg: ArrayLike) -> Any:
    """Great-circle angle, radians; exact for near and antipodal points alike (half-chord form)."""
    return angle_between(to_unit(lon1_deg, lat1_deg), to_unit(lon2_deg, lat2_deg))


def angle_between(u: ArrayLike, v: ArrayLike) -> Any:
    """Angle between unit vectors (…, 3), radians: 2 atan2(|u - v|, |u + v|)."""
    a, b = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    return _out(2.0 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)))


def arc_m(lon1_deg: ArrayLike, lat1_deg: ArrayLike, lon2_deg: ArrayLike, lat2_deg: ArrayLike, body: Body) -> Any:
    """Great-circle distance on the body's sphere, metres."""
    return arc_rad(lon1_deg, lat1_deg, lon2_deg, lat2_deg) * body.radius_m


def bearing_deg(lon1_deg: ArrayLike, lat1_deg: ArrayLike, lon2_deg: ArrayLike, lat2_deg: ArrayLike) -> Any:
    """Initial great-circle bearing from 1 to 2, degrees clockwise from north in [0, 360); 0 for coincident points."""
    p1, p2 = np.radians(np.asarray(lat1_deg, dtype=float)), np.radians(np.asarray(lat2_deg, dtype=float))
    dl = np.radians(np.asarray(lon2_deg, dtype=float) - np.asarray(lon1_deg, dtype=float))
    y = np.sin(dl) * np.cos(p2)
    x = np.cos(p1) * np.sin(p2) - np.sin(p1) * np.cos(p2) * np.cos(dl)
    return lon_360(np.degrees(np.arctan2(y, x)))


def destination(lon_deg: ArrayLike, lat_deg: ArrayLike, bearing: ArrayLike, arc: ArrayLike) -> tuple[Any, Any]:
    """Point reached from (lon, lat) along an initial bearing (degrees) after an arc (radians)."""
    lam, phi = np.radians(np.asarray(lon_deg, dtype=float)), np.radians(np.asarray(lat_deg, dtype=float))
    theta, delta = np.radians(np.asarray(bearing, dtype=float)), np.asarray(arc, dtype=float)
    sin2 = np.sin(phi) * np.cos(delta) + np.cos(phi) * np.sin(delta) * np.cos(theta)
    lat2 = np.arcsin(np.clip(sin2, -1.0, 1.0))
    y, x = np.sin(theta) * np.sin(delta) * np.cos(phi), np.cos(delta) - np.sin(phi) * sin2
    return normalise_lon(np.degrees(lam + np.arctan2(y, x))), _out(np.degrees(lat2))


def chord_m(arc_length_m: ArrayLike, body: Body) -> Any:
    """Straight-line distance of two surface points an arc apart, metres: 2R sin(s / 2R), 2R from half a turn on.

    A chord has no pole and no antimeridian in it, so the database's 3-D point index can use it.
    """
    half = np.clip(np.asarray(arc_length_m, dtype=float) / (2.0 * body.radius_m), 0.0, np.pi / 2.0)
    return _out(2.0 * body.radius_m * np.sin(half))


def position_xyz(lon_deg: ArrayLike, lat_deg: ArrayLike, body: Body) -> FloatArray:
    """Cartesian position on the body's sphere, metres, (…, 3): what the database's point index holds."""
    return to_unit(lon_deg, lat_deg) * body.radius_m
