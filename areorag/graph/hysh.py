"""Observation records → rows of the hyperbolic spatial hypergraph: position, depth, direction (AreoRAG §III-B 3).

The closed-form embedding of :mod:`areorag.hyperbolic.embedding` for records as they come, with every clamp written
down. Where a record lacks something, the first of these that exists is used, and `scale_source` says which:

=============  ==================================================================================================
``label``      `resolution_m` of the record
``instrument``  geometric mean of the instrument's range in the registry
``footprint``  the footprint's extent: the coarsest the sampling can be
``unknown``    nothing is known: the origin (ρ = 0), with a warning
=============  ==================================================================================================

A resolution coarser than ℓ_max also sits at the origin, with a warning. The position is the footprint's centroid, else
the record's longitude and latitude; a record with neither is not `placed` and has no coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GeometryError
from ..hyperbolic.embedding import depth_of, directions, embedding_version
from ..hyperbolic.lorentz import from_polar
from .model import Observation

if TYPE_CHECKING:
    from ..planet.bodies import Body
    from ..settings import Settings

Float = NDArray[np.float64]


@dataclass(frozen=True)
class HyshRows:
    """Coordinates of n observations. Rows that are not `placed` hold NaN and must not be written.

    Attributes
    ----------
    ids : n observation ids
    placed : (n,) whether there is a position
    rho : (n,) geodesic distance from the origin
    direction : (n, d) unit vectors
    lorentz : (n, d+1) points of the hyperboloid; `lorentz[:, 0]` is the paper's radial depth x₀
    position_xyz : (n, 3) metres, on the body's sphere, from its centre
    lonlat : (n, 2) degrees east, planetocentric
    scale_m : (n,) the resolution used, metres
    scale_source : n of ``label``, ``instrument``, ``footprint``, ``unknown``
    warnings : n lists of plain words
    version : names the embedding; equal names give equal numbers
    """

    ids: list[str]
    placed: NDArray[np.bool_]
    rho: Float
    direction: Float
    lorentz: Float
    position_xyz: Float
    lonlat: Float
    scale_m: Float
    scale_source: list[str]
    warnings: list[list[str]]
    version: str

    @property
    def depth(self) -> Float:
        """(n,) the paper's radial depth r = x₀ = cosh(√-K·ρ)/√-K."""
        return np.asarray(self.lorentz[:, 0])

    def row(self, i: int) -> dict[str, Any] | None:
        """Properties of the i-th observation's node, as plain lists and numbers; None where it is not placed."""
        if not self.placed[i]:
            return None
        return {
            "id": self.ids[i],
            "rho": float(self.rho[i]),
            "depth": float(self.lorentz[i, 0]),
            "direction": [float(v) for v in self.direction[i]],
            "lorentz": [float(v) for v in self.lorentz[i]],
            "position_xyz": [float(v) for v in self.position_xyz[i]],
            "scale_m": float(self.scale_m[i]),
            "scale_source": self.scale_source[i],
            "embedding_version": self.version,
        }


def embed_observations(
    observations: Sequence[Observation],
    settings: Settings,
    *,
    text: ArrayLike | None = None,
    geogs: Sequence[Any | None] | None = None,
) -> HyshRows:
    """Place observations in H^d by the settings (curvature, dimension, spatial share, ℓ_max).

    Parameters
    ----------
    observations : n records
    text : (n, m) text embeddings; needed only where ``settings.spatial_share`` < 1
    geogs : the footprints as `planet.geometry.Geography` (None where there is none), if they are built already

    Raises
    ------
    HyperbolicError
        The settings do not fit together (a spatial share below 1 with d = 3 or without text embeddings).
    UnknownNameError
        A body that is not known.
    """
    from ..planet.bodies import get_body
    from ..planet.coordinates import to_unit

    n, d, K = len(observations), settings.embedding_dim, settings.curvature
    warnings: list[list[str]] = [[] for _ in range(n)]
    bodies = [get_body(o.body) for o in observations]
    lonlat, scale, sources = np.full((n, 2), np.nan), np.full(n, np.nan), ["unknown"] * n
    for i, (observation, body) in enumerate(zip(observations, bodies, strict=True)):
        geog = _footprint(observation, warnings[i]) if geogs is None else geogs[i]
        lonlat[i] = _position(observation, geog, warnings[i])
        scale[i], sources[i] = _scale(observation, geog, body, warnings[i])
    placed = np.all(np.isfinite(lonlat), axis=1)
    radius = np.array([b.radius_m for b in bodies])
    ell_max = radius if settings.ell_max_m is None else np.full(n, settings.ell_max_m)
    scale = np.where(np.isfinite(scale), scale, ell_max)
    rho = np.zeros(n)
    for top in np.unique(ell_max):
        rows = ell_max == top
        rho[rows], clamped = depth_of(scale[rows], float(top))
        for i in np.flatnonzero(rows)[clamped]:
            warnings[i].append(f"resolution {scale[i]:g} m is coarser than ℓ_max = {top:g} m: placed at the origin")
    direction, unit = np.full((n, d), np.nan), np.full((n, 3), np.nan)
    if np.any(placed):
        unit[placed] = to_unit(lonlat[placed, 0], lonlat[placed, 1])
        words = None if text is None else np.asarray(text, dtype=np.float64)[placed]
        direction[placed] = directions(
            unit[placed], text=words, s=settings.spatial_share, dim=d, seed=settings.projection_seed
        )
    lorentz = from_polar(rho, direction, K) if n else np.zeros((0, d + 1))
    lorentz[~placed] = np.nan
    return HyshRows(
        ids=[o.id for o in observations],
        placed=placed,
        rho=np.where(placed, rho, np.nan),
        direction=direction,
        lorentz=lorentz,
        position_xyz=unit * radius[:, None] if n else unit,
        lonlat=lonlat,
        scale_m=scale,
        scale_source=sources,
        warnings=warnings,
        version=closed_form_version(settings),
    )


def closed_form_version(settings: Settings) -> str:
    """Name of the closed-form embedding that these settings give (for Mars where ℓ_max is the body's radius)."""
    from ..planet.bodies import get_body

    return embedding_version(
        K=settings.curvature,
        ell_max_m=settings.ell_max_m or get_body(settings.body).radius_m,
        s=settings.spatial_share,
        dim=settings.embedding_dim,
        seed=settings.projection_seed,
    )


def _footprint(observation: Observation, warnings: list[str]) -> Any | None:
    from ..planet.geometry import footprint

    if observation.footprint is None:
        return None
    try:
        return footprint(observation.footprint)
    except GeometryError as exc:
        warnings.append(f"the footprint is not used for placing: {exc}")
        return None


def _position(observation: Observation, geog: Any | None, warnings: list[str]) -> tuple[float, float]:
    """(lon, lat) degrees: the footprint's centroid, else the record's own; NaN where there is neither."""
    from ..planet.geometry import centroid

    if geog is not None and not geog.whole:
        lon, lat = centroid(geog)
        return lon, lat
    if observation.position_lon_deg is not None and observation.position_lat_deg is not None:
        return observation.position_lon_deg, observation.position_lat_deg
    if geog is not None:
        warnings.append("the whole body has no centroid: placed in the direction 0° E, 0° N")
        return 0.0, 0.0
    warnings.append("no footprint and no position: not placed in hyperbolic space")
    return math.nan, math.nan


def _scale(observation: Observation, geog: Any | None, body: Body, warnings: list[str]) -> tuple[float, str]:
    """(metres, source) by the order in the module's docstring."""
    ell = observation.resolution_m
    if ell is not None and math.isfinite(ell) and ell > 0:
        return ell, "label"
    if ell is not None:
        warnings.append(f"resolution {ell} m is not a positive number: taken as unknown")
    from ..planet.instruments import get_instrument

    spec = get_instrument(observation.instrument, observation.platform) if observation.instrument else None
    if spec is not None:
        fine, coarse = spec.resolution_m
        return math.sqrt(fine * coarse), "instrument"
    if geog is not None:
        from ..planet.geometry import bounding_cap

        extent = 2.0 * min(bounding_cap(geog)[1], math.pi / 2) * body.radius_m
        if extent > 0:
            return extent, "footprint"
    warnings.append("no resolution, no known instrument and no extent: placed at the origin")
    return math.nan, "unknown"
