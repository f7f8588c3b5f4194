"""Every label, relationship type and property in a Cypher file is in the schema, and the schema is documented."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from areorag.graph import cypher
from areorag.graph.connection import Database

ROOT = Path(__file__).resolve().parents[1]


def load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


names = load("cypher_names", Path(__file__).with_name("cypher_names.py")).names
SCHEMA: dict[str, Any] = json.loads(resources.files("areorag").joinpath("cypher", "schema.json").read_text("utf-8"))
LABELS, TYPES = SCHEMA["labels"], SCHEMA["relationships"]


NOT_OF_NODES = frozenset({"x", "y", "z", "longitude", "latitude", "xyz", "lonlat", "label", "uncertain", "where"})
"""Parts of points and of parameter rows whose variable also stands alone in a pattern."""


def offences(text: str) -> list[str]:
    """What a statement names that the schema does not know."""
    found = names(text)
    out = [f"label {x}" for x in found.labels - LABELS.keys()] + [f"type {x}" for x in found.types - TYPES.keys()]
    for owners, prop in sorted(found.node_props, key=str):
        known = [o for o in owners if o in LABELS] or list(LABELS)
        if "Entity" in known:
            known.append("Feature")  # places are entities with more properties
        if not owners and prop in NOT_OF_NODES:
            continue
        if not any(prop in LABELS[o]["properties"] for o in known):
            out.append(f"property {prop} of {sorted(owners) or 'any node'}")
    for owners, prop in sorted(found.rel_props, key=str):
        if not any(prop in TYPES[o]["properties"] for o in owners if o in TYPES):
            out.append(f"property {prop} of {sorted(owners)}")
    return out


@pytest.mark.parametrize("kind", ["queries", "explore"])
def test_statements_name_only_what_the_schema_has(kind: str) -> None:
    wrong = {s.name: found for s in cypher.statements(kind) if (found := offences(s.text))}
    # points and their parts are functions of the language, not properties of nodes
    wrong = {n: [f for f in fs if not re.search(r"property [xyz] ", f)] for n, fs in wrong.items()}
    assert {n: fs for n, fs in wrong.items() if fs} == {}


def test_the_check_can_fail() -> None:
    assert offences("CYPHER 5 MATCH (o:Observatoin)-[:BINDS]->(e:Entity) RETURN o") == ["label Observatoin"]
    assert offences("CYPHER 5 MATCH (o:Observation)-[:BIND]->(e) RETURN o") == ["type BIND"]
    assert offences("CYPHER 5 MATCH (o:Observation) WHERE o.resolutionm < 3 RETURN o") != []
    assert offences("CYPHER 5 MATCH ()-[b:BINDS {rol: 'x'}]->() RETURN b") != []
    assert offences("CYPHER 5 MATCH (o:Observation {identifier: $id}) RETURN o") != []


def test_indexed_properties_are_in_the_schema() -> None:
    for statement in cypher.statements("migrations"):
        for label, body in re.findall(r"FOR \(n:([\w|]+)\)\s+(?:ON|REQUIRE)\s+([^;]*)", statement.text):
            for prop in re.findall(r"\bn\.(\w+)", body):
                for one in label.split("|"):
                    assert prop in LABELS[one]["properties"], (statement.name, one, prop)


def test_relationship_ends_are_labels_and_everything_is_described() -> None:
    for name, entry in LABELS.items():
        assert entry["about"], name
        assert entry["properties"], name
        assert all(p["about"] and p["type"] for p in entry["properties"].values()), name
    for name, entry in TYPES.items():
        assert entry["about"], name
        assert {*entry["from"], *entry["to"]} <= LABELS.keys(), name


def test_the_model_page_is_that_of_the_schema() -> None:
    tool = load("make_model_doc", ROOT / "tools" / "make_model_doc.py")
    page = (ROOT / "docs" / "model.md").read_text("utf-8")
    assert page == tool.render(page, SCHEMA), "run  python tools/make_model_doc.py"


@pytest.mark.db
def test_no_statement_draws_a_warning_about_names(db: Database) -> None:
    """The server itself plans every query that names something; a syntax error or a deprecated form fails here."""
    for kind in ("queries", "explore"):
        for statement in cypher.statements(kind):
            text = re.sub(r"CYPHER 5( replan=skip)?", r"CYPHER 5\1 EXPLAIN", statement.text, count=1)
            parameters = dict.fromkeys(statement.parameters)
            with db._driver.session(database=db.database) as session:
                session.run(text, parameters).consume()
