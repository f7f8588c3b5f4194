"""Migrations: once, in order, whole, never silently edited."""

from __future__ import annotations

import dataclasses

import pytest

from areorag.errors import DatabaseError, MigrationError
from areorag.graph import cypher
from areorag.graph.connection import Database
from areorag.graph.migrate import Migration, migrate, shipped

pytestmark = pytest.mark.db

SCHEMA = "// Test index\n// schema\nCYPHER 5 CREATE INDEX zz_test IF NOT EXISTS FOR (n:Zz) ON (n.a);\n"
DATA = "// Test data\n// data\nCYPHER 5 CREATE (:Zz {a: 1});\nCYPHER 5 CREATE (:Zz {a: 1 / $none});\n"


@pytest.fixture
def scratch(db: Database) -> Database:
    """A database whose test migrations and index are gone afterwards."""
    return db


def undo(db: Database, first: int) -> None:
    db.schema_text("CYPHER 5 MATCH (m:Migration) WHERE m.version >= $first DETACH DELETE m", first=first)
    db.schema_text("CYPHER 5 MATCH (n:Zz) DETACH DELETE n")
    db.schema_text("CYPHER 5 DROP INDEX zz_test IF EXISTS")


def test_a_second_run_does_nothing(db: Database) -> None:
    stamp = db.version()
    assert migrate(db) == []
    assert db.version() == stamp


def test_every_index_is_online(db: Database) -> None:
    rows = db.read_text("SHOW INDEXES YIELD name, state, type RETURN name, state, type")
    assert {row["state"] for row in rows} == {"ONLINE"}
    kinds = {row["type"] for row in rows}
    assert {"RANGE", "POINT", "VECTOR", "FULLTEXT"} <= kinds


def test_vectors_are_stored_unquantised(db: Database) -> None:
    rows = db.read_text("SHOW INDEXES YIELD name, type, options WHERE type = 'VECTOR' RETURN name, options")
    assert {row["name"] for row in rows} >= {"observation_embedding", "fact_embedding", "passage_embedding"}
    for row in rows:
        config = row["options"]["indexConfig"]
        unquantised = (
            config.get("vector.quantization.type") == "NONE" or config.get("vector.quantization.enabled") is False
        )
        assert unquantised, config
        assert config["vector.dimensions"] == 384


def test_point_index_answers_a_distance_query(db: Database) -> None:
    plan = db.read_text(
        "EXPLAIN MATCH (o:Observation) WHERE point.distance(o.position, point({x: $x, y: 0.0, z: 0.0})) < $r RETURN o.id",
        x=3396190.0,
        r=1000.0,
    )
    assert plan == []
    with db._driver.session(database=db.database) as session:
        summary = session.run(
            "EXPLAIN MATCH (o:Observation) WHERE point.distance(o.position, point({x: $x, y: 0.0, z: 0.0})) < $r "
            "RETURN o.id",
            x=3396190.0,
            r=1000.0,
        ).consume()
    assert "NodeIndexSeek" in str(summary.plan)


def test_an_edited_migration_is_refused(db: Database) -> None:
    own = shipped()
    edited = [dataclasses.replace(own[0], checksum="0" * 64), *own[1:]]
    with pytest.raises(MigrationError, match="was edited after it had run"):
        migrate(db, edited)


def test_layout_and_comments_do_not_count_as_an_edit() -> None:
    spaced = SCHEMA.replace("CREATE INDEX", "CREATE   INDEX").replace(
        "// schema\n", "// schema\n\n// another comment\n"
    )
    assert Migration.parse("V0001__a", SCHEMA).checksum == Migration.parse("V0001__a", spaced).checksum


def test_a_graph_of_a_newer_areorag_is_refused(db: Database) -> None:
    with pytest.raises(MigrationError, match="newer areorag"):
        migrate(db, shipped()[:-1])


def test_schema_then_data_with_a_crash_between(scratch: Database) -> None:
    own = shipped()
    n = len(own)
    schema = Migration.parse(f"V{n + 1:04}__schema", SCHEMA)
    bad = Migration.parse(f"V{n + 2:04}__data", DATA)
    good = Migration.parse(f"V{n + 2:04}__data", DATA.replace(" / $none", ""))
    try:
        # the crash after the schema and before its record: what is left is run again
        for statement in schema.statements:
            scratch.schema_text(statement)
        with pytest.raises(DatabaseError):
            migrate(scratch, [*own, schema, bad])
        assert scratch.read_text("MATCH (n:Zz) RETURN count(n) AS n") == [{"n": 0}], "a data file is all or nothing"
        assert migrate(scratch, [*own, schema, good]) == [f"V{n + 2:04}__data"]
        assert scratch.read_text("MATCH (n:Zz) RETURN count(n) AS n") == [{"n": 2}]
        assert migrate(scratch, [*own, schema, good]) == []
    finally:
        undo(scratch, n + 1)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("V1__x", SCHEMA, "must be called"),
        ("V0001__x", SCHEMA.replace("// schema", "// nothing"), "second line"),
        ("V0001__x", SCHEMA.replace("CYPHER 5 ", ""), "begins CYPHER 5"),
        ("V0001__x", SCHEMA.replace("IF NOT EXISTS ", ""), "IF NOT EXISTS"),
        ("V0001__x", SCHEMA + "CYPHER 5 CREATE (:Zz {a: 1});\n", "mixes"),
        ("V0001__x", DATA + "CYPHER 5 CREATE INDEX zz_test IF NOT EXISTS FOR (n:Zz) ON (n.a);\n", "mixes"),
    ],
)
def test_a_bad_migration_file_is_refused(name: str, text: str, complaint: str) -> None:
    with pytest.raises(MigrationError, match=complaint):
        Migration.parse(name, text)


def test_statements_are_split_outside_strings_and_comments() -> None:
    text = "// a; b\nCYPHER 5 RETURN 'x // y;' AS a;\n// c\nCYPHER 5 RETURN 2 // two;\n AS b;\n"
    assert cypher.split(text) == ["CYPHER 5 RETURN 'x // y;' AS a", "CYPHER 5 RETURN 2 \n AS b"]


def test_every_statement_has_a_title_and_a_pinned_language() -> None:
    for kind in ("queries", "explore"):
        for statement in cypher.statements(kind):
            assert statement.title
            if kind == "queries":
                assert "CYPHER 5" in statement.text.splitlines()[1], statement.name
