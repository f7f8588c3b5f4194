"""All mentions and pairs of one text, without a model: the deterministic path of text ingest (AreoRAG §III-B.1)."""

from __future__ import annotations

from dataclasses import dataclass

from .elements import find_elements
from .minerals import find_minerals
from .relations import Pair, PairContext, RelationModel, find_materials, find_pairs
from .spans import Span, Zones
from .targets import TargetModel, read_targets


@dataclass(frozen=True)
class Found:
    """What one text names: spans by offset, and which target contains what."""

    spans: tuple[Span, ...]
    pairs: tuple[Pair, ...]
    zones: Zones

    def of(self, kind: str) -> list[Span]:
        """Spans of one type."""
        return [s for s in self.spans if s.type == kind]


def find_all(text: str, targets: TargetModel | None = None, relations: RelationModel | None = None) -> Found:
    """Elements, minerals, materials, targets and Contains pairs of `text`; every span quotes it exactly."""
    zones = Zones(text)
    components = sorted({*find_elements(text, zones), *find_minerals(text, zones), *find_materials(text, zones)})
    named = read_targets(text, zones, targets)
    names = list(named.spans)
    context = PairContext(text, names, components, zones)
    pairs = find_pairs(context, relations, named.probability) if names and components else []
    return Found(tuple(sorted([*components, *names])), tuple(pairs), zones)
