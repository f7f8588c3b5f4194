"""The queries for people in Neo4j Browser run, are titled, and return rows on a graph of the sample archive."""

from __future__ import annotations

import importlib.util
import sys
from importlib import resources
from pathlib import Path

import pytest

from areorag.graph import cypher
from areorag.graph.connection import Database
from areorag.ingest.pipeline import ingest_paths
from areorag.settings import Settings

pytestmark = pytest.mark.db

NUMBERED = [s for s in cypher.statements("explore") if s.name[:2].isdigit()]


def words() -> object:
    spec = importlib.util.spec_from_file_location("test_pipeline_words", Path(__file__).with_name("test_pipeline.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Words()


def test_there_are_enough_and_each_is_titled_apart() -> None:
    assert len(NUMBERED) >= 15
    assert len({s.title for s in NUMBERED}) == len(NUMBERED)
    for statement in NUMBERED:
        assert "CYPHER 5" in statement.text.splitlines()[1], statement.name
        assert not statement.parameters, f"{statement.name}: a person would have to set a parameter"


def test_each_returns_rows_on_the_sample_archive(db: Database, settings: Settings) -> None:
    archive = Path(str(resources.files("areorag.sample").joinpath("archive")))
    ingest_paths(db, [archive], settings, embedder=words())  # type: ignore[arg-type]
    ask(db)
    for statement in NUMBERED:
        assert db.read_text(statement.text), statement.name


def ask(db: Database) -> None:
    """What asking and triage leave in the graph, and a superseded record: in the shape their own writers give it."""
    rows = db.read_text(
        "MATCH (oa:Observation)-[:ASSERTS]->(a:Claim), (ob:Observation)-[:ASSERTS]->(b:Claim) "
        "WHERE a.property = b.property AND a.subject = b.subject AND oa.resolution_m > 5 * ob.resolution_m "
        "RETURN a.id AS a, b.id AS b, oa.id AS oa, ob.id AS ob, a.property AS property ORDER BY a, b LIMIT 1"
    )
    (row,) = rows
    properties = {"name": "scale: test", "category": "scale", "property": row["property"], "a_id": row["oa"]}
    properties |= {"b_id": row["ob"], "bridge": "a coarse pixel holds many fine spots", "h_inter": 0.5}
    conflict = {"id": "conflict:test", "claim_a": row["a"], "claim_b": row["b"], "properties": properties}
    db.write("conflict_write", rows=[conflict])
    db.schema_text(
        "CYPHER 5 MATCH (o:Observation {id: $o})-[:FROM_PRODUCT]->(p:Product) MATCH (x:Conflict {id: 'conflict:test'}) "
        "MERGE (q:Query {id: 'q-test', question: 'test?', name: 'test?'}) "
        "MERGE (a:Answer {id: 'a-test', name: 'a-test', created: datetime()}) MERGE (q)-[:ANSWERED_BY]->(a) "
        "MERGE (a)-[:USED {rank: 1, score: 1.0}]->(o) MERGE (a)-[:CITES {n: 1}]->(p) MERGE (x)-[:FOUND_BY]->(q)",
        o=row["oa"],
    )
    db.schema_text(
        "CYPHER 5 MATCH (o:Observation {id: $o}) MERGE (s:Superseded {id: $o + '@test', of: $o}) "
        "MERGE (o)-[:SUPERSEDES {reason: 'newer version'}]->(s)",
        o=row["ob"],
    )
