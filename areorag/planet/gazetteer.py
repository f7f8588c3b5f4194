"""Gazetteer: names of places to places, and places to names (AreoRAG §III-C, spatial intent).

Data are facts of the IAU nomenclature (Mars, Moon), repaired by ``tools/make_gazetteer.py``, with landing sites, named
places of the rovers, poles and parts of features added by the project; shipped compressed and read on first use. Any
other body or world is served by `Gazetteer.from_features`.

Lookup goes from certain to uncertain, and says how each match was made: ``exact``, ``folded`` (case, accents,
punctuation), ``alias`` (other names, also "Hellas" for Hellas Planitia and "Gale crater" for Gale), ``part`` ("north
rim of Gale"), ``fuzzy`` (typing errors).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnknownNameError
from .bodies import Body, get_body
from .coordinates import angle_between, normalise_lon, to_unit
from .names import LATIN_TYPES, fold, split_type_word, without_type

if TYPE_CHECKING:
    from .geometry import Geography

ROUND_CODES = frozenset({"AA", "SF"})
SHIPPED = ("Mars", "Moon")

_EXACT, _FOLDED, _ALIAS, _TYPELESS, _FUZZY = 1.0, 0.99, 0.98, 0.95, 0.9
_PENALTY = {"dropped": 0.12, "not approved": 0.12}
_ALBEDO_PENALTY = 0.1
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Feature:
    """A named place.

    Attributes
    ----------
    lon, lat : centre, degrees east in [-180, 180) and planetocentric
    diameter_m : size as the nomenclature gives it, or None
    bbox : west, east, south, north in degrees, east of west (east may pass 180); None for a point
    parent : the feature it is a part of, or lies in
    status : approved, dropped, not approved (IAU); project (added here); part (derived by rule)
    geojson : the place's own geometry, where centre and extent do not say it all
    """

    name: str
    type: str
    lon: float
    lat: float
    diameter_m: float | None = None
    bbox: tuple[float, float, float, float] | None = None
    aliases: tuple[str, ...] = ()
    body: str = "Mars"
    parent: str | None = None
    code: str = ""
    status: str = "approved"
    iau_id: int | None = None
    geojson: dict[str, Any] | None = None
    text: str = ""

    def geography(self) -> Geography:
        """The place on the sphere: its own geometry, a disc (craters), a latitude-longitude box, or a point."""
        from . import geometry as g

        if self.geojson is not None:
            return g.footprint(self.geojson)
        body = get_body(self.body)
        if self.diameter_m and (self.code in ROUND_CODES or self.bbox is None or self.code == "XP"):
            return g.cap(self.lon, self.lat, self.diameter_m / 2.0, body)
        if self.bbox is not None:
            return g.bbox(*self.bbox)
        return g.point(self.lon, self.lat)

    @property
    def radius_m(self) -> float:
        """Half the diameter; half the diagonal of the extent where there is no diameter; 0 for a point."""
        if self.diameter_m:
            return self.diameter_m / 2.0
        if self.bbox is None:
            return 0.0
        west, east, south, north = self.bbox
        u = to_unit([west, east], [south, north])
        return float(angle_between(u[0], u[1])) / 2.0 * get_body(self.body).radius_m


@dataclass(frozen=True, slots=True)
class Match:
    """A feature found for a name: `score` in (0, 1], `how` it was found."""

    feature: Feature
    score: float
    how: str


class Gazetteer:
    """Named places of one body.

    Examples
    --------
    >>> mars = Gazetteer.load("Mars")
    >>> mars.lookup("jezero crater")[0].feature.name
    'Jezero'
    >>> [f.name for f in mars.containing(77.45, 18.44)][-1]
    'Jezero'
    """

    def __init__(self, features: Sequence[Feature], body: Body) -> None:
        self.features = tuple(features)
        self.body = body

    @classmethod
    def from_features(cls, features: Iterable[Feature], body: str | Body) -> Gazetteer:
        """A gazetteer of one's own places, on any body."""
        return cls(tuple(features), get_body(body))

    @classmethod
    def load(cls, body: str | Body = "Mars") -> Gazetteer:
        """The shipped gazetteer of Mars or the Moon (read once); an empty one for another body."""
        return _load(get_body(body).name) if isinstance(body, str) else _load(body.name)

    def __len__(self) -> int:
        return len(self.features)

    # ------------------------------------------------------------ names

    @cached_property
    def _index(self) -> dict[str, list[tuple[int, float, str]]]:
        """Folded name → (feature, score, how)."""
        out: dict[str, list[tuple[int, float, str]]] = {}

        def add(key: str, i: int, score: float, how: str) -> None:
            if key:
                out.setdefault(key, []).append((i, score, how))

        for i, f in enumerate(self.features):
            loss = _PENALTY.get(f.status, 0.0) + (_ALBEDO_PENALTY if f.code == "AL" else 0.0)
            name = fold(f.name)
            add(name, i, _FOLDED - loss, "folded")
            add(name.replace(" ", ""), i, _FOLDED - 0.01 - loss, "folded") if " " in name else None
            for alias in f.aliases:
                add(fold(alias), i, _ALIAS - loss, "alias")
            bare = without_type(name) if f.code in LATIN_TYPES.values() else None
            if bare is not None:
                add(bare[0], i, _TYPELESS - loss, "alias")
        return out

    @cached_property
    def _keys(self) -> list[str]:
        return [k for k in self._index if len(k) >= 4]

    def lookup(
        self, name: str, fuzzy: bool = True, *, limit: int = 10, cutoff: float = 0.8, codes: Iterable[str] = ()
    ) -> list[Match]:
        """Features a name can mean, best first.

        Parameters
        ----------
        name : as written by a person: any case, accents or not, with or without the type word, a part of a feature
        fuzzy : also forgive typing errors (only where nothing else was found)
        limit : at most so many
        cutoff : smallest similarity (0..1) of a fuzzy match
        codes : keep only these feature codes (``AA`` crater, ``VA`` vallis …)
        """
        key = fold(name)
        if not key:
            return []
        found = self._by_key(key, name)
        if not found:
            split = split_type_word(key)
            if split is not None:
                found = self._by_key(split[0], None)
                if split[1] and any(self.features[i].code in split[1] for i in found):
                    found = {i: v for i, v in found.items() if self.features[i].code in split[1]}
                found = {i: (score - 0.005, "alias") for i, (score, _) in found.items()}
        matches = [Match(self.features[i], score, how) for i, (score, how) in found.items()]
        if not matches:
            matches = self._parts(name)
        if not matches and fuzzy:
            matches = self._fuzzy(key, cutoff)
        wanted = frozenset(codes)
        matches = [m for m in matches if not wanted or m.feature.code in wanted]
        matches.sort(key=lambda m: (-round(m.score, 6), -(m.feature.diameter_m or 0.0), m.feature.name))
        return matches[:limit]

    def find(self, name: str, *, fuzzy: bool = False) -> Feature | None:
        """The best match, or None."""
        matches = self.lookup(name, fuzzy, limit=1)
        return matches[0].feature if matches else None

    def get(self, name: str) -> Feature:
        """The feature of that name.

        Raises
        ------
        UnknownNameError
            Nothing of that name; the message proposes what is spelled alike.
        """
        feature = self.find(name)
        if feature is None:
            near = [m.feature.name for m in self.lookup(name, limit=3, cutoff=0.6)]
            hint = f" Did you mean {', '.join(near)}?" if near else ""
            raise UnknownNameError(f"no place called {name!r} on {self.body.name}.{hint}")
        return feature

    def _by_key(self, key: str, written: str | None) -> dict[int, tuple[float, str]]:
        out: dict[int, tuple[float, str]] = {}
        for i, score, how in self._index.get(key, ()):
            if written is not None and self.features[i].name == written.strip():
                score, how = score + _EXACT - _FOLDED, "exact"
            if i not in out or score > out[i][0]:
                out[i] = (score, how)
        return out

    def _fuzzy(self, key: str, cutoff: float) -> list[Match]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        keys = [key]
        split = split_type_word(key)
        if split is not None and len(split[0]) >= 4:
            keys.append(split[0])
        best: dict[int, float] = {}
        for k in keys:
            if len(k) < 4:
                continue
            hits = process.extract(
                k, self._keys, scorer=OSA.normalized_similarity, score_cutoff=max(cutoff, 1.0 - 2.2 / len(k)), limit=20
            )
            for candidate, similarity, _ in hits:
                for i, score, _ in self._index[candidate]:
                    value = _FUZZY * float(similarity) * score
                    if split is not None and k == split[0] and split[1] and self.features[i].code not in split[1]:
                        value *= 0.95
                    best[i] = max(best.get(i, 0.0), value)
        return [Match(self.features[i], s, "fuzzy") for i, s in best.items()]

    def _parts(self, name: str) -> list[Match]:
        from .parts import split_part, subpart

        split = split_part(fold(name))
        if split is None:
            return []
        found = self.lookup(split.place, fuzzy=False, limit=3)
        out = [(m, subpart(m.feature, split)) for m in found]
        return [Match(part, m.score - 0.02, "part") for m, part in out if part is not None]

    # ------------------------------------------------------------ places

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Any, Any]:
        """(unit vectors (n, 3), radii in radians (n,), boxes (n, 4), round (n,))."""
        n = len(self.features)
        lon = np.array([f.lon for f in self.features]) if n else np.zeros(0)
        lat = np.array([f.lat for f in self.features]) if n else np.zeros(0)
        radius = np.array([f.radius_m for f in self.features]) / self.body.radius_m if n else np.zeros(0)
        none = (np.nan,) * 4
        boxes = np.array([f.bbox if f.bbox is not None else none for f in self.features]).reshape(n, 4)
        rounds = np.array(
            [f.code in ROUND_CODES or f.code == "XP" or f.bbox is None for f in self.features], dtype=bool
        )
        return to_unit(lon, lat), radius, boxes, rounds

    def containing(self, lon: float, lat: float, *, limit: int | None = None) -> list[Feature]:
        """Features whose extent holds a point, smallest first (round ones by radius, others by their box)."""
        return self.containing_many([lon], [lat], limit=limit)[0]

    @cached_property
    def _by_extent(self) -> tuple[Any, Any, Any, Any]:
        """(numbers of the round features, least cosine to their centres, numbers of the others, rank by size and name)."""
        units, radius, _, rounds = self._arrays
        valid = np.array([f.status not in _PENALTY for f in self.features], dtype=bool)
        discs = np.flatnonzero(valid & rounds & (radius > 0))
        order = sorted(range(len(units)), key=lambda i: (radius[i], self.features[i].name))
        rank = np.empty(len(units), dtype=int)
        rank[order] = np.arange(len(units))
        return discs, np.cos(np.minimum(radius[discs] + 1e-9, np.pi)) - 1e-12, np.flatnonzero(valid & ~rounds), rank

    def containing_many(
        self, lon: Sequence[float], lat: Sequence[float], *, limit: int | None = None
    ) -> list[list[Feature]]:
        """`containing` of many points at once: cosines leave out what cannot hold a point, then the same tests."""
        out: list[list[Feature]] = [[] for _ in lon]
        if not self.features:
            return out
        units, radius, boxes, _ = self._arrays
        discs, floor, boxed, rank = self._by_extent
        for start in range(0, len(out), _AT_ONCE):
            x, y = np.asarray(lon[start : start + _AT_ONCE], float), np.asarray(lat[start : start + _AT_ONCE], float)
            u = to_unit(x, y)
            which, column = np.nonzero(u @ units[discs].T >= floor)
            near = discs[column]
            exact = np.asarray(angle_between(units[near], u[which])) <= radius[near] + 1e-12
            south, north = boxes[boxed, 2] - 1e-9, boxes[boxed, 3] + 1e-9
            also, column = np.nonzero((y[:, None] >= south) & (y[:, None] <= north))
            level = boxed[column]
            offset = np.mod(np.asarray(normalise_lon(x))[also] - boxes[level, 0], 360.0)
            width = boxes[level, 1] - boxes[level, 0]
            held = (offset <= width + 1e-9) | (width >= 360.0 - 1e-9) | (np.abs(y[also]) >= 90.0)
            points = np.concatenate([which[exact], also[held]])
            found = np.concatenate([near[exact], level[held]])
            for k in np.lexsort((rank[found], points)):
                own = out[start + int(points[k])]
                if limit is None or len(own) < limit:
                    own.append(self.features[int(found[k])])
        return out

    def nearest(self, lon: float, lat: float, k: int = 5) -> list[tuple[Feature, float]]:
        """The k features whose centres are nearest, with the distance in metres."""
        units = self._arrays[0]
        angle = np.asarray(angle_between(units, to_unit(lon, lat))) if len(units) else np.zeros(0)
        keep = [i for i in np.argsort(angle, kind="stable") if self.features[i].status not in _PENALTY][:k]
        return [(self.features[i], float(angle[i]) * self.body.radius_m) for i in keep]

    def within(self, lon: float, lat: float, radius_m: float) -> list[tuple[Feature, float]]:
        """Features whose centre lies within a distance, nearest first, with the distance in metres."""
        units = self._arrays[0]
        angle = np.asarray(angle_between(units, to_unit(lon, lat))) if len(units) else np.zeros(0)
        hits = np.flatnonzero(angle * self.body.radius_m <= radius_m)
        return [(self.features[i], float(angle[i]) * self.body.radius_m) for i in hits[np.argsort(angle[hits])]]


@lru_cache(maxsize=8)
def _load(body: str) -> Gazetteer:
    if body not in SHIPPED:
        return Gazetteer((), get_body(body))
    data = resources.files("areorag.planet").joinpath("data", f"gazetteer_{body.lower()}.json.gz").read_bytes()
    features = []
    for name, code, kind, lon, lat, diameter, box, status, aliases, parent, iau in json.loads(gzip.decompress(data)):
        bbox = tuple(box) if box is not None else None
        features.append(Feature(name, kind, lon, lat, diameter, bbox, tuple(aliases), body, parent, code, status, iau))
    return Gazetteer(tuple(features), get_body(body))
