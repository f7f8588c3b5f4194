"""Sparse spatial search: exact in memory and through the database, relations, empty answers explained."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import UsageError
from areorag.evaluate import spatial as evaluation
from areorag.evaluate import spatial_oracle as oracle
from areorag.evaluate.synthetic import PAPER_SHARES, PAPER_TOTAL, shares, synthetic_archive
from areorag.graph.rows import HyperedgeRow, wkt_of
from areorag.planet.bodies import EARTH, MARS
from areorag.planet.coordinates import to_lonlat
from areorag.planet.geometry import (
    TOUCH_RAD,
    WHOLE,
    Geography,
    band,
    bbox,
    buffer,
    cap,
    covers,
    distance_m,
    footprint,
    intersects,
    point,
    polygon,
    polyline,
)
from areorag.retrieval.spatial import RELATIONS, SpatialIndex, f_sparse
from areorag.retrieval.spatial_arrays import FootprintArrays
from areorag.retrieval.spatial_bounds import edge_z, lon_range, nearest_arc, wrap
from areorag.retrieval.spatial_build import build_many

PLACES: dict[str, Any] = {
    "tile": bbox(77, 78, 18, 19), "strip": footprint("POLYGON((77.2 18.2, 77.3 18.2, 77.35 18.9, 77.25 18.9, 77.2 18.2))"),
    "rover": point(77.45, 18.44), "track": polyline([[77.0, 10], [77.8, 25]]), "far": point(-120, -40),
    "over": footprint("POLYGON((179 0, -179 0.1, -179 2, 179 2.1, 179 0))"), "planet": WHOLE, "cap": band(-90, -80),
}  # fmt: skip


@pytest.fixture(scope="module")
def index() -> SpatialIndex:
    arrays = FootprintArrays.from_geographies(list(PLACES), list(PLACES.values()), MARS)
    return SpatialIndex(None, arrays=arrays)


def ids(index: SpatialIndex, region: Any, epsilon: float | None = None, relation: str = "intersects") -> set[str]:
    return set(index.candidates(region, epsilon, relation).ids) - {"planet"}


def test_what_meets_a_region_is_found_and_nothing_else(index: SpatialIndex) -> None:
    assert ids(index, bbox(77.4, 77.5, 18.4, 18.5)) == {"tile", "rover", "track"}
    assert ids(index, bbox(179.5, -179.5, 1, 1.5)) == {"over"}
    assert ids(index, point(180, 1)) == {"over"}
    assert ids(index, point(33, -90)) == {"cap"}
    assert ids(index, WHOLE) == set(PLACES) - {"planet"}
    assert "planet" in index.candidates(point(3, 3)).ids


def test_distance_is_measured_from_the_outline_and_sorts_the_answer(index: SpatialIndex) -> None:
    found = index.candidates(point(77.45, 19.5), 60_000)
    d = dict(zip(found.ids, found.distance_m, strict=True))
    assert found.ids[0] == "planet"
    assert d["tile"] == pytest.approx(0.5 * MARS.metres_per_degree, rel=1e-3)
    assert "rover" not in d
    assert list(found.distance_m) == sorted(found.distance_m)
    assert found.f_sparse().tolist() == pytest.approx([1 / (1 + x / 60_000) for x in found.distance_m])


def test_relations_mean_what_they_say(index: SpatialIndex) -> None:
    assert ids(index, bbox(77, 78, 18, 19), relation="within") == {"tile", "strip", "rover"}
    assert ids(index, cap(77.45, 18.44, 1_000, MARS), relation="within") == {"rover"}
    assert ids(index, point(77.25, 18.5), relation="contains") == {"tile", "strip"}
    assert ids(index, bbox(77.5, 77.6, 18.1, 18.2), relation="contains") == {"tile"}
    assert ids(index, [point(77.45, 18.3), point(77.45, 18.6)], 2_000, "along") == {"tile", "rover", "track"}
    assert ids(index, [point(77.0, 18.44), point(77.9, 18.44)], 3_000, "between") >= {"tile", "strip", "rover"}
    assert "over" not in ids(index, [point(77.0, 18.44), point(77.9, 18.44)], None, "between")
    assert ids(index, point(77.5, 17.0), 200_000, "north_of") == {"tile", "strip", "rover", "track"}
    assert ids(index, point(77.5, 20.0), 200_000, "south_of") >= {"tile", "strip", "rover"}
    assert ids(index, point(76.0, 18.5), 200_000, "east_of") >= {"tile", "rover"}
    assert ids(index, point(76.0, 18.5), 200_000, "west_of") == set()
    assert "cap" not in ids(index, point(0, -90), 1e6, "north_of")  # it meets the pole


def test_every_relation_has_a_default_distance_and_a_meaning(index: SpatialIndex) -> None:
    for relation in RELATIONS:
        region = [point(77.0, 18.0), point(77.5, 18.5)]
        found = index.candidates(region, relation=relation)
        assert found.epsilon_m >= 0
        assert found.relation == relation
        assert RELATIONS[relation]


def test_unions_are_any_of_their_members(index: SpatialIndex) -> None:
    assert ids(index, [bbox(77.4, 77.5, 18.4, 18.5), point(-120, -40)]) == {"tile", "rover", "track", "far"}
    assert ids(index, [cap(77.45, 18.44, 10, MARS), cap(-120, -40, 20, MARS)]) == {"tile", "rover", "far"}


def test_an_empty_answer_says_what_is_nearest_and_what_to_relax() -> None:
    geogs = {k: v for k, v in PLACES.items() if k != "planet"}
    small = SpatialIndex(None, arrays=FootprintArrays.from_geographies(list(geogs), list(geogs.values()), MARS))
    found = small.candidates(point(-120, -41), 1_000)
    assert found.ids == []
    assert found.nearest[0][0] == "far"
    assert found.nearest[0][1] == pytest.approx(MARS.metres_per_degree, rel=1e-6)
    assert any("far" in line for line in found.advice)
    assert any("65.2 km" in line for line in found.advice)
    part = small.candidates(bbox(77.2, 77.3, 18.5, 18.6), relation="within")
    assert part.ids == []
    assert "intersect" in part.advice[0]


def test_questions_that_make_no_sense_are_refused(index: SpatialIndex) -> None:
    for args in (([],), (point(0, 0), -1.0), (point(0, 0), math.nan), (point(0, 0), 1.0, "beside"),
                 ([point(0, 0)], None, "between")):  # fmt: skip
        with pytest.raises(UsageError):
            index.candidates(*args)
    with pytest.raises(UsageError):
        SpatialIndex(None)
    with pytest.raises(UsageError):
        f_sparse([1.0], 0.0)


def test_sparse_score_is_one_where_they_meet_and_falls_with_distance() -> None:
    assert f_sparse([0.0, 1_000.0, 3_000.0], 1_000.0).tolist() == [1.0, 0.5, 0.25]


def test_nearest_is_exact_and_in_order() -> None:
    rng = np.random.default_rng(5)
    geogs = [cap_free(rng) for _ in range(300)]
    arrays = FootprintArrays.from_geographies([f"g{i}" for i in range(300)], geogs, MARS)
    for _ in range(10):
        here = point(float(rng.uniform(-180, 180)), float(rng.uniform(-89, 89)))
        true = sorted(distance_m(g, here, MARS) for g in geogs)[:4]
        assert [d for _, d in arrays.nearest(here, 4)] == pytest.approx(true, rel=1e-9, abs=1e-3)


def cap_free(rng: np.random.Generator) -> Geography:
    lon, lat, w = float(rng.uniform(-180, 180)), float(rng.uniform(-85, 84)), float(rng.uniform(0.01, 3))
    return bbox(lon, lon + w, lat, lat + w / 3) if rng.uniform() < 0.7 else point(lon, lat)


def test_outlines_built_in_bulk_are_those_built_one_by_one() -> None:
    rng = np.random.default_rng(8)
    made = [evaluation.figure(rng, region=False).geojson for _ in range(250)]
    wkt = [wkt_of(g) for g in made]
    first, plain = build_many([w for w in wkt if w is not None])
    assert len(plain) < len(made)
    for i, g in enumerate(made):
        one = footprint(g)
        many = plain.get(i) or Geography((first[i],), dimension=one.dimension)
        assert many.whole == one.whole
        if not one.whole:
            assert covers(one, many)
            assert covers(many, one)


def test_the_index_never_leaves_out_what_the_predicate_finds() -> None:
    rng = np.random.default_rng(13)
    geogs = [footprint(evaluation.figure(rng, region=False).geojson) for _ in range(220)]
    arrays = FootprintArrays.from_geographies([str(i) for i in range(len(geogs))], geogs, MARS)
    for _ in range(25):
        region = footprint(evaluation.figure(rng, region=True).geojson)
        found = set(arrays.search(region).at.tolist())
        assert found == {i for i, g in enumerate(geogs) if intersects(g, region)}
        inside = arrays.search(region).at
        inside = set(inside[arrays.covered_by(inside, region)].tolist())
        assert inside == {i for i in found if covers(region, geogs[i])}
        grown = set(arrays.search(region, 100_000.0).at.tolist())
        assert grown == {i for i, g in enumerate(geogs) if distance_m(g, region, MARS) <= 100_000.0}


def test_footprints_with_a_margin_are_refused() -> None:
    with pytest.raises(ValueError, match="margin"):
        FootprintArrays.from_geographies(["a"], [buffer(point(0, 0), 10, MARS)], MARS)


# ------------------------------------------------------------------ the oracle and the evaluation


def test_the_oracle_knows_simple_cases() -> None:
    box, dot = oracle.box(10, 20, 0, 10), oracle.point(15, 5)
    assert oracle.meet(box, dot, 0.0) is True
    assert oracle.meet(box, oracle.point(21, 5), 0.0) is False
    assert oracle.meet(box, oracle.point(20.00000001, 5), 0.0) is None
    assert oracle.meet(box, oracle.point(21, 0.0), math.radians(1.001)) is True
    assert oracle.inside(dot, box) is True
    assert oracle.meet(oracle.box(-180, 180, 60, 90), oracle.point(3, 90), 0.0) is True
    line = oracle.line(oracle.xyz([5.0, 25.0], [5.0, 5.0]))
    assert oracle.meet(box, line, 0.0) is True
    assert oracle.inside(line, box) is False


def test_the_oracle_shares_no_code_with_the_product() -> None:
    import ast
    from pathlib import Path

    for module in ("spatial_oracle", "spatial_shapes"):
        tree = ast.parse(Path(evaluation.__file__).with_name(f"{module}.py").read_text("utf-8"))
        names = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        assert not {
            n for n in names if "planet" in n or "retrieval" in n or "graph" in n or "spherely" in n or "shapely" in n
        }


def test_a_short_evaluation_finds_nothing_missed_and_nothing_extra() -> None:
    report = evaluation.run(40, seed=3, footprints=80, database=False)
    assert report["missed"] == report["extra"] == 0, report["wrong"]
    assert report["hits"] > 50
    assert {"n", "p50_ms", "p95_ms", "brute_p50_ms", "strtree_p50_ms"} <= set(report)


def test_the_evaluation_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    real = FootprintArrays.search

    def lossy(self: FootprintArrays, region: Geography, epsilon_m: float = 0.0) -> Any:
        found = real(self, region, epsilon_m)
        return found._replace(at=found.at[::2], distance_m=found.distance_m[::2])

    monkeypatch.setattr(FootprintArrays, "search", lossy)
    assert evaluation.run(15, seed=3, footprints=60, database=False)["missed"] > 0


# ------------------------------------------------------------------ the synthetic archive


def test_the_synthetic_archive_has_the_papers_proportions() -> None:
    assert shares() == PAPER_SHARES
    assert sum(shares(4_999).values()) == 4_999
    assert sum(PAPER_SHARES.values()) == PAPER_TOTAL
    made = list(synthetic_archive(400, seed=4))
    assert len(made) == 400
    assert len({o.id for o in made}) == 400
    assert [o.model_dump() for o in made] == [o.model_dump() for o in synthetic_archive(400, seed=4)]
    assert made[0] != next(iter(synthetic_archive(400, seed=5)))
    for o in made:
        assert o.footprint is not None
        assert o.text
        assert o.start is not None
        assert 0 <= (o.ls_deg if o.ls_deg is not None else 0) < 360
        geog = footprint(o.footprint)
        assert geog.whole or distance_m(geog, point(o.position_lon_deg or 0, o.position_lat_deg or 0), MARS) < 2_000
    with pytest.raises(UsageError):
        next(synthetic_archive(0))


# ------------------------------------------------------------------ the database


@pytest.mark.db
def test_the_database_gives_the_same_answers_as_memory(db: Any) -> None:
    from areorag.graph.cells import cover_many
    from areorag.graph.hysh import embed_observations
    from areorag.graph.writer import write_observations
    from areorag.settings import load_settings

    made = list(synthetic_archive(250, seed=6))
    cells = cover_many([footprint(o.footprint) for o in made])
    hysh = embed_observations(made, load_settings())
    rows = [HyperedgeRow(o, hysh=hysh.row(i), cells=cells[i]) for i, o in enumerate(made)]
    write_observations(db, rows, "test-spatial")
    truth = SpatialIndex(
        None,
        arrays=FootprintArrays.from_geographies([o.id for o in made], [footprint(o.footprint) for o in made], MARS),
    )
    rng = np.random.default_rng(2)
    for k in range(12):
        region = footprint(evaluation.figure(rng, region=True, near=(77.45, 18.44)).geojson)
        epsilon = float(rng.choice((0.0, 50_000.0)))
        cold = SpatialIndex(db).candidates(region, epsilon, explain=False)
        assert cold.path == "database"
        assert cold.ids == truth.candidates(region, epsilon, explain=False).ids, k
    index = SpatialIndex(db)
    first = index.candidates(cap(77.45, 18.44, 50_000, MARS))
    second = index.candidates(cap(77.45, 18.44, 50_000, MARS))
    assert (first.path, second.path) == ("database", "memory")
    assert first.ids == second.ids
    near = index.nearest_positions(77.45, 18.44, 3)
    assert len(near) == 3
    assert [d for _, d in near] == sorted(d for _, d in near)


@pytest.mark.db
def test_a_warm_index_notices_that_the_graph_has_changed(db: Any) -> None:
    from areorag.graph.cells import cover
    from areorag.graph.model import Observation, ProductRef
    from areorag.graph.writer import write_observations

    def put(name: str, lon: float, body: str = "Mars") -> None:
        shape = {"type": "Point", "coordinates": [lon, 10.0]}
        obs = Observation(id=name, kind="insitu", body=body, footprint=shape, product=ProductRef(data_id=name))
        write_observations(db, [HyperedgeRow(obs, cells=cover(footprint(shape)))], f"run-{name}")

    put("one", 5.0)
    index = SpatialIndex(db)
    index.warm()
    assert index.candidates(point(5, 10), 1_000).ids == ["one"]
    put("two", 5.001)
    put("else", 5.0, "Earth")
    assert index.candidates(point(5, 10), 1_000).ids == ["one", "two"]
    assert SpatialIndex(db, EARTH).candidates(point(5, 10), 1_000).ids == ["else"]
    assert SpatialIndex(db, "Venus").candidates(point(5, 10), 1_000).advice == [
        "the archive has no placed observation of Venus"
    ]


@given(st.integers(0, 2**32 - 1), st.integers(3, 40), st.floats(0.001, 40.0))
@settings(max_examples=60, deadline=None)
def test_points_on_an_outline_are_in_it_and_points_beside_it_are_not(seed: int, corners: int, size_deg: float) -> None:
    """The quick search for vertices near an outline misses none that the exact distance to every vertex finds."""
    rng = np.random.default_rng(seed)
    pole, spin = math.radians(rng.uniform(-75, 75)), rng.uniform(0, 2 * math.pi)
    middle = np.array([math.cos(pole) * math.cos(spin), math.cos(pole) * math.sin(spin), math.sin(pole)])
    east = np.array([-math.sin(spin), math.cos(spin), 0.0])
    north = np.cross(middle, east)
    angles = np.sort(rng.uniform(0, 2 * math.pi, corners))
    if np.max(np.diff(np.append(angles, angles[0] + 2 * math.pi))) > 3.0:
        angles = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    radius = math.radians(size_deg)
    ring = np.cos(radius) * middle + np.sin(radius) * (np.outer(np.cos(angles), east) + np.outer(np.sin(angles), north))
    region = polygon(np.column_stack(to_lonlat(ring)))
    share = rng.random(corners)[:, None]
    on = ring * (1 - share) + np.roll(ring, -1, axis=0) * share
    on /= np.linalg.norm(on, axis=1)[:, None]
    beside = on + 1e-6 * (on - middle)
    probes = np.vstack([ring, on, beside / np.linalg.norm(beside, axis=1)[:, None]])
    lon, lat = to_lonlat(probes)
    shapes = [point(float(x), float(y)) for x, y in zip(lon, lat, strict=True)]
    arrays = FootprintArrays.from_geographies([f"p{i:03d}" for i in range(len(shapes))], shapes, MARS)
    every = np.arange(len(shapes))
    expected = arrays.distances_rad(every, region) <= TOUCH_RAD
    assert arrays.meets(every, region).tolist() == expected.tolist()
    assert expected[: len(ring)].all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_bounds_hold_every_point_of_an_arc_and_every_longitude(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(int(rng.integers(2, 8)), 3)) * rng.choice([1e-3, 0.3, 3.0]) + rng.normal(size=3)
    u /= np.linalg.norm(u, axis=1)[:, None]
    a, b = u, np.roll(u, -1, axis=0)
    t = np.linspace(0.0, 1.0, 41)[:, None, None]
    angle = np.arccos(np.clip(np.einsum("ij,ij->i", a, b), -1, 1))[None, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        arc = np.where(angle > 1e-9, (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle), a)
    arc = arc.reshape(-1, 3)
    low, high = edge_z(a, b)
    assert arc[:, 2].min() >= low - 1e-12 and arc[:, 2].max() <= high + 1e-12
    assert high - arc[:, 2].max() < 0.02  # and not much wider than the arcs: 41 points each
    middle, half = lon_range(u)
    lon = np.arctan2(arc[:, 1], arc[:, 0])
    assert (np.abs(wrap(lon - middle)) <= half + 1e-9).all()
    assert half <= math.pi
    point_ = rng.normal(size=3)
    point_ /= np.linalg.norm(point_)
    sampled = float(np.arccos(np.clip(arc @ point_, -1, 1)).min())
    assert sampled - 0.12 < nearest_arc(point_, a, b) < sampled + 2e-8
