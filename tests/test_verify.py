"""Verify finds what is planted, and nothing in a sound graph."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.verify import checks, verify
from areorag.graph.writer import write_observations

pytestmark = pytest.mark.db

PLANTED = {
    "orphan claim": "CREATE (:Claim {id: 'lost'})",
    "orphan entity": "CREATE (:Entity {id: 'concept:lost', name: 'lost'})",
    "orphan cell": "CREATE (:Cell {id: '3/5', order: 3, index: 5})",
    "wrong tree": "MATCH (c:Cell {order: 1})-[r:WITHIN]->(up) SET up.index = up.index + 1",
    "zero vector": "MATCH (o:Observation) SET o.embedding = [0.0, 0.0]",
    "infinite vector": "MATCH (o:Observation) SET o.embedding = [1.0, 1.0 / 0.0]",
    "not a number": "MATCH (o:Observation) SET o.embedding = [1.0, 0.0 / 0.0]",
    "latitude": "MATCH (o:Observation) SET o.lat_deg = 91.0",
    "kind": "MATCH (o:Observation) SET o.kind = 'other'",
    "missing text": "MATCH (o:Observation) REMOVE o.text",
    "type": "MATCH (o:Observation) SET o.mars_year = 'thirty'",
    "no product": "MATCH (:Observation)-[r:FROM_PRODUCT]->() DELETE r",
    "no run": "MATCH (:Observation)-[r:INGESTED_BY]->() DELETE r",
    "off the hyperboloid": "MATCH (o:Observation) SET o.direction = [2.0, 0.0, 0.0]",
    "lone colocation": "CREATE (:Hyperedge:Colocation {id: 'colocation:x', text: 'x'})",
    "lone conflict": "CREATE (:Conflict {id: 'x'})",
    "lone answer": "CREATE (:Answer {id: 'x'})",
    "lone superseded": "CREATE (:Superseded {id: 'x'})",
    "lone placeholder": "CREATE (:Product {data_id: 'x', placeholder: true})",
    "bound twice": "MATCH (h:Observation)-[b:BINDS]->(e) WITH h, e, b LIMIT 1 CREATE (h)-[:BINDS {role: b.role}]->(e)",
}


def helpers() -> Any:
    spec = importlib.util.spec_from_file_location("test_writer_rows", Path(__file__).with_name("test_writer.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def sound(db: Database) -> None:
    own = helpers()
    hysh = own.make_row(own.make_observation()).hysh | {"direction": [0.6, 0.8, 0.0]}
    rows = [own.make_row(own.make_observation(f"ESP_{i:06}_1990_RED"), hysh=hysh) for i in range(3)]
    claims = [c for row in rows for c in row.observation.claims]
    assert len({c.id for c in claims}) == len(rows)
    write_observations(db, rows, "run-1")


def test_a_sound_graph_has_no_problem(db: Database) -> None:
    sound(db)
    result = verify(db)
    assert result["problems"] == []
    assert result["checks"] == len(checks()) >= 15
    assert len(result["digest"]) == 64


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_fault_is_found(db: Database, name: str) -> None:
    sound(db)
    before = content_digest(db)
    db.schema_text(f"CYPHER 5 {PLANTED[name]}")
    assert verify(db)["problems"], name
    if name not in ("no run", "lone conflict", "lone answer"):  # the making and the use are no content
        assert content_digest(db) != before
