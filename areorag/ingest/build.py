"""Observation records → rows for the writer: coordinates, cells, participants, text embedding (AreoRAG §III-B, Def. 1).

Everything is computed for a batch at once. What is bound: instrument, platform, institution, the named places of the
label, the named places that hold the position, and the minerals, elements and properties that the claims speak of.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import AreoRAGError, GeometryError
from ..graph.model import Claim, Observation
from ..graph.rows import EntityRef, HyperedgeRow

if TYPE_CHECKING:
    from ..llm.embed import Embedder
    from ..planet.gazetteer import Feature, Gazetteer
    from ..planet.geometry import Geography
    from ..settings import Settings

log = logging.getLogger(__name__)

_LONG = 12.0
"""Square of the diagonal over the area from which a footprint counts as a strip (a square has 2, a 1 : 6 one 6)."""
_BASE_SIDE_RAD = 1.0233
"""Side of a HEALPix base cell as of a square of the same area."""
MAX_PLACES = 6
"""Named places around a position that are bound, smallest first."""
_LABEL_OF_KIND = {
    "mineral": "Mineral",
    "group": "Mineral",
    "element": "Element",
    "oxide": "Element",
    "property": "Concept",
}
_FACTS = re.compile(
    r"^(taken|sol \d|mars year|solar longitude|local mean|resolution|band |incidence|emission|level"
    r"|made from|produced)\b",
    re.I,
)
_NUMBER = re.compile(r"\S*\d\S*(?:\s*°?\s*[NSEW]\b[,.]?)?")
_SPACE = re.compile(r"\s+")


def semantic_text(observation: Observation) -> str:
    """What the observation is about, without ids, numbers, dates and coordinates: those are searched as what they are.

    Rows of an index table then share few distinct texts, and the embedder is asked once for each.
    """
    text = (observation.text or "").replace(observation.id, " ")
    sentences = [s for s in re.split(r"(?<=[.;])\s+", text) if s and not _FACTS.match(s)]
    words = _SPACE.sub(" ", _NUMBER.sub(" ", " ".join(sentences))).strip(" .,;()")
    if len(words) >= 3:
        return words
    parts = (observation.instrument, observation.kind, observation.body, *observation.targets)
    return " ".join(part for part in parts if part) or observation.id


@lru_cache(maxsize=8)
def _gazetteer(body: str) -> Gazetteer | None:
    from ..planet.gazetteer import Gazetteer

    try:
        return Gazetteer.load(body)
    except AreoRAGError:
        return None


def feature_ref(feature: Feature, role: str) -> EntityRef:
    """The entity of a gazetteer feature; bodies other than Mars are part of the id, since names repeat."""
    from ..planet.bodies import get_body
    from ..planet.coordinates import position_xyz

    body = get_body(feature.body)
    xyz = [float(v) for v in position_xyz(feature.lon, feature.lat, body)]
    properties: dict[str, Any] = {
        "type": feature.type,
        "body": feature.body,
        "lon_deg": float(feature.lon),
        "lat_deg": float(feature.lat),
        "diameter_m": feature.diameter_m,
        "aliases": list(feature.aliases) or None,
        "parent": feature.parent,
        "lonlat": [float(feature.lon), float(feature.lat)],
        "xyz": xyz,
    }
    if feature.body != "Mars":
        from ..graph.ids import entity_id

        properties["id"] = entity_id("Feature", f"{feature.name} {feature.body}")
    return EntityRef(role, "Feature", feature.name, properties)


@lru_cache(maxsize=4096)
def _term(name: str) -> tuple[str, str] | None:
    """(label, name) of a mineral, element or property of the lexicon."""
    from ..planet.lexicon import get_lexicon

    term = get_lexicon().get(name)
    return (_LABEL_OF_KIND.get(term.kind, "Concept"), term.name) if term else None


def claim_refs(claims: Iterable[Claim], body: str) -> list[EntityRef]:
    """Entities that claims speak of: terms of the lexicon in property and value, a place in the subject."""
    found: dict[str, EntityRef] = {}
    gazetteer = _gazetteer(body)
    for claim in claims:
        for word in (claim.property, claim.value):
            term = _term(word) if word and len(word) < 80 else None
            if term is not None:
                ref = EntityRef(term[0].lower(), term[0], term[1])
                found.setdefault(ref.id, ref)
        place = _place(gazetteer, claim.subject)
        if place is not None:
            ref = feature_ref(place, "subject")
            found.setdefault(ref.id, ref)
    return list(found.values())


def _place(gazetteer: Gazetteer | None, name: str) -> Feature | None:
    if gazetteer is None or not name or len(name) > 120:
        return None
    try:
        return gazetteer.find(name)
    except AreoRAGError:
        return None


def _geography(o: Observation) -> Geography | None:
    """The footprint on the sphere; None where there is none that can be used (the placing names the reason)."""
    from ..planet.geometry import footprint

    try:
        return None if o.footprint is None else footprint(o.footprint)
    except GeometryError:
        return None


def cover_order(footprint: dict[str, Any] | None) -> int:
    """Finest order for the cells of a footprint: about twice its size where it is compact, else as fine as any.

    A compact footprint then has two or three cells instead of sixteen, and shares them with its neighbours, which is
    most of what ingest would write otherwise (ADR 0013); the candidates that the coarser cover adds are dropped by the
    exact predicate. A long strip keeps its fine cells: there they pay.
    """
    from ..graph.cells import MAX_ORDER

    rings = footprint.get("coordinates") if footprint and footprint.get("type") == "Polygon" else None
    if not rings or len(rings) != 1 or len(rings[0]) > 64:
        return MAX_ORDER
    ring = [(float(p[0]), float(p[1])) for p in rings[0]]
    lons, lats = [p[0] for p in ring], [p[1] for p in ring]
    if max(lons) - min(lons) > 90.0 or max(abs(lat) for lat in lats) > 80.0:
        return MAX_ORDER
    shrink = math.cos(math.radians(sum(lats) / len(lats)))
    flat = [(lon * shrink, lat) for lon, lat in ring]
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(flat))) / 2.0
    diagonal = math.hypot((max(lons) - min(lons)) * shrink, max(lats) - min(lats))
    if area <= 0.0 or diagonal * diagonal > _LONG * area:
        return MAX_ORDER
    side = math.radians(1.5 * diagonal)  # of a square 0.75 of the diagonal are one side
    return max(2, min(MAX_ORDER, round(math.log2(_BASE_SIDE_RAD / side))))


def _with_geography(observations: Sequence[Observation], geogs: Sequence[Geography | None]) -> list[Observation]:
    """Copies that carry the geometry already built in place of its GeoJSON, so that it is built once."""
    return [
        o if geog is None else o.model_copy(update={"footprint": geog})
        for o, geog in zip(observations, geogs, strict=True)
    ]


class RowBuilder:
    """Builds rows for one graph; keep one for a whole ingest, it remembers places and names."""

    def __init__(self, settings: Settings, embedder: Embedder | None) -> None:
        self.settings = settings
        self.embedder = embedder
        self._targets: dict[tuple[str, str], EntityRef | None] = {}
        self._named: dict[tuple[str, str], EntityRef] = {}
        self._features: dict[tuple[int, str], tuple[Feature, EntityRef]] = {}

    def build(
        self, observations: Sequence[Observation], digests: Sequence[str | None] | None = None
    ) -> list[HyperedgeRow]:
        """Rows of some observations, in their order. Warnings of the placing are added to the records.

        `digests` are their content hashes, where they are known already.

        Raises
        ------
        AreoRAGError
            The settings do not fit together, or a body is not known.
        """
        from ..graph.hysh import embed_observations

        if not observations:
            return []
        vectors, texts = None, []
        if self.embedder is not None:
            texts = [semantic_text(o) for o in observations]
            vectors = self.embedder.embed(texts)
        text = vectors if self.settings.spatial_share < 1 else None
        geogs = [_geography(o) for o in observations]
        hysh = embed_observations(_with_geography(observations, geogs), self.settings, text=text)
        cells = self._cells(observations, geogs)
        places = self._places(observations)
        shared: dict[str, list[float]] = {}  # one list for a text: it is sent to the server once
        if vectors is not None:
            for text_, vector in zip(texts, vectors, strict=True):
                if text_ not in shared:
                    shared[text_] = vector.tolist()
        rows = []
        for i, o in enumerate(observations):
            if hysh.warnings[i]:
                o = o.model_copy(
                    update={"warnings": [*o.warnings, *(w for w in hysh.warnings[i] if w not in o.warnings)]}
                )
            row = HyperedgeRow(
                observation=o,
                hysh=hysh.row(i),
                cells=cells[i],
                entities=self._participants(o, places[i]),
                embedding=None if vectors is None else shared[texts[i]],
                embedder=None if self.embedder is None else self.embedder.name,
                digest=None if digests is None else digests[i],
                geog=geogs[i],
            )
            rows.append(row)
        return rows

    def _cells(self, observations: Sequence[Observation], geogs: Sequence[Geography | None]) -> list[list[str]]:
        """Cover of each footprint, else of the position; none where there is neither."""
        from ..graph.cells import cover_many
        from ..planet.geometry import point

        wanted, at = [], []
        for i, (o, geog) in enumerate(zip(observations, geogs, strict=True)):
            if geog is None and o.position_lon_deg is not None and o.position_lat_deg is not None:
                geog = point(o.position_lon_deg, o.position_lat_deg)
            if geog is not None:
                wanted.append(geog)
                at.append(i)
        cells: list[list[str]] = [[] for _ in observations]
        orders = [cover_order(observations[i].footprint) for i in at]
        for order in sorted(set(orders)):
            chosen = [k for k, o in enumerate(orders) if o == order]
            covers = cover_many([wanted[k] for k in chosen], self.settings.max_cells, max_order=order)
            for k, cover in zip(chosen, covers, strict=True):
                cells[at[k]] = cover
        return cells

    def participants(self, o: Observation) -> list[EntityRef]:
        """What an observation binds, each with its role."""
        return self._participants(o, self._places([o])[0])

    def _participants(self, o: Observation, places: list[EntityRef]) -> list[EntityRef]:
        refs = []
        for role, label, name in (
            ("instrument", "Instrument", o.instrument),
            ("platform", "Platform", o.platform),
            ("institution", "Institution", o.institution),
        ):
            if name:
                if (role, name) not in self._named:
                    self._named[role, name] = EntityRef(role, label, name)
                refs.append(self._named[role, name])
        for target in o.targets:
            ref = self._target(target, o.body)
            if ref is not None:
                refs.append(ref)
        refs += places
        refs += claim_refs(o.claims, o.body)
        unique: dict[str, EntityRef] = {}
        for ref in refs:
            unique.setdefault(ref.id, ref)
        return list(unique.values())

    def _target(self, name: str, body: str) -> EntityRef | None:
        """A named target: a place of the gazetteer, else a target by its own name; the body itself is no target."""
        key = (name, body)
        if key not in self._targets:
            if name.strip().casefold() in (body.casefold(), ""):
                self._targets[key] = None
            else:
                place = _place(_gazetteer(body), name)
                self._targets[key] = feature_ref(place, "target") if place else EntityRef("target", "Target", name)
        return self._targets[key]

    def _places(self, observations: Sequence[Observation]) -> list[list[EntityRef]]:
        """The named places that hold each position, smallest first."""
        out: list[list[EntityRef]] = [[] for _ in observations]
        by_body: dict[str, list[int]] = {}
        for i, o in enumerate(observations):
            if o.position_lon_deg is not None and o.position_lat_deg is not None:
                by_body.setdefault(o.body, []).append(i)
        for body, at in by_body.items():
            gazetteer = _gazetteer(body)
            if gazetteer is None:
                continue
            lon = [observations[i].position_lon_deg or 0.0 for i in at]
            lat = [observations[i].position_lat_deg or 0.0 for i in at]
            for i, found in zip(at, gazetteer.containing_many(lon, lat, limit=MAX_PLACES), strict=True):
                out[i] = [self._feature(f, "place") for f in found]
        return out

    def _feature(self, feature: Feature, role: str) -> EntityRef:
        """`feature_ref`, made once for a feature (which is kept with it, so that its address stays its own)."""
        key = (id(feature), role)
        if key not in self._features:
            self._features[key] = (feature, feature_ref(feature, role))
        return self._features[key][1]
