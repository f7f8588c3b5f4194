"""The connection: what a person gets when it fails, what read-only means, and the version stamp."""

from __future__ import annotations

import pytest

from areorag.errors import AuthenticationError, DatabaseError, DatabaseUnavailableError, UsageError
from areorag.graph.connection import Database
from areorag.graph.server import ManagedServer
from areorag.settings import Settings, load_settings

pytestmark = pytest.mark.db


def test_named_statements_read_and_write(db: Database) -> None:
    assert db.server_version().split(".")[0] in {"5", "2026"}
    assert db.counts() == {"Migration": len(db.read("migrations_recorded"))}


def test_version_stamp_changes_with_every_write_and_only_then(db: Database) -> None:
    before = db.version()
    db.counts()
    db.read_text("MATCH (n) RETURN count(n)")
    assert db.version() == before
    db.schema_text("CYPHER 5 CREATE (:IngestRun {id: 'stamp'})")
    assert db.version() != before


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n:Entity {id: 'x'})",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX sneaky IF NOT EXISTS FOR (n:Entity) ON (n.zzz)",
        "CREATE USER eve SET PASSWORD 'abcdefgh1234'",
        "CALL db.createLabel('Sneaky')",
    ],
)
def test_user_cypher_cannot_write(db: Database, text: str) -> None:
    before = db.version()
    with pytest.raises(UsageError, match="only reading"):
        db.read_text(text)
    assert db.version() == before


def test_wrong_user_cypher_is_one_line(db: Database) -> None:
    with pytest.raises(DatabaseError) as caught:
        db.read_text("MATCH (n) RETRUN n")
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError):
        db.read_text("  \n ")


def test_nobody_at_the_address_says_what_to_do() -> None:
    with pytest.raises(DatabaseUnavailableError, match="areorag db start") as caught:
        Database.open(load_settings(neo4j_uri="bolt://127.0.0.1:9", neo4j_password="hush-hush"))
    assert "hush" not in str(caught.value)


def test_wrong_password_is_named_and_never_shown(server_settings: Settings) -> None:
    uri = ManagedServer(server_settings).status()["uri"]
    with pytest.raises(AuthenticationError) as caught:
        Database.open(load_settings(neo4j_uri=uri, neo4j_password="hush-hush"))
    assert "hush" not in str(caught.value)
    assert "NEO4J_PASSWORD" in str(caught.value)


@pytest.mark.parametrize("uri", ["nonsense", "http://127.0.0.1:7474", "bolt://user:hush-hush@127.0.0.1:9", "bolt://"])
def test_an_address_that_is_none_is_refused(uri: str) -> None:
    with pytest.raises(DatabaseUnavailableError) as caught:
        Database.open(load_settings(neo4j_uri=uri))
    assert "hush" not in str(caught.value)


def test_missing_database_is_named(server_settings: Settings) -> None:
    server = ManagedServer(server_settings)
    settings = load_settings(
        neo4j_uri=server.status()["uri"], neo4j_password=server.password(), neo4j_database="elsewhere"
    )
    with pytest.raises(DatabaseError, match="NEO4J_DATABASE"):
        Database.open(settings)


def test_given_server_wins_over_the_managed_one(server_settings: Settings, tmp_path: object) -> None:
    server = ManagedServer(server_settings)
    given = load_settings(neo4j_uri=server.status()["uri"], neo4j_password=server.password(), home=tmp_path)
    with Database.open(given) as other:
        assert other.uri == server.status()["uri"]
    assert not ManagedServer(given).status()["running"]


def test_same_statements_on_a_container(container_settings: Settings) -> None:
    with Database.open(container_settings) as database:
        assert database.counts()["Migration"] >= 1
