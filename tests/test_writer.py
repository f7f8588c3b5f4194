"""Writing observations: what is written, what is not, and what happens to versions."""

from __future__ import annotations

from typing import Any

import pytest

from areorag.errors import DatabaseError, UnknownNameError
from areorag.graph import reader
from areorag.graph.connection import Database
from areorag.graph.decide import stems, version_key
from areorag.graph.digest import content_digest
from areorag.graph.model import Band, Claim, Observation, ProductRef
from areorag.graph.rows import EntityRef, HyperedgeRow
from areorag.graph.writer import ObservationWriter, WriteReport, prepare, write_observations

pytestmark = pytest.mark.db


def make_observation(name: str = "ESP_037330_1990_RED", **changes: Any) -> Observation:
    base: dict[str, Any] = {
        "id": name,
        "kind": "orbital",
        "platform": "MRO",
        "instrument": "HiRISE",
        "institution": "University of Arizona",
        "footprint": {"type": "Polygon", "coordinates": [[[77.1, 18.3], [77.6, 18.3], [77.6, 18.7], [77.1, 18.3]]]},
        "footprint_source": "label",
        "position_lon_deg": 77.37,
        "position_lat_deg": 18.5,
        "resolution_m": 0.27,
        "band": Band(name="RED", min_nm=550, max_nm=850, centers_nm=[700.0]),
        "start": "2014-07-07T10:11:12.5Z",
        "ls_deg": 158.25,
        "mars_year": 32,
        "targets": ["Jezero"],
        "product": ProductRef(data_id=name, version="1.0", source_file=f"{name}.LBL", sha256="0" * 64),
        "claims": [Claim(id=f"{name}#1", subject="Jezero", property="mineral", value="olivine", polarity="present")],
        "text": f"{name} shows the delta.",
        "meta": {"rationale": "delta"},
    }
    return Observation(**(base | changes))


def make_row(observation: Observation, **changes: Any) -> HyperedgeRow:
    hysh = {
        "rho": 16.3,
        "depth": 6.0e6,
        "direction": [0.2, 0.92, 0.32],
        "lorentz": [6.0e6, 1.2e6, 5.5e6, 1.9e6],
        "position_xyz": [705_000.0, 3_142_000.0, 1_077_000.0],
        "scale_m": 0.27,
        "scale_source": "label",
        "embedding_version": "closed/1",
    }
    base: dict[str, Any] = {
        "hysh": hysh,
        "cells": ["3/10", "4/45"],
        "entities": [EntityRef("instrument", "Instrument", "HiRISE"), EntityRef("target", "Feature", "Jezero")],
        "embedding": [0.6] + [0.0] * 382 + [0.8],
        "embedder": "test",
    }
    return HyperedgeRow(observation, **(base | changes))


def test_an_observation_comes_back_as_it_was_written(db: Database) -> None:
    before = make_observation()
    report = write_observations(db, [make_row(before)], "run-1")
    assert (report.added, report.unchanged, report.changed) == (1, 0, [before.id])
    assert reader.observation(db, before.id) == before
    counts = db.counts()
    assert counts["Observation"] == counts["Hyperedge"] == counts["Product"] == counts["IngestRun"] == 1
    assert counts["Cell"] == 2 + 3 + 1 + 0  # 3/10 and 4/45 (within 3/11), and the cells above them
    assert counts["-[BINDS]->"] == 2
    assert counts["-[ABOUT]->"] == 1


def test_an_observation_without_place_band_or_time_comes_back(db: Database) -> None:
    bare = Observation(id="BARE_1", kind="derived", product=ProductRef(data_id="BARE_1"), text="A bare record.")
    write_observations(db, [HyperedgeRow(bare)], "run-1")
    assert reader.observation(db, "BARE_1") == bare


def test_writing_again_writes_nothing(db: Database) -> None:
    rows = [make_row(make_observation(f"ESP_{i:06}_1990_RED")) for i in range(5)]
    write_observations(db, rows, "run-1", batch_size=2)
    stamp = db.version()
    report = write_observations(db, rows, "run-2", batch_size=3)
    assert (report.added, report.updated, report.unchanged) == (0, 0, 5)
    assert db.version() == stamp


def test_a_new_version_supersedes_and_keeps_the_old_one(db: Database) -> None:
    old = make_observation()
    new = make_observation(
        product=old.product.model_copy(update={"version": "1.10"}),
        claims=[old.claims[0].model_copy(update={"value": "carbonate"})],
    )
    write_observations(db, [make_row(old)], "run-1")
    report = write_observations(db, [make_row(new)], "run-2")
    assert (report.added, report.updated) == (0, 1)
    assert reader.observation(db, old.id) == new
    (row,) = db.read_text("MATCH (:Observation {id: $id})-[:SUPERSEDES]->(s:Superseded) RETURN s.id AS id", id=old.id)
    kept = reader.observation(db, row["id"])
    assert kept.claims[0].value == "olivine"
    assert db.read_text("MATCH (:Superseded)-[r:BINDS|COVERS]->() RETURN count(r) AS n") == [{"n": 0}]
    assert db.read_text("MATCH (p:Product)-[:SUPERSEDES]->(q) RETURN p.version AS p, q.version AS q") == [
        {"p": "1.10", "q": "1.0"}
    ]
    stamp = db.version()
    assert write_observations(db, [make_row(old), make_row(new)], "run-3").unchanged == 2
    assert db.version() == stamp


def test_an_older_version_never_takes_over(db: Database) -> None:
    new = make_observation(product=ProductRef(data_id="P_1", version="2.0", source_file="b"))
    old = make_observation(product=ProductRef(data_id="P_1", version="1.0", source_file="a"), resolution_m=0.5)
    write_observations(db, [make_row(new)], "run-1")
    report = write_observations(db, [make_row(old)], "run-2")
    assert report.kept == 1
    assert reader.observation(db, new.id) == new
    stamp = db.version()
    assert write_observations(db, [make_row(old)], "run-3").unchanged == 1
    assert db.version() == stamp


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_fuller_of_two_descriptions_is_current_in_any_order(db: Database, order: tuple[int, int]) -> None:
    full = make_observation(product=ProductRef(data_id="P_1", source_file="a.lbl"))
    poor = make_observation(product=ProductRef(data_id="P_1", source_file="index.tab"), footprint=None, band=None)
    both = [make_row(full), make_row(poor)]
    write_observations(db, [both[i] for i in order], "run-1", batch_size=2)
    assert reader.observation(db, full.id) == full
    assert db.counts()["Superseded"] >= 1
    stamp = db.version()
    assert write_observations(db, both, "run-2").unchanged == 2
    assert db.version() == stamp


def test_a_new_embedding_recipe_refreshes_in_place(db: Database) -> None:
    row = make_row(make_observation())
    write_observations(db, [row], "run-1")
    other = make_row(row.observation, embedder="other", embedding=[1.0] + [0.0] * 383)
    report = write_observations(db, [other], "run-2")
    assert (report.added, report.updated) == (0, 1)
    assert "Superseded" not in db.counts()
    assert write_observations(db, [other], "run-3").unchanged == 1


@pytest.mark.parametrize("bad", [[0.0] * 384, [float("nan")] + [1.0] * 383, [float("inf")] * 384, []])
def test_zero_and_non_finite_vectors_are_refused(db: Database, bad: list[float]) -> None:
    with pytest.raises(DatabaseError, match="embedding"):
        write_observations(db, [make_row(make_observation(), embedding=bad)], "run-1")
    hysh = dict(make_row(make_observation()).hysh or {}) | {"lorentz": [float("nan")] * 4}
    with pytest.raises(DatabaseError, match="lorentz"):
        write_observations(db, [make_row(make_observation(), hysh=hysh)], "run-1")
    assert "Observation" not in db.counts()


@pytest.mark.parametrize("source_first", [True, False])
@pytest.mark.parametrize("named", ["ESP_037330_1990_RED", "ESP_037330_1990", "urn:nasa:pds:mro:data:esp::1.2"])
def test_sources_are_tied_whenever_they_arrive(db: Database, source_first: bool, named: str) -> None:
    product = ProductRef(data_id="ESP_037330_1990_RED", lid="urn:nasa:pds:mro:data:esp", version="1.2")
    source = make_row(make_observation(product=product))
    dtm = make_row(
        make_observation("DTEEC_1", kind="derived", derived_from=[named], product=ProductRef(data_id="DTEEC_1"))
    )
    for row in (source, dtm) if source_first else (dtm, source):
        write_observations(db, [row], "run-1")
    found = db.read_text(
        "MATCH (:Product {data_id: 'DTEEC_1'})-[:DERIVED_FROM]->(s) WHERE s.placeholder IS NULL RETURN s.data_id AS id"
    )
    assert found == [{"id": "ESP_037330_1990_RED"}]
    placeholders = db.read_text("MATCH (p:Product) WHERE p.placeholder RETURN p.data_id AS id")
    assert placeholders == ([{"id": "ESP_037330_1990"}] if named == "ESP_037330_1990" else [])


def test_the_scale_tree_reaches_the_base_cells(db: Database) -> None:
    write_observations(db, [make_row(make_observation(), cells=["9/123456", "2/7"])], "run-1")
    rows = db.read_text("MATCH (c:Cell) WHERE NOT (c)-[:WITHIN]->() RETURN c.order AS order")
    assert {r["order"] for r in rows} == {0}


def test_a_repeated_id_in_one_call_is_written_in_turn(db: Database) -> None:
    first = make_observation()
    second = make_observation(resolution_m=0.5)
    report = write_observations(db, [make_row(first), make_row(second), make_row(first)], "run-1")
    assert report.added == 1
    assert report.added + report.updated + report.kept + report.unchanged == 3
    assert ObservationWriter(db, "run-2").write([make_row(first), make_row(second)]).unchanged == 2


def test_unknown_observation_says_what_is_near(db: Database) -> None:
    write_observations(db, [make_row(make_observation())], "run-1")
    with pytest.raises(UnknownNameError, match="ESP_037330_1990_RED"):
        reader.observation(db, "ESP_0373")


def test_stems_and_version_keys() -> None:
    assert stems("ESP_037330_1990_RED") == ["ESP_037330", "ESP_037330_1990", "ESP_037330_1990_RED"]
    assert stems("MOLA_X") == []
    assert version_key("V2.10") > version_key("v2.9") > version_key("1")


class Tight(ObservationWriter):
    """A server whose transactions hold three rows."""

    sizes: list[int]

    def _batch(self, batch: list[HyperedgeRow], look_first: bool) -> WriteReport:
        self.sizes = [*getattr(self, "sizes", []), len(batch)]
        if len(batch) > 3:
            raise DatabaseError("Neo4j refused transaction: ... dbms.memory.transaction.total.max threshold reached")
        return super()._batch(batch, look_first)


def test_a_batch_that_is_more_than_a_transaction_holds_is_written_in_halves(db: Database) -> None:
    rows = [make_row(make_observation(f"TOO_MANY_{i:02d}")) for i in range(10)]
    writer = Tight(db, "run-1", batch_size=10)
    report = writer.write(rows)
    assert (report.added, sorted(report.changed)) == (10, [r.observation.id for r in rows])
    assert max(writer.sizes) == 10 and writer.sizes.count(5) == 2
    assert db.counts()["Observation"] == 10


def test_getting_ready_writes_nothing(db: Database) -> None:
    before, stamp = content_digest(db), db.version()
    ObservationWriter(db, "run-1").warm()
    assert (content_digest(db), db.version()) == (before, stamp)
    assert db.read_text("MATCH (r:IngestRun) RETURN r") == []


def test_prepared_rows_are_written_as_the_others(db: Database) -> None:
    digests = []
    for made in (lambda r: r, prepare):
        db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
        write_observations(db, [made(make_row(make_observation(f"PREPARED_{i}"))) for i in range(4)], "run-1")
        digests.append(content_digest(db))
    assert digests[0] == digests[1]
