"""Places of facts: from the named features and targets of a sentence to positions on the body (AreoRAG §III-B.1).

A fact lies at the smallest named place of its sentence; a rover target without coordinates of its own lies where the
document places it: at the smallest rover place, landing site or crater that the document names most.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from ...errors import AreoRAGError
from ...graph.model import Fact, Observation, ProductRef
from ...graph.rows import EntityRef
from ...graph.text_writer import FactRow, Place
from ...planet.gazetteer import Feature, Gazetteer
from ...settings import Settings

_MIN_SCALE_M = 1.0
_LOCAL = frozenset({"Rover place", "Landing site", "Sub-part", "Crater"})


@lru_cache(maxsize=4096)
def _rover_place(name: str, body: str) -> Feature | None:
    """The gazetteer's own entry of a rover target ("Adirondack")."""
    found = Gazetteer.load(body).find(name)
    return found if found is not None and found.type in ("Rover place", "Landing site") else None


@dataclass
class Grounder:
    """Turns facts into rows with places. Keeps the places it has built."""

    settings: Settings
    places: dict[str, Place | None] = field(default_factory=dict)

    def rows(self, facts: list[Fact], features: dict[str, Feature], home: Feature | None) -> list[FactRow]:
        """Facts of one segment as rows.

        Parameters
        ----------
        features : the segment's named places by name
        home : where the document's targets lie (`home_of`)
        """
        return [self._row(f, features, home) for f in facts]

    def _row(self, fact: Fact, features: dict[str, Feature], home: Feature | None) -> FactRow:
        refs: list[EntityRef] = []
        named: list[tuple[Feature, str]] = []
        has_target = False
        for role, label, name in fact.entities:
            properties: dict[str, object] = {}
            if label == "Feature" and name in features:
                feature = features[name]
                named.append((feature, "named"))
                properties = {"type": feature.type, "body": feature.body}
            elif label == "Target":
                has_target = True
                own = _rover_place(name, self.settings.body)
                if own is not None:
                    named.append((own, "target"))
            refs.append(EntityRef(role, label, name, properties))
        if not named and has_target and home is not None:
            named.append((home, "document"))
        for feature, source in sorted(named, key=lambda x: (x[0].radius_m, x[0].name)):
            place = self.place(feature)
            if place is not None:
                return FactRow(fact, tuple(refs), place, source)
        return FactRow(fact, tuple(refs))

    def place(self, feature: Feature) -> Place | None:
        """Coordinates, embedding and cells of a feature; None for one that has no usable geometry."""
        if feature.name not in self.places:
            try:
                self.places[feature.name] = self._build(feature)
            except AreoRAGError:
                self.places[feature.name] = None
        return self.places[feature.name]

    def _build(self, feature: Feature) -> Place | None:
        from ...graph.cells import cover
        from ...graph.hysh import embed_observations

        record = Observation(
            id=feature.name,
            kind="derived",
            body=feature.body,
            position_lon_deg=feature.lon,
            position_lat_deg=feature.lat,
            resolution_m=max(_MIN_SCALE_M, 2.0 * feature.radius_m),
            product=ProductRef(data_id=feature.name),
        )
        hysh = embed_observations([record], self.settings).row(0)
        if hysh is None:
            return None
        cells = cover(feature.geography(), self.settings.max_cells)
        lonlat = (float(feature.lon), float(feature.lat))
        return Place(feature.name, feature.body, lonlat, hysh, tuple(cells), feature.radius_m)


def home_of(features: dict[str, Feature], counts: Counter[str]) -> Feature | None:
    """Where a document's targets lie: of its local places named at least twice (or its only one), the most frequent;
    among equals the smallest.
    """
    local = [f for f in features.values() if f.type in _LOCAL]
    often = [f for f in local if counts[f.name] >= 2] or (local if len(local) == 1 else [])
    if not often:
        return None
    return max(often, key=lambda f: (counts[f.name], -f.radius_m, f.name))
