"""Which observations form one co-location hyperedge: the definition, in memory (AreoRAG §III-B 2, Definition 2).

Definition. Two observations are *neighbours* when they lie on one body, their footprints meet on the sphere (touching
counts), and the scale and time rules allow it. Order observations by (extent of the footprint, id): smallest first.

* The *focus* of an observation is the first of itself and its neighbours in that order: the smallest footprint it
  meets. An observation that is its own focus is a *local minimum*.
* The *witnesses* of a local minimum are the first `witnesses` of its neighbours in that order.
* The co-location of a focus `a` is {a} ∪ {f : focus(f) = a} ∪ (witnesses of a, if a is a local minimum), where that is
  at least two observations.

What follows from it, and is tested:

* *Order does not matter*: the definition speaks of sets only. Adding, deleting and adding again in any order gives the
  same co-locations.
* *O(k) relationships*: each observation has one focus, and each focus itself and at most `witnesses` more, so n
  observations give at most (2 + witnesses)·n; k observations that all meet give one hyperedge of k. The line graph
  has k(k-1)/2.
* *Local*: a new observation changes the focus and witnesses of its neighbours and of nothing else.
* *Exact*: every member's footprint meets that of the focus, the smallest of them, so that the members share a place
  and not merely a chain of overlaps.

It gives up one thing: two neighbours need not share a hyperedge (they always do where all k meet). The share that does
is measured in docs/hysh.md; :meth:`ColocationIndex.line_graph` is the complete graph it is measured against.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GeometryError, UsageError

Float = NDArray[np.float64]


@dataclass(frozen=True)
class ColocationRules:
    """Scale and time rules.

    Attributes
    ----------
    max_scale_ratio : resolutions further apart than this do not co-locate (a 14 µm lens frame and a 463 m grid cell
        say nothing about each other); an unknown resolution passes
    max_gap_days : longest time between two observations; None: any. Repeat coverage years apart is what changes of the
        surface are seen by, so the default sets no limit
    max_fraction : footprints larger than this share of the sphere do not co-locate; the cell tree leads to them
    witnesses : c, how many neighbours a local minimum binds at least, as far as there are
    """

    max_scale_ratio: float = 1e5
    max_gap_days: float | None = None
    max_fraction: float = 0.25
    witnesses: int = 8

    def __post_init__(self) -> None:
        gap = self.max_gap_days
        if not (self.max_scale_ratio >= 1 and 0 < self.max_fraction <= 1 and self.witnesses >= 1):
            raise UsageError("co-location rules: max_scale_ratio ≥ 1, 0 < max_fraction ≤ 1, witnesses ≥ 1")
        if gap is not None and not (math.isfinite(gap) and gap >= 0):
            raise UsageError("co-location rules: max_gap_days must be a non-negative number or None")

    @property
    def version(self) -> str:
        """Names the rules; stored on every co-location."""
        gap = "any" if self.max_gap_days is None else f"{self.max_gap_days:g}d"
        return f"smallest/1;scale={self.max_scale_ratio:g};gap={gap};area={self.max_fraction:g};c={self.witnesses}"


@dataclass(frozen=True)
class Site:
    """An observation as co-location sees it.

    Attributes
    ----------
    id, body : names
    geog : `areorag.planet.geometry.Geography`
    rho : depth ln(ℓ_max/ℓ), None where the resolution is unknown
    start_s, stop_s : seconds since 1970, None where unknown
    member : what a co-location's midpoint and words need of it (`colocation.describe`), where they are wanted
    """

    id: str
    body: str
    geog: Any
    rho: float | None = None
    start_s: float | None = None
    stop_s: float | None = None
    member: dict[str, Any] | None = None


_PIECE_RAD = math.radians(1.0)


@dataclass
class _Placed:
    site: Site
    number: int
    centre: Float
    radius: float
    boxes: Float  # (pieces, 6)
    near: set[str] = field(default_factory=set)

    @property
    def key(self) -> tuple[float, str]:
        return self.radius, self.site.id


class ColocationIndex:
    """Sites and who neighbours whom, kept up to date one site at a time.

    Neighbours come from an R-tree of 3-D boxes on the unit sphere, then the bounding caps, then the exact spherical
    predicate (with its two arguments ordered by id, so that rounding at a touching edge cannot depend on who came
    first).
    """

    def __init__(self, rules: ColocationRules | None = None) -> None:
        from rtree import index

        self.rules = rules or ColocationRules()
        self._property = index.Property(dimension=3)
        self._tree = index.Index(properties=self._property)
        self._sites: dict[str, _Placed] = {}
        self._by_number: dict[int, _Placed] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._sites)

    def __contains__(self, name: object) -> bool:
        return name in self._sites

    # --- changing -------------------------------------------------------------------------------------------------

    def add(self, sites: Iterable[Site]) -> set[str]:
        """Add sites (one that is there already is replaced). Returns the ids whose focus or witnesses may differ."""
        touched: set[str] = set()
        for site in sites:
            if site.id in self._sites:
                touched |= self.remove([site.id])
            placed = self._place(site)
            if placed is None:
                continue
            placed.near = set(self._meeting(placed))
            for other in placed.near:
                self._sites[other].near.add(site.id)
            self._sites[site.id] = self._by_number[placed.number] = placed
            for box in placed.boxes:
                self._tree.insert(placed.number, box)
            touched |= placed.near | {site.id}
        return touched

    def fill(self, sites: Iterable[Site]) -> None:
        """Add many sites to an empty index at once (bulk-loaded tree); the outcome is that of :meth:`add`."""
        from rtree import index

        if self._sites:
            self.add(sites)
            return
        placed = [p for p in map(self._place, {s.id: s for s in sites}.values()) if p is not None]
        if not placed:
            return
        boxes = np.concatenate([p.boxes for p in placed])
        numbers = np.repeat([p.number for p in placed], [len(p.boxes) for p in placed])
        stream = ((int(i), box, None) for i, box in zip(numbers, boxes, strict=True))
        self._tree = index.Index(stream, properties=self._property)
        self._by_number = {p.number: p for p in placed}
        self._sites = {p.site.id: p for p in placed}
        for p in placed:
            for other in self._meeting(p, later_only=True):
                p.near.add(other)
                self._sites[other].near.add(p.site.id)

    def remove(self, ids: Iterable[str]) -> set[str]:
        """Remove sites; unknown ids are ignored. Returns the ids whose focus or witnesses may differ."""
        touched: set[str] = set()
        for name in ids:
            placed = self._sites.pop(name, None)
            if placed is None:
                continue
            del self._by_number[placed.number]
            for box in placed.boxes:
                self._tree.delete(placed.number, box)
            for other in placed.near:
                self._sites[other].near.discard(name)
            touched |= placed.near
            touched.discard(name)
        return touched & self._sites.keys()

    # --- reading --------------------------------------------------------------------------------------------------

    def site(self, name: str) -> Site:
        """The site of an id that is in the index."""
        return self._sites[name].site

    def neighbours(self, name: str) -> frozenset[str]:
        """Ids of the observations that meet this one under the rules."""
        placed = self._sites.get(name)
        return frozenset(placed.near) if placed else frozenset()

    def focus(self, name: str) -> str:
        """The smallest footprint that `name` meets (itself counts); `name` where it is not indexed."""
        placed = self._sites.get(name)
        if placed is None:
            return name
        return min((placed.key, *(self._sites[o].key for o in placed.near)))[1]

    def witnesses(self, name: str) -> tuple[str, ...]:
        """The first `rules.witnesses` neighbours of a local minimum, smallest footprint first; else nothing."""
        placed = self._sites.get(name)
        if placed is None or self.focus(name) != name:
            return ()
        return tuple(k[1] for k in sorted(self._sites[o].key for o in placed.near)[: self.rules.witnesses])

    def group(self, name: str) -> tuple[str, ...]:
        """Members of the co-location whose focus is `name`, sorted by id; () where there is none."""
        placed = self._sites.get(name)
        if placed is None:
            return ()
        members = {o for o in placed.near if self.focus(o) == name} | set(self.witnesses(name))
        return tuple(sorted(members | {name})) if members else ()

    def groups(self) -> dict[str, tuple[str, ...]]:
        """All co-locations: focus → members sorted by id."""
        found: dict[str, set[str]] = {}
        for name in self._sites:
            focus = self.focus(name)
            if focus != name:
                found.setdefault(focus, {focus}).add(name)
            else:
                witnesses = self.witnesses(name)
                if witnesses:
                    found.setdefault(name, {name}).update(witnesses)
        return {focus: tuple(sorted(members)) for focus, members in sorted(found.items())}

    def line_graph(self) -> Iterator[tuple[str, str]]:
        """The multi-source line graph, built for real: one edge for every pair of neighbours."""
        for name in sorted(self._sites):
            for other in sorted(self._sites[name].near):
                if name < other:
                    yield name, other

    # --- neighbours -----------------------------------------------------------------------------------------------

    def _place(self, site: Site) -> _Placed | None:
        from ..planet.geometry import area_fraction, bounding_cap

        geog = site.geog
        if geog is None or geog.whole or area_fraction(geog) > self.rules.max_fraction:
            return None
        try:
            centre, radius = bounding_cap(geog)
        except GeometryError:
            return None
        self._next += 1
        centre = np.asarray(centre, dtype=np.float64)
        return _Placed(site, self._next, centre, float(radius), _boxes(geog, centre, float(radius)))

    def _meeting(self, placed: _Placed, *, later_only: bool = False) -> list[str]:
        numbers = {i for box in placed.boxes for i in self._tree.intersection(box)}
        if later_only:
            numbers = {i for i in numbers if i > placed.number}
        found = [self._by_number[i] for i in sorted(numbers)]
        found = [o for o in found if o.site.id != placed.site.id and self._allowed(placed.site, o.site)]
        if not found:
            return []
        apart = np.linalg.norm(np.array([o.centre for o in found]) - placed.centre, axis=1)
        reach = np.minimum(np.array([o.radius for o in found]) + placed.radius, math.pi) + 1e-9
        found = [o for o, ok in zip(found, apart <= 2 * np.sin(reach / 2) + 1e-12, strict=True) if ok]
        meets = footprints_meet(placed.site.geog, placed.site.id, [(o.site.geog, o.site.id) for o in found])
        return [o.site.id for o, ok in zip(found, meets, strict=True) if ok]

    def _allowed(self, a: Site, b: Site) -> bool:
        if a.body != b.body:
            return False
        if a.rho is not None and b.rho is not None and abs(a.rho - b.rho) > math.log(self.rules.max_scale_ratio):
            return False
        if self.rules.max_gap_days is None:
            return True
        first, second = sorted((_interval(a), _interval(b)))
        return second[0] - first[1] <= self.rules.max_gap_days * 86400.0


def _interval(site: Site) -> tuple[float, float]:
    """(start, stop) seconds; an unknown end is the known one; both unknown: always (passes the time rule)."""
    start = site.start_s if site.start_s is not None else site.stop_s
    stop = site.stop_s if site.stop_s is not None else site.start_s
    if start is None or stop is None:
        return -math.inf, math.inf
    return min(start, stop), max(start, stop)


def _boxes(geog: Any, centre: Float, radius: float) -> Float:
    """(pieces, 6) boxes on the unit sphere (lowest x, y, z, highest x, y, z) that hold the footprint together.

    A long line gets a box for every degree or so, everything else one: that of its vertices, widened by what an arc or
    an interior can bulge out of it (1 - cos of the angle), cut with the box of the bounding cap.
    """
    from ..planet.coordinates import to_unit
    from ..planet.geometry import sample_part, vertices

    angle = np.arccos(np.clip(centre, -1.0, 1.0))
    low = np.cos(np.minimum(angle + radius, math.pi))
    high = np.cos(np.maximum(angle - radius, 0.0))
    if radius >= math.pi / 2 or geog.margin_rad > 0:
        return _widened(low, high, 0.0)
    if geog.dimension == 1 and len(geog.parts) == 1 and radius > _PIECE_RAD:
        points = to_unit(*sample_part(geog.parts[0], 1.0).T)
        first, second = points[:-1], points[1:]
        step = float(np.max(np.linalg.norm(second - first, axis=1), initial=0.0))
        if step < 2 * _PIECE_RAD:  # one chain: no jump between separate lines
            sag = 1.0 - math.cos(_PIECE_RAD)
            return _widened(np.minimum(first, second), np.maximum(first, second), sag)
    points = to_unit(*vertices(geog).T)
    bulge = 1.0 - math.cos(radius)
    return _widened(np.maximum(low, points.min(axis=0) - bulge), np.minimum(high, points.max(axis=0) + bulge), 0.0)


def _widened(low: Float, high: Float, by: float) -> Float:
    return np.concatenate([np.atleast_2d(low) - (by + 1e-9), np.atleast_2d(high) + (by + 1e-9)], axis=1)


def footprints_meet(geog: Any, name: str, others: list[tuple[Any, str]]) -> list[bool]:
    """Whether `geog` meets each of the others on the sphere, exactly; symmetric to the last bit (ordered by id)."""
    from ..planet.geometry import TOUCH_RAD, intersects

    out = [False] * len(others)
    plain: dict[bool, list[int]] = {True: [], False: []}
    for i, (other, other_name) in enumerate(others):
        if _is_plain(geog) and _is_plain(other):
            plain[name < other_name].append(i)
        else:
            out[i] = intersects(geog, other) if name < other_name else intersects(other, geog)
    distance = _sphere_distance()
    for first, rows in plain.items():
        if rows:
            parts = np.array([others[i][0].parts[0] for i in rows], dtype=object)
            own = geog.parts[0]
            found = distance(own, parts, radius=1.0) if first else distance(parts, own, radius=1.0)
            for i, d in zip(rows, np.atleast_1d(found), strict=True):
                out[i] = bool(d <= TOUCH_RAD)
    return out


def _is_plain(geog: Any) -> bool:
    return not geog.whole and geog.margin_rad == 0.0 and len(geog.parts) == 1


def _sphere_distance() -> Callable[..., Any]:
    import spherely

    return spherely.distance  # type: ignore[no-any-return]
