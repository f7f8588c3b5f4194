"""Cells: HEALPix against mocpy, and covers that never miss a point of what they cover."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.graph import cells as c
from areorag.planet import healpix
from areorag.planet.bodies import MARS
from areorag.planet.coordinates import angle_between, destination, to_lonlat, to_unit
from areorag.planet.geometry import (
    Geography,
    band,
    bbox,
    bounding_cap,
    buffer,
    cap,
    distance_rad,
    point,
    points,
    polygon,
    polyline,
    sample_part,
    whole_planet,
)

RNG = np.random.default_rng(20260801)


def random_lonlat(n: int) -> tuple[np.ndarray, np.ndarray]:
    v = RNG.normal(size=(n, 3))
    return to_lonlat(v / np.linalg.norm(v, axis=1, keepdims=True))


@pytest.mark.parametrize("order", [1, 3, 7, 10, 14])
def test_points_fall_into_the_cells_that_mocpy_names(order: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mocpy = pytest.importorskip("mocpy")
        units = pytest.importorskip("astropy.units")
        lon, lat = random_lonlat(2_000)
        theirs = mocpy.MOC.from_lonlat(lon * units.deg, lat * units.deg, max_norder=order)
        theirs = np.unique(np.asarray(theirs.flatten()))
    ours = np.unique(healpix.cell_of(order, lon, lat))
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("order", [0, 1, 2, 5, 9, 12])
def test_centres_lie_in_their_cells_and_no_point_beyond_the_bounds(order: int) -> None:
    lon, lat = random_lonlat(20_000)
    cell = healpix.cell_of(order, lon, lat)
    centre = healpix.position(order, cell)
    assert np.array_equal(healpix.cell_of(order, *to_lonlat(centre)), cell)
    away = np.asarray(angle_between(centre, to_unit(lon, lat)))
    assert away.max() <= healpix.circumradius(order)
    near_x, near_y = to_lonlat(centre)
    x, y = destination(near_x, near_y, RNG.uniform(0, 360, len(cell)), np.full(len(cell), healpix.inradius(order)))
    assert np.array_equal(healpix.cell_of(order, x, y), cell)


@pytest.mark.parametrize("order", [2, 3, 4, 6, 10])
def test_cell_edges_bulge_no_more_than_stated(order: int) -> None:
    index = np.arange(12 * 4**order) if order < 5 else RNG.integers(0, 12 * 4**order, 2_000)
    for a, b in (((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))):
        edge = np.stack([healpix.position(order, index, a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)
                         for t in np.linspace(0, 1, 21)], axis=1)  # fmt: skip
        normal = np.cross(edge[:, 0], edge[:, -1])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        off = np.arcsin(np.clip(np.abs(np.einsum("ijk,ik->ij", edge, normal)), 0, 1))
        assert off.max() <= healpix.edge_bulge(order)


def test_ids_parents_and_the_tree() -> None:
    assert c.parse_cell("5/1234") == (5, 1234)
    assert c.parent("5/1234") == "4/308"
    assert c.parent("0/7") is None
    assert c.ancestors(["2/17", "2/18"]) == ["0/1", "1/4"]
    assert c.within_pairs(["2/17"]) == [("1/4", "0/1"), ("2/17", "1/4")]


def covered(cells: list[str], lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    out = np.zeros(len(lon), dtype=bool)
    for order in {c.parse_cell(x)[0] for x in cells}:
        own = [i for o, i in map(c.parse_cell, cells) if o == order]
        out |= np.isin(healpix.cell_of(order, lon, lat), own)
    return out


def points_of(geog: Geography) -> tuple[np.ndarray, np.ndarray]:
    """Points of a geography: along its outline, and inside it."""
    centre, radius = bounding_cap(geog)
    found = [sample_part(p, 0.05) for p in geog.parts if geog.margin_rad == 0]
    lon, lat = to_lonlat(centre)
    x, y = (destination(lon, lat, RNG.uniform(0, 360, 1_500), min(radius, math.pi) * np.sqrt(RNG.uniform(0, 1, 1_500)))
            if radius < 1.5 else random_lonlat(1_500))  # fmt: skip
    inside = np.array([distance_rad(geog, point(a, b)) <= 1e-11 for a, b in zip(x, y, strict=True)])
    found.append(np.column_stack([x, y])[inside])
    xy = np.vstack(found)
    return xy[:, 0], xy[:, 1]


@pytest.mark.parametrize(
    "geog",
    [band(40, 60), band(60, 90), band(-30, 90), whole_planet(), bbox(170, -170, -10, 10), bbox(-180, 180, 89, 90),
     cap(180, 0, 2e5, MARS), cap(30, -90, 1e5, MARS), cap(0, 0, 5e6, MARS), polyline([[0, 0], [170, 10], [-170, -80]]),
     buffer(polyline([[77, 18], [77.4, 18.5]]), 20_000, MARS), points([[1, 2], [3, 4], [180, 0]]),
     polygon([[0, 0], [30, 1e-6], [60, 0], [30, -1e-6]])],
    ids=lambda g: repr(g)[:40],
)  # fmt: skip
def test_awkward_sets_are_covered_wholly_by_at_most_64_cells(geog: Geography) -> None:
    cells = c.cover(geog)
    assert 0 < len(cells) <= 64
    assert len(set(cells)) == len(cells)
    lon, lat = points_of(geog)
    assert covered(cells, lon, lat).all()


@settings(max_examples=12, deadline=None)
@given(st.floats(-180, 179.9), st.floats(-89, 89), st.floats(0, 360), st.floats(1e-5, 0.3), st.floats(0.001, 1.0))
def test_random_strips_are_covered_wholly(lon: float, lat: float, turn: float, length: float, slim: float) -> None:
    ring = []
    for along, across in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = destination(lon, lat, turn, along * length / 2)
        ring.append([float(v) for v in destination(x, y, turn + 90, across * length * slim / 2)])
    geog = polygon(ring)
    cells = c.cover(geog)
    assert len(cells) <= 64
    lon_, lat_ = points_of(geog)
    assert covered(cells, lon_, lat_).all()


def test_covers_of_many_are_the_covers_of_each_and_respect_the_limit() -> None:
    geogs = [bbox(x, x + 3, y, y + 1) for x, y in zip(range(-170, 170, 40), range(-80, 80, 18), strict=False)]
    geogs += [whole_planet(), point(5, 5), cap(10, 10, 1e4, MARS)]
    assert c.cover_many(geogs) == [c.cover(g) for g in geogs]
    assert all(len(cells) <= 12 for cells in c.cover_many(geogs, max_cells=12))
    assert c.cover(whole_planet()) == [f"0/{i}" for i in range(12)]


def test_two_sets_that_meet_share_a_cell_or_one_lies_under_the_other() -> None:
    """What the database query relies on."""
    small, large = bbox(77, 77.4, 18, 18.4), cap(80, 20, 400_000, MARS)
    cells, above = c.query_cells(large)
    own = c.cover(small)
    under = {a for cell in own for a in [cell, *c.ancestors([cell])]}
    assert under & set(cells) or set(own) & set(above)


def test_moc_and_back() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mocpy")
        cells = c.cover(bbox(10, 12, 20, 22))
        assert c.from_moc(c.to_moc(cells)) == cells
