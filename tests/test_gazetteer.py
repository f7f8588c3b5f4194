"""The gazetteer: repaired extents, names as people write them, parts of features, what holds a point."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.errors import UnknownNameError
from areorag.planet.bodies import EARTH, MARS
from areorag.planet.coordinates import arc_m
from areorag.planet.gazetteer import ROUND_CODES, Feature, Gazetteer
from areorag.planet.geometry import contains_pole, covers, covers_point, intersects, point
from areorag.planet.names import fold

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT.parent / "shared" / "data" / "gazetteer"


@pytest.fixture(scope="module")
def mars() -> Gazetteer:
    return Gazetteer.load("Mars")


@pytest.fixture(scope="module")
def moon() -> Gazetteer:
    return Gazetteer.load("Moon")


def test_all_features_of_the_nomenclature_are_there(mars: Gazetteer, moon: Gazetteer) -> None:
    assert sum(f.iau_id is not None for f in mars.features) == 2_051
    assert sum(f.iau_id is not None for f in moon.features) == 9_169


@pytest.mark.parametrize("body", ["Mars", "Moon"])
def test_every_extent_is_sound_and_holds_its_centre(body: str) -> None:
    for f in Gazetteer.load(body).features:
        assert -180 <= f.lon < 180, f
        assert -90 <= f.lat <= 90, f
        if f.bbox is None:
            continue
        west, east, south, north = f.bbox
        assert -180 <= west < 180, f
        assert west <= east <= west + 360, f
        assert -90 <= south <= north <= 90, f
        assert (f.lon - west) % 360 <= east - west + 0.03 or (west - f.lon) % 360 <= 0.03 or east - west >= 359, f
        if f.name != "Vastitas Borealis":  # a ring round a pole, its centre in the hole
            assert south - 0.03 <= f.lat <= north + 0.03, f


@pytest.mark.parametrize(
    ("name", "west", "east"),
    [("Arabia Terra", -29.69, 49.44), ("Airy-0", -0.01, 0.01), ("Noachis Terra", -59.96, 74.61), ("Steyr", 93.64, 93.98),
     ("Nord Rupes", -138.25, -117.37), ("Planum Australe", -180.0, 180.0), ("Acidalia Planitia", -54.88, 16.18)],
)  # fmt: skip
def test_extents_that_the_table_gets_wrong_are_repaired(mars: Gazetteer, name: str, west: float, east: float) -> None:
    box = mars.get(name).bbox
    assert box is not None
    assert box[:2] == pytest.approx((west, east), abs=0.01)


def test_polar_features_reach_their_pole(mars: Gazetteer) -> None:
    assert contains_pole(mars.get("Planum Boreum").geography()) == (True, False)
    assert contains_pole(mars.get("South pole").geography()) == (False, True)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Jezero", "Jezero"), ("jezero crater", "Jezero"), ("crater Jezero", "Jezero"), ("JEZERO", "Jezero"),
        ("Jezro crater", "Jezero"), ("Hellas", "Hellas Planitia"), ("Hellas basin", "Hellas Planitia"),
        ("Mawrth", "Mawrth Vallis"), ("nili fosae", "Nili Fossae"), ("Olympus", "Olympus Mons"), ("Mount Sharp", "Aeolis Mons"),
        ("western delta of Jezero", "Western delta of Jezero"), ("western Jezero delta", "Western delta of Jezero"),
        ("Jezero's western delta", "Western delta of Jezero"), ("Bradbury Landing", "Bradbury Landing"),
        ("yellowknife bay", "Yellowknife Bay"), ("Murray Butes", "Murray Buttes"), ("seitah", "Séítah"),
        ("Vera Rubin ridge", "Vera Rubin ridge"), ("kimberly", "The Kimberley"), ("polo sur", "South pole"),
        ("the north polar cap", "Planum Boreum"), ("Syrtis Major", "Syrtis Major Planum"), ("Batos", "Batoş"),
        ("Perseverance landing site", "Octavia E. Butler Landing"), ("al qahira vallis", "Al-Qahira Vallis"),
        ("cráter Gale", "Gale"), ("Terra Meridiani", "Meridiani Planum"), ("Three Forks depot", "Three Forks"),
    ],
)  # fmt: skip
def test_names_are_found_as_people_write_them(mars: Gazetteer, written: str, name: str) -> None:
    assert mars.lookup(written)[0].feature.name == name


def test_matches_say_how_they_were_made_and_the_sure_ones_come_first(mars: Gazetteer) -> None:
    how = {q: mars.lookup(q)[0].how for q in ("Jezero", "jezero", "Jezero crater", "north rim of Gale", "Jezro crater")}
    assert how == {
        "Jezero": "exact", "jezero": "folded", "Jezero crater": "alias", "north rim of Gale": "part",
        "Jezro crater": "fuzzy",
    }  # fmt: skip
    scores = [m.score for m in mars.lookup("Hellas")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < s <= 1 for s in scores)
    assert mars.lookup("Hellas", codes=["MO"])[0].feature.name == "Hellas Montes"


def test_what_is_no_place_is_not_found(mars: Gazetteer) -> None:
    for word in ("qwertyuiop", "", "   ", "spectrometer", "xyz"):
        assert mars.lookup(word) == []
    with pytest.raises(UnknownNameError, match="Did you mean"):
        mars.get("Jezzzero")


def test_dropped_names_are_known_but_come_last(mars: Gazetteer) -> None:
    found = mars.lookup("Hilo")
    assert found[0].feature.status == "dropped"
    assert found[0].score < 0.95


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_every_name_finds_itself_in_capitals_and_without_accents(k: int) -> None:
    gazetteer = Gazetteer.load("Mars")
    f = gazetteer.features[k % len(gazetteer)]
    for written in (f.name, f.name.upper(), fold(f.name)):
        assert any(m.feature.name == f.name for m in gazetteer.lookup(written, limit=30)), written


def test_the_western_delta_lies_where_the_river_enters(mars: Gazetteer) -> None:
    delta = mars.get("western delta of Jezero")
    assert arc_m(delta.lon, delta.lat, 77.37, 18.50, MARS) < 500
    assert delta.parent == "Jezero"
    assert covers_point(delta.geography(), 77.40, 18.47)
    assert delta.radius_m == 6_000


def test_parts_of_features_follow_the_rule(mars: Gazetteer) -> None:
    gale, r = mars.get("Gale"), mars.get("Gale").radius_m
    floor, rim = mars.get("floor of Gale crater"), mars.get("Gale rim")
    assert floor.parent == "Gale"
    assert floor.status == "part"
    assert covers(gale.geography(), floor.geography())
    assert not covers_point(rim.geography(), gale.lon, gale.lat)
    north = mars.get("north rim of Gale")
    assert north.lat > gale.lat + math.degrees(0.9 * r / MARS.radius_m)
    assert intersects(north.geography(), rim.geography())
    south = mars.get("southern Hellas")
    assert south.bbox is not None
    assert south.bbox[3] == pytest.approx((-55.42 - 27.86) / 2, abs=0.01)


def test_points_are_held_by_the_features_round_them_smallest_first(mars: Gazetteer) -> None:
    names = [f.name for f in mars.containing(77.45, 18.44)]
    assert "Jezero" in names
    assert names.index("Jezero") < names.index("Nili Fossae")
    assert "Planum Boreum" in [f.name for f in mars.containing(123.0, 90.0)]
    assert [f.name for f in mars.containing(0.0, -5.07)][:2] == ["Airy-0", "Airy"]
    assert mars.containing(77.45, 18.44, limit=1)[0].name == names[0]


@settings(max_examples=25, deadline=None)
@given(st.floats(-180, 179.9), st.floats(-89, 89))
def test_what_holds_a_point_agrees_with_its_own_geometry(lon: float, lat: float) -> None:
    gazetteer = Gazetteer.load("Mars")
    held = gazetteer.containing(lon, lat)
    assert all(intersects(f.geography(), point(lon, lat)) for f in held)


def test_nearest_and_within_measure_on_the_body(mars: Gazetteer) -> None:
    nearest, metres = mars.nearest(137.4417, -4.5895, k=1)[0]
    assert nearest.name == "Bradbury Landing"
    assert metres < 1
    near = mars.within(137.4417, -4.5895, 1_500.0)
    assert {"Yellowknife Bay", "Rocknest"} <= {f.name for f, _ in near}
    assert [d for _, d in near] == sorted(d for _, d in near)


def test_every_landing_site_and_named_place_lies_in_its_parent(mars: Gazetteer) -> None:
    for f in mars.features:
        if f.status == "project" and f.parent is not None and f.code in {"XL", "XR"}:
            whole = mars.get(f.parent)
            reach = whole.radius_m * 1.05 if whole.code == "AA" else whole.radius_m * 1.6
            assert arc_m(f.lon, f.lat, whole.lon, whole.lat, MARS) < reach, f.name


def test_the_moon_has_its_names_and_landing_sites(moon: Gazetteer) -> None:
    assert moon.get("Sea of Tranquility").name == "Mare Tranquillitatis"
    assert moon.get("Von Karman").name == "Von Kármán"
    assert arc_m(*(lambda f: (f.lon, f.lat))(moon.get("Apollo 11")), 23.47, 0.67, moon.body) < 1_000
    assert contains_pole(moon.get("South pole").geography()) == (False, True)


def test_places_of_ones_own_work_on_any_body() -> None:
    park = {
        "type": "Polygon",
        "coordinates": [[[13.33, 52.51], [13.38, 52.51], [13.38, 52.52], [13.33, 52.52], [13.33, 52.51]]],
    }
    city = Gazetteer.from_features(
        [
            Feature("City Park", "Park", 13.35, 52.515, body="Earth", geojson=park, aliases=("the park",)),
            Feature("Old Station", "Station", 13.37, 52.525, body="Earth"),
        ],
        EARTH,
    )
    assert city.get("city park").geography().dimension == 2
    assert city.get("The Park").name == "City Park"
    assert city.lookup("old staton")[0].feature.name == "Old Station"
    assert city.nearest(13.37, 52.525, 1)[0][0].name == "Old Station"
    assert len(Gazetteer.load("Venus")) == 0
    assert Gazetteer.load("Venus").lookup("Maxwell") == []


@pytest.mark.shared
def test_the_shipped_data_are_what_the_generator_makes() -> None:
    if not TABLES.is_dir():
        pytest.skip("the shared nomenclature tables are not here")
    code = (
        "import sys; sys.path.insert(0, 'tools'); import make_gazetteer as m; from pathlib import Path\n"
        f"for b in ('Mars', 'Moon'):\n"
        f"    data = (m.OUT / f'gazetteer_{{b.lower()}}.json.gz').read_bytes()\n"
        f"    assert m.gzip.decompress(data) == m.gzip.decompress(m.encode(m.build(Path({str(TABLES)!r}), b)[0])), b\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_the_gazetteer_reads_nothing() -> None:
    code = "import sys, areorag.planet.gazetteer as g; assert not g._load.cache_info().currsize; " \
           "assert not {'spherely', 'rapidfuzz', 'shapely', 'mocpy'} & set(sys.modules)"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


UNSURE = ("dropped", "not approved")


@pytest.mark.parametrize("body", ["Mars", "Moon"])
def test_many_points_are_looked_up_as_each_by_itself_and_as_defined(body: str) -> None:
    gazetteer = Gazetteer.load(body)
    rng = np.random.default_rng(11)
    lon = [*rng.uniform(-180, 360, 300), *(f.lon for f in gazetteer.features[:200]), 0.0, 10.0, 180.0]
    lat = [
        *np.degrees(np.arcsin(rng.uniform(-1, 1, 300))),
        *(f.lat for f in gazetteer.features[:200]),
        90.0,
        -90.0,
        0.0,
    ]
    many = gazetteer.containing_many(lon, lat)
    assert many == [gazetteer.containing(x, y) for x, y in zip(lon, lat, strict=True)]
    for found in many:
        assert [f.radius_m for f in found] == sorted(f.radius_m for f in found)
    assert sum(map(len, many)) > 300
    discs = [f for f in gazetteer.features if f.code in ROUND_CODES and f.radius_m > 0 and f.status not in UNSURE]
    arcs = np.array(
        [
            arc_m(x, y, [f.lon for f in discs], [f.lat for f in discs], gazetteer.body)
            for x, y in zip(lon, lat, strict=True)
        ]
    )
    for held, found in zip(arcs <= np.array([f.radius_m for f in discs]), many, strict=True):
        assert {f.name for f, h in zip(discs, held, strict=True) if h} <= {f.name for f in found}
