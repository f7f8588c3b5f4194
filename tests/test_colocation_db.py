"""Co-locations in a real Neo4j: incremental equals rebuilt equals the definition, whatever the order of the calls."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from areorag.graph.cells import cover_many, within_pairs
from areorag.graph.colocation import load_index, rebuild_colocations, update_colocations
from areorag.graph.colocation_index import ColocationIndex, ColocationRules, Site
from areorag.graph.connection import Database
from areorag.graph.cypher import statements
from areorag.graph.digest import content_digest
from areorag.graph.hysh import embed_observations
from areorag.graph.model import Observation, ProductRef
from areorag.graph.placing import place_entities
from areorag.graph.rows import wkt_of
from areorag.hyperbolic.lorentz import distance
from areorag.planet.geometry import footprint
from areorag.settings import Settings

pytestmark = pytest.mark.db


def square(lon: float, lat: float, half: float) -> dict[str, Any]:
    ring = [[lon - half, lat - half], [lon + half, lat - half], [lon + half, lat + half], [lon - half, lat + half]]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def archive(seed: int, n: int) -> list[Observation]:
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        kind = int(rng.integers(3))
        half, ell, name = [(0.05, 0.25, "HIRISE"), (0.25, 6.0, "CTX"), (0.1, 18.0, "CRISM")][kind]
        lon, lat = 77.4 + rng.normal() * 0.5, 18.4 + rng.normal() * 0.5
        out.append(
            Observation(
                id=f"{name}_{i:03}",
                kind="orbital",
                instrument=name,
                resolution_m=ell,
                footprint=square(lon, lat, half),
                product=ProductRef(data_id=f"{name}_{i:03}"),
            )
        )
    return out


def write(db: Database, observations: list[Observation], settings: Settings) -> None:
    rows = embed_observations(observations, settings)
    geogs = [footprint(o.footprint) for o in observations]
    cells = cover_many(geogs)
    out = []
    for i, o in enumerate(observations):
        p = {k: v for k, v in (rows.row(i) or {}).items() if k != "position_xyz"}
        p |= {"body": o.body, "instrument": o.instrument, "footprint": wkt_of(o.footprint), "known_hashes": []}
        out.append({"p": p, "xyz": rows.position_xyz[i].tolist(), "lonlat": rows.lonlat[i].tolist()})
    db.write("write_observations", rows=out, vectors=[])
    pairs = within_pairs(c for cs in cells for c in cs)
    names = sorted({c for pair in pairs for c in pair} | {c for cs in cells for c in cs})
    db.write(
        "write_cells", rows=[{"id": c, "order": int(c.split("/")[0]), "index": int(c.split("/")[1])} for c in names]
    )
    db.write("write_within", rows=[{"cell": c, "up": u} for c, u in pairs])
    db.write("write_covers", rows=[{"h": o.id, "cells": cs} for o, cs in zip(observations, cells, strict=True)])


def stored(db: Database) -> dict[str, tuple[str, ...]]:
    rows = db.read_text(
        "CYPHER 5 MATCH (c:Colocation)-[:GROUPS]->(o) WITH c, o ORDER BY o.id RETURN c.focus AS focus, collect(o.id) AS ids"
    )
    return {row["focus"]: tuple(row["ids"]) for row in rows}


def wanted(observations: list[Observation], rules: ColocationRules) -> dict[str, tuple[str, ...]]:
    index = ColocationIndex(rules)
    index.fill(
        [
            Site(o.id, "Mars", footprint(o.footprint), float(np.log(3396190 / (o.resolution_m or 1))))
            for o in observations
        ]
    )
    return index.groups()


def test_adding_in_any_order_and_deleting_gives_the_colocations_of_the_definition(
    db: Database, settings: Settings
) -> None:
    observations = archive(1, 60)
    rules = ColocationRules(witnesses=3)
    shuffle = random.Random(5)
    shuffle.shuffle(observations)
    for start in range(0, 60, 17):
        part = observations[start : start + 17]
        write(db, part, settings)
        update_colocations(db, [o.id for o in part], settings, rules=rules)
        assert stored(db) == wanted(observations[: start + 17], rules)
    gone, kept = observations[:20], observations[20:]
    # deleted first, reported afterwards
    for o in gone[:10]:
        db.schema_text("CYPHER 5 MATCH (o:Observation {id: $id}) DETACH DELETE o", id=o.id)
    update_colocations(db, [o.id for o in gone[:10]], settings, rules=rules)
    assert stored(db) == wanted(observations[10:], rules)
    # deleted and never reported: repaired by the next call
    for o in gone[10:]:
        db.schema_text("CYPHER 5 MATCH (o:Observation {id: $id}) DETACH DELETE o", id=o.id)
    update_colocations(db, [], settings, rules=rules)
    assert stored(db) == wanted(kept, rules)
    write(db, gone, settings)
    update_colocations(db, [o.id for o in gone], settings, rules=rules)
    incremental = stored(db)
    assert incremental == wanted(observations, rules)
    rebuild_colocations(db, settings, rules=rules)
    assert stored(db) == incremental
    assert load_index(db, settings, rules=rules).groups() == incremental
    # changing the rules and rebuilding leaves nothing of the old rules
    loose = ColocationRules(witnesses=8)
    rebuild_colocations(db, settings, rules=loose)
    assert stored(db) == wanted(observations, loose)


def test_made_at_once_equals_made_one_by_one_to_the_last_digit(db: Database, settings: Settings) -> None:
    observations = archive(3, 45)
    digests = []
    for sizes in ([45], [1] * 45, [30, 5, 10]):
        db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
        rest = list(observations)
        for size in sizes:
            part, rest = rest[:size], rest[size:]
            write(db, part, settings)
            for o in part:
                db.schema_text(
                    "CYPHER 5 MATCH (o:Observation {id: $id}) MERGE (e:Entity:Feature {id: $e}) "
                    "CREATE (o)-[:BINDS {role: 'place'}]->(e)",
                    id=o.id,
                    e=f"feature:{o.instrument}",
                )
            update_colocations(db, [o.id for o in part], settings)
        bound = db.read_text("CYPHER 5 MATCH (c:Colocation)-[:BINDS]->(e) RETURN count(*) AS n")[0]["n"]
        assert bound == len(stored(db)) > 3
        digests.append(content_digest(db))
    assert digests[0] == digests[1] == digests[2]


def test_a_focus_that_left_a_colocation_behind_is_made_anew(db: Database, settings: Settings) -> None:
    """As when a new version of an observation takes its place: its relationships go, its co-location is still there."""
    observations = archive(4, 20)
    write(db, observations, settings)
    update_colocations(db, [o.id for o in observations], settings)
    before = content_digest(db)
    focus = sorted(stored(db))[0]
    db.schema_text("CYPHER 5 MATCH (:Observation {id: $id})<-[g:GROUPS]-() DELETE g", id=focus)
    update_colocations(db, [focus], settings)
    assert stored(db) == wanted(observations, ColocationRules())
    assert content_digest(db) == before


def test_a_colocation_carries_midpoint_words_and_the_features_of_its_focus(db: Database, settings: Settings) -> None:
    observations = [
        Observation(
            id=n,
            kind="orbital",
            instrument=n,
            resolution_m=ell,
            footprint=square(77.5, 18.4, h),
            product=ProductRef(data_id=n),
        )
        for n, ell, h in (("HIRISE", 0.25, 0.05), ("CTX", 6.0, 0.25), ("CRISM", 18.0, 0.1))
    ]
    write(db, observations, settings)
    db.schema_text(
        "CYPHER 5 MATCH (o:Observation {id: 'HIRISE'}), (c:Observation {id: 'CTX'}) "
        "CREATE (o)-[:BINDS {role: 'target'}]->(:Entity:Feature {id: 'feature:jezero'}), "
        "(c)-[:BINDS {role: 'target'}]->(:Entity:Feature {id: 'feature:elsewhere'})"
    )
    change = update_colocations(db, [o.id for o in observations], settings)
    assert (change.written, change.removed) == (1, 0)
    (row,) = db.read_text(
        "CYPHER 5 MATCH (c:Colocation) RETURN properties(c) AS p, labels(c) AS labels, [(c)-[b:BINDS]->(e) | e.id + ' ' + b.role] AS features"
    )
    p = row["p"]
    assert p["n"] == 3
    assert "Hyperedge" in row["labels"]
    assert row["features"] == ["feature:jezero target"]
    assert p["depth"] == pytest.approx(np.cosh(p["rho"]))
    assert np.log(3396190 / 18.0) < p["rho"] <= np.log(3396190 / 0.25)
    assert "CRISM, CTX, HIRISE" in p["text"]
    assert "18.4" in p["name"]
    assert len(p["lorentz"]) == 4
    # nothing to do the second time: same outcome
    update_colocations(db, [o.id for o in observations], settings)
    assert stored(db) == {"HIRISE": ("CRISM", "CTX", "HIRISE")}


def test_entities_are_placed_by_size_or_by_their_hyperedges(db: Database, settings: Settings) -> None:
    observations = archive(2, 6)
    write(db, observations, settings)
    db.schema_text(
        "CYPHER 5 MATCH (o:Observation) WITH collect(o) AS all "
        "CREATE (f:Entity:Feature {id: 'feature:jezero', diameter_m: 49000.0, lon_deg: 77.7, lat_deg: 18.4}), "
        "(t:Entity:Target {id: 'target:rock'}), (i:Entity:Instrument {id: 'instrument:x'}) "
        "FOREACH (o IN all | CREATE (o)-[:BINDS {role: 'place'}]->(f), (o)-[:BINDS {role: 'target'}]->(t), "
        "(o)-[:BINDS {role: 'instrument'}]->(i))"
    )
    assert place_entities(db, settings) == 2
    rows = db.read_text("CYPHER 5 MATCH (e:Entity) RETURN e.id AS id, e.rho AS rho, e.placed_by AS by, e.lorentz AS x")
    found = {row["id"]: row for row in rows}
    assert found["instrument:x"]["rho"] is None
    assert found["feature:jezero"]["by"] == "size"
    assert found["feature:jezero"]["rho"] == pytest.approx(np.log(3396190 / 49000))
    assert found["target:rock"]["by"] == "hyperedges"
    assert 0 < found["target:rock"]["rho"] <= np.log(3396190 / 0.25)
    # the same is done for what an update touches
    db.schema_text("CYPHER 5 MATCH (e:Entity) REMOVE e.rho")
    update_colocations(db, [observations[0].id], settings)
    (row,) = db.read_text("CYPHER 5 MATCH (e:Feature) RETURN e.rho AS rho")
    assert row["rho"] == pytest.approx(np.log(3396190 / 49000))


def test_every_browser_query_of_hysh_runs_and_answers(db: Database, settings: Settings) -> None:
    observations = archive(3, 24)
    write(db, observations, settings)
    update_colocations(db, [o.id for o in observations], settings)
    name = next(iter(stored(db)))
    queries = [s for s in statements("explore") if s.name.startswith("hysh_")]
    assert len(queries) >= 6
    for query in queries:
        rows = db.read_text(query.text, **({"id": name} if "id" in query.parameters else {}))
        assert rows, query.name
    neighbours = next(q for q in queries if q.name == "hysh_neighbours")
    rows = db.read_text(neighbours.text, id=name)
    placed = embed_observations(observations, settings)
    at = {o.id: i for i, o in enumerate(observations)}
    for row in rows:
        i, j = at[name], at[row["observation"]]
        want = distance(placed.rho[i], placed.direction[i], placed.rho[j], placed.direction[j])
        assert row["geodesic_distance"] == pytest.approx(float(want), abs=1e-4)
