"""Co-location hyperedges: independent of order, local, exact, and O(k) where the line graph is O(k²)."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import UsageError
from areorag.graph.colocation_index import ColocationIndex, ColocationRules, Site
from areorag.planet import geometry

CASES = int(os.environ.get("AREORAG_HYPOTHESIS", "40"))


def square(name: str, lon: float, lat: float, half: float, **fields: object) -> Site:
    ring = [[lon - half, lat - half], [lon + half, lat - half], [lon + half, lat + half], [lon - half, lat + half]]
    geog = geometry.footprint({"type": "Polygon", "coordinates": [[*ring, ring[0]]]})
    return Site(name, str(fields.pop("body", "Mars")), geog, **fields)  # type: ignore[arg-type]


def spot(name: str, lon: float, lat: float) -> Site:
    return Site(name, "Mars", geometry.point(lon, lat))


def cluster(seed: int, n: int) -> list[Site]:
    """Footprints of three scales, spots and a strip over the pole and the antimeridian, many of them overlapping."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        lon, lat = rng.choice([179.9, 77.0]) + rng.normal() * 0.3, rng.choice([18.0, -4.0]) + rng.normal() * 0.3
        kind = rng.integers(4)
        out.append(
            spot(f"s{i:03}", lon, lat) if kind == 0 else square(f"q{i:03}", lon, lat, [0.02, 0.1, 0.5][kind - 1])
        )
    return out


def brute_groups(sites: list[Site], rules: ColocationRules) -> dict[str, tuple[str, ...]]:
    """The definition, written again with nothing but pairwise tests."""
    key = {s.id: (geometry.bounding_cap(s.geog)[1], s.id) for s in sites}
    near = {
        a.id: {
            b.id
            for b in sites
            if b is not a
            and geometry.intersects(*sorted((a.geog, b.geog), key=lambda g: g is not (a if a.id < b.id else b).geog))
        }
        for a in sites
    }
    focus = {a: min([key[a], *(key[b] for b in near[a])])[1] for a in near}
    out: dict[str, set[str]] = {}
    for a in near:
        if focus[a] != a:
            out.setdefault(focus[a], {focus[a]}).add(a)
        elif near[a]:
            out.setdefault(a, {a}).update(sorted(near[a], key=key.__getitem__)[: rules.witnesses])
    return {a: tuple(sorted(m)) for a, m in out.items()}


@settings(max_examples=CASES, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30), st.randoms(use_true_random=False))
def test_adding_deleting_and_adding_again_in_any_order_gives_the_same_colocations(
    seed: int, n: int, shuffle: random.Random
) -> None:
    sites = cluster(seed, n)
    rules = ColocationRules(witnesses=3)
    want = brute_groups(sites, rules)
    at_once = ColocationIndex(rules)
    at_once.fill(sites)
    assert at_once.groups() == want
    step = ColocationIndex(rules)
    order = sites[:]
    shuffle.shuffle(order)
    for site in order:
        step.add([site])
        if shuffle.random() < 0.3:
            victim = shuffle.choice(order)
            step.remove([victim.id])
    shuffle.shuffle(order)
    step.add([s for s in order if s.id not in step])
    assert step.groups() == want
    assert {a: step.group(a) for a in want} == want


@settings(max_examples=CASES, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 30))
def test_a_new_observation_touches_only_its_neighbours(seed: int, n: int) -> None:
    *sites, new = cluster(seed, n)
    index = ColocationIndex()
    index.fill(sites)
    before = {s.id: (index.focus(s.id), index.witnesses(s.id)) for s in sites}
    touched = index.add([new])
    assert touched == index.neighbours(new.id) | {new.id}
    for site in sites:
        if site.id not in touched:
            assert (index.focus(site.id), index.witnesses(site.id)) == before[site.id]
    index.remove([new.id])
    assert {s.id: (index.focus(s.id), index.witnesses(s.id)) for s in sites} == before


@pytest.mark.parametrize("k", [2, 10, 60])
def test_k_observations_that_all_meet_are_one_hyperedge_of_k_relationships(k: int) -> None:
    rng = np.random.default_rng(k)
    index = ColocationIndex()
    index.fill(
        [
            square(f"o{i:03}", 77.4 + 0.01 * rng.normal(), 18.4 + 0.01 * rng.normal(), 0.1 + rng.uniform())
            for i in range(k)
        ]
    )
    groups = index.groups()
    assert len(groups) == 1
    assert sum(map(len, groups.values())) == k
    assert len(list(index.line_graph())) == k * (k - 1) // 2


@settings(max_examples=CASES, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 8))
def test_relationships_are_at_most_a_constant_times_the_observations(seed: int, n: int, c: int) -> None:
    index = ColocationIndex(ColocationRules(witnesses=c))
    index.fill(cluster(seed, n))
    groups = index.groups()
    assert sum(map(len, groups.values())) <= (2 + c) * n
    grouped = {m for members in groups.values() for m in members}
    assert grouped == {s for s in (x.id for x in cluster(seed, n)) if index.neighbours(s)}
    for focus, members in groups.items():
        assert set(members) - {focus} <= index.neighbours(focus)


def test_many_coarse_over_many_fine_stays_linear_where_stars_would_be_quadratic() -> None:
    sites = [square(f"coarse{i:02}", 10, 10, 3 + 0.01 * i) for i in range(40)]
    sites += [square(f"fine{i:02}", 8 + 0.1 * i, 10, 0.01) for i in range(40)]
    index = ColocationIndex()
    index.fill(sites)
    assert len(list(index.line_graph())) >= 40 * 40
    assert sum(map(len, index.groups().values())) <= 10 * len(sites)


def test_the_papers_example_is_one_hyperedge_of_three() -> None:
    index = ColocationIndex()
    index.fill(
        [
            square("CTX", 77.5, 18.4, 0.3, rho=13.2),
            square("HIRISE", 77.45, 18.45, 0.05, rho=16.2),
            square("CRISM", 77.4, 18.4, 0.1, rho=12.1),
        ]
    )
    assert index.groups() == {"HIRISE": ("CRISM", "CTX", "HIRISE")}


def test_footprints_meet_over_the_pole_and_the_antimeridian_and_where_they_only_touch() -> None:
    strip = Site("strip", "Mars", geometry.footprint("LINESTRING(30 88, -150 88)"))
    index = ColocationIndex()
    index.fill([strip, spot("pole", 0, 90), square("east", 179.9, 0, 0.2), square("west", -179.9, 0, 0.2)])
    assert index.neighbours("strip") == {"pole"}
    assert index.neighbours("east") == {"west"}
    touch = ColocationIndex()
    touch.fill([square("a", 0, 0, 1), square("b", 2, 0, 1), square("c", 4.1, 0, 1)])
    assert touch.neighbours("b") == {"a"}


def test_scale_time_area_and_body_rules_keep_observations_apart() -> None:
    def pairs(a: Site, b: Site, **rules: object) -> int:
        index = ColocationIndex(ColocationRules(**rules))  # type: ignore[arg-type]
        index.fill([a, b])
        return len(list(index.line_graph()))

    a, far = square("a", 0, 0, 1, rho=20.0), square("b", 0, 0, 2, rho=5.0)
    assert pairs(a, far) == 0
    assert pairs(a, far, max_scale_ratio=1e9) == 1
    assert pairs(a, square("b", 0, 0, 2)) == 1
    day = 86400.0
    old, new = square("o", 0, 0, 1, start_s=0.0, stop_s=day), square("n", 0, 0, 2, start_s=11 * day)
    assert pairs(old, new) == 1
    assert pairs(old, new, max_gap_days=9.0) == 0
    assert pairs(old, new, max_gap_days=10.0) == 1
    assert pairs(old, square("n", 0, 0, 2), max_gap_days=1.0) == 1
    assert pairs(a, square("b", 0, 0, 2, body="Moon")) == 0
    assert pairs(a, Site("w", "Mars", geometry.whole_planet())) == 0
    assert pairs(a, Site("h", "Mars", geometry.band(0, 90))) == 0


def test_impossible_rules_are_named_errors() -> None:
    for bad in ({"max_scale_ratio": 0.5}, {"witnesses": 0}, {"max_fraction": 0.0}, {"max_gap_days": -1.0}):
        with pytest.raises(UsageError, match="co-location"):
            ColocationRules(**bad)  # type: ignore[arg-type]
    assert ColocationRules().version != ColocationRules(witnesses=4).version
