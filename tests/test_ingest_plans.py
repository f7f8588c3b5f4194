"""Statements that keep their first plan are planned well on an empty graph (ADR 0015)."""

from __future__ import annotations

from typing import Any

import pytest

from areorag.graph import cypher
from areorag.graph.connection import Database

pytestmark = pytest.mark.db

KEPT = [s for s in cypher.statements("queries") if "replan=skip" in s.text]
_PARAMETERS: dict[str, Any] = {"p": {}, "most": 5, "limit": 5, "run": "r", "id": "r"}


def operators(plan: dict[str, Any]) -> list[str]:
    return [plan["operatorType"].split("@")[0], *(o for child in plan.get("children", ()) for o in operators(child))]


def test_what_ingest_repeats_keeps_its_plan() -> None:
    names = {s.name for s in KEPT}
    assert {
        "write_observations",
        "write_binds",
        "write_covers",
        "observation_states",
        "hysh_colocation_create",
    } <= names


@pytest.mark.parametrize("statement", KEPT, ids=lambda s: s.name)
def test_its_plan_on_an_empty_graph_scans_nothing(db: Database, statement: cypher.Statement) -> None:
    parameters = {name: _PARAMETERS.get(name, []) for name in statement.parameters}
    text = statement.text.replace("CYPHER 5 replan=skip", "CYPHER 5 replan=skip EXPLAIN", 1)
    with db._driver.session(database=db.database) as session:
        plan = session.run(text, parameters).consume().plan
    found = operators(plan)
    assert not [o for o in found if "Scan" in o], found
