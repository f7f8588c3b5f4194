"""From a reading to a query region: G_r, F_s and ε of Spatial-RAG Eq. 4, on the sphere (METHODS §2, sparse spatial).

What the relations mean geometrically, and their ε where the question gives none, is `retrieval.spatial.RELATIONS`; in a
city (bodies of streets, not of basins) the defaults are those of the paper, 500 m. "In" a place means that the
footprint meets it: a strip that crosses Jezero shows Jezero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import GeometryError
from ...planet.units import length
from .model import SpatialIntent

if TYPE_CHECKING:
    from ...planet.gazetteer import Feature, Gazetteer
    from ...planet.geometry import Geography

CITY_M = 500.0
"""ε of "near", "along" and "between" among places of a city (Spatial-RAG's buffer), metres."""
CITY_RADIUS_M = 25_000.0
D0_M = 10_000.0


@dataclass
class QueryRegion:
    """What the places of a question mean. No `regions`: the question bounds no place.

    `relation` is a key of `spatial.RELATIONS`; `epsilon_m` None means its default; `excluded` are places whose records
    are not wanted.
    """

    regions: list[Geography] = field(default_factory=list)
    relation: str = "intersects"
    epsilon_m: float | None = None
    features: list[Feature] = field(default_factory=list)
    excluded: list[Geography] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def bounded(self) -> bool:
        """True when the question bounds the place."""
        return bool(self.regions)


def query_region(intent: SpatialIntent, gazetteer: Gazetteer) -> QueryRegion:
    """The region a reading means; unknown places and unusable geometry are noted, never guessed."""
    from ...planet import geometry as geo

    region = QueryRegion()
    region.features, region.unknown = _features(intent, gazetteer)
    region.excluded = [f.geography() for f in _excluded(intent, gazetteer)]
    region.regions = [f.geography() for f in region.features]
    if intent.geometry is not None:
        try:
            region.regions.append(geo.footprint(intent.geometry))
        except GeometryError as exc:
            region.notes.append(f"the geometry is not used: {exc}")
    if region.unknown:
        region.notes.append(f"not known: {', '.join(region.unknown)}")
    if not region.regions:
        return region
    _relate(intent, region)
    return region


def _relate(intent: SpatialIntent, region: QueryRegion) -> None:
    relation, given = intent.relation, intent.distance_m
    if relation == "between" and len(region.regions) != 2:
        relation = "near"
    if relation in (None, "within", "intersects"):
        region.relation, region.epsilon_m = "intersects", given or 0.0
        return
    region.relation, region.epsilon_m = relation, given
    city = bool(region.features) and all(f.body == "Earth" and f.radius_m < CITY_RADIUS_M for f in region.features)
    if given is None and city and relation in ("near", "along", "between"):
        region.epsilon_m = CITY_M
        region.notes.append(f"{relation}: taken as within {length(CITY_M)}")


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


def region_summary(region: QueryRegion, epsilon_m: float | None = None) -> dict[str, Any]:
    """For the trace; `epsilon_m` is the distance in force, default filled in."""
    return {
        "places": [f.name for f in region.features],
        "relation": region.relation if region.bounded else None,
        "epsilon_m": region.epsilon_m if epsilon_m is None else epsilon_m,
        "notes": region.notes,
        "unknown": region.unknown,
    }
