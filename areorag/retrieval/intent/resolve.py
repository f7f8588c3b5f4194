"""From a reading to a query region: G_r, F_s and ε of Spatial-RAG Eq. 4, on the sphere (METHODS §2, sparse spatial).

Everything is distance ≤ ε or intersection with one region, whatever mixture of points, polylines and polygons was
asked; "between", "along" and "north of" build a temporary geometry. Every default is stated in `QueryRegion.notes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GeometryError
from ...planet.bodies import Body, get_body
from .model import SpatialIntent, format_length

if TYPE_CHECKING:
    from ...planet.gazetteer import Feature, Gazetteer
    from ...planet.geometry import Geography

NEAR_M = 50_000.0
ALONG_M = 5_000.0
"""ε of "near" and "along" without a number, metres on a planet; `local_scale` makes them fit a city."""
BETWEEN_SHARE = 0.15
"""Half width of "between A and B" as a share of their distance."""


@dataclass
class QueryRegion:
    """The region of a question. `geography` is None where the question bounds no place.

    `epsilon_m` is ε; `d0_m` the distance that halves f_sparse; `predicate` is ``intersects`` or ``contains`` (the
    record contains the region). `excluded` are places whose records are not wanted.
    """

    geography: Geography | None = None
    epsilon_m: float = 0.0
    d0_m: float = 10_000.0
    predicate: str = "intersects"
    features: list[Feature] = field(default_factory=list)
    excluded: list[Geography] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    centre: tuple[float, float] | None = None


def query_region(intent: SpatialIntent, gazetteer: Gazetteer, *, body: Body | None = None) -> QueryRegion:
    """The region a reading means; unknown places and unusable geometry are noted, never guessed."""
    from ...planet import geometry as geo

    the_body = body or get_body(intent.body)
    region = QueryRegion()
    region.features, region.unknown = _features(intent, gazetteer)
    region.excluded = [f.geography() for f in _excluded(intent, gazetteer)]
    try:
        base = _base(intent, region, the_body)
    except GeometryError as exc:
        region.notes.append(f"the geometry is not used: {exc}")
        base = None
    if base is None:
        return region
    scale = _local_scale(the_body, region.features)
    region.geography, region.epsilon_m = _relate(intent, region, base, the_body, scale)
    region.d0_m = region.epsilon_m or max(1.0, min(10_000.0, NEAR_M * scale))
    if intent.relation == "contains":
        region.predicate = "contains"
    if not region.geography.whole:
        region.centre = geo.centroid(region.geography)
    return region


def _features(intent: SpatialIntent, gazetteer: Gazetteer) -> tuple[list[Feature], list[str]]:
    found, unknown = [], []
    for name in intent.places:
        part = intent.parts.get(name)
        feature = _part_of(gazetteer, part, name) if part else None
        feature = feature or gazetteer.find(name)
        if feature is None:
            unknown.append(name)
        else:
            found.append(feature)
    return found, unknown


def _part_of(gazetteer: Gazetteer, part: str, name: str) -> Feature | None:
    matches = gazetteer.lookup(f"{part} of {name}", fuzzy=False, limit=1)
    return matches[0].feature if matches and (matches[0].feature.parent or "") == name else None


def _excluded(intent: SpatialIntent, gazetteer: Gazetteer) -> list[Feature]:
    return [f for name in intent.exclude.places if (f := gazetteer.find(name)) is not None]


def _base(intent: SpatialIntent, region: QueryRegion, body: Body) -> Geography | None:
    """The union of what was named and given, before the relation is applied."""
    from ...planet import geometry as geo

    parts = [f.geography() for f in region.features]
    if intent.geometry is not None:
        parts.append(geo.footprint(intent.geometry))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else geo.union(parts)


def _local_scale(body: Body, features: list[Feature]) -> float:
    """1 on a planet's scale; 0.01 where all places are a city's (points and streets below 50 km across)."""
    if body.name == "Earth" and all(f.radius_m < 25_000 for f in features):
        return 0.01
    return 1.0


def _relate(
    intent: SpatialIntent, region: QueryRegion, base: Geography, body: Body, scale: float
) -> tuple[Geography, float]:
    from ...planet import geometry as geo

    given = intent.distance_m
    relation = intent.relation
    if relation in ("along", "between") and len(region.features) >= 2:
        line = geo.polyline([(f.lon, f.lat) for f in region.features])
        if relation == "along":
            epsilon = given if given is not None else ALONG_M * scale
            region.notes.append(f"along: within {format_length(epsilon)} of the line between the places named")
        else:
            epsilon = given if given is not None else max(BETWEEN_SHARE * geo.length_m(line, body), 1_000.0 * scale)
            region.notes.append(f"between: within {format_length(epsilon)} of the line that joins the places")
        return line, epsilon
    if relation == "along":
        epsilon = given if given is not None else ALONG_M * scale
        return base, epsilon
    if relation in ("north_of", "south_of", "east_of", "west_of"):
        return _side(relation, region, base, body, given), 0.0
    if relation == "near" and given is None:
        epsilon = NEAR_M * scale
        region.notes.append(f"near: taken as within {format_length(epsilon)}")
        return base, epsilon
    return base, given or 0.0


def _side(relation: str, region: QueryRegion, base: Geography, body: Body, given: float | None) -> Geography:
    """A box beside the place: as wide as the place, as far as the distance given, else one size of the place."""
    from ...planet import geometry as geo

    west, east, south, north = _extent(region.features, base, body)
    reach = given if given is not None else max((north - south) * body.radius_m * np.pi / 180.0, 100_000.0)
    d_lat = float(np.degrees(reach / body.radius_m))
    middle = float(np.clip((south + north) / 2.0, -89.0, 89.0))
    d_lon = min(d_lat / float(np.cos(np.radians(middle))), 170.0)
    region.notes.append(f"{relation.replace('_', ' ')}: up to {format_length(reach)} beyond the place's edge")
    if relation == "north_of":
        return geo.bbox(west, east, north, min(90.0, north + d_lat))
    if relation == "south_of":
        return geo.bbox(west, east, max(-90.0, south - d_lat), south)
    if relation == "east_of":
        return geo.bbox(east, east + d_lon, south, north)
    return geo.bbox(west - d_lon, west, south, north)


def _extent(features: list[Feature], base: Geography, body: Body) -> tuple[float, float, float, float]:
    """west, east, south, north in degrees; at least 0.01° each way."""
    from ...planet import geometry as geo

    if len(features) == 1 and features[0].bbox is not None:
        west, east, south, north = features[0].bbox
    else:
        lon, lat = geo.centroid(base)
        _, angle = geo.bounding_cap(base)
        radius = max(np.degrees(angle), 0.005)
        wide = min(radius / max(0.02, np.cos(np.radians(lat))), 179.0)
        west, east, south, north = lon - wide, lon + wide, max(-90.0, lat - radius), min(90.0, lat + radius)
    return float(west), float(east), float(south), float(north)


def relax_hints(intent: SpatialIntent, counts: dict[str, int]) -> list[str]:
    """Which single constraint to drop, most helpful first: `counts` is what is left without each."""
    order = sorted((n, name) for name, n in counts.items() if n > 0)
    return [f"without the constraint on {name}: {n:,}" for n, name in sorted(order, reverse=True)]


def region_summary(region: QueryRegion) -> dict[str, Any]:
    """For the trace."""
    return {
        "places": [f.name for f in region.features],
        "epsilon_m": region.epsilon_m,
        "predicate": region.predicate,
        "centre": list(region.centre) if region.centre else None,
        "notes": region.notes,
        "unknown": region.unknown,
    }
