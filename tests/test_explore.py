"""The queries for people in Neo4j Browser run, are titled, and return rows on a graph of the sample archive."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from importlib import resources
from pathlib import Path

import pytest

from areorag.answer.arp import Asker
from areorag.graph import cypher
from areorag.graph.connection import Database
from areorag.ingest.pipeline import ingest_paths
from areorag.settings import Settings
from areorag.triage.store import overrule

pytestmark = pytest.mark.db

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explore.md"
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


def test_the_page_shows_every_query_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for statement in cypher.statements("explore"):
        title, language, *body = statement.text.strip().splitlines()
        assert language == "CYPHER 5", statement.name
        assert f"### {title.removeprefix('// ')}\n\n`{statement.name}`" in page, statement.name
        assert "```cypher\n" + "\n".join(body) + "\n```" in page, statement.name
    for picture in re.findall(r"\]\((img/[^)]+)\)", page):
        assert (PAGE.parent / picture).is_file(), picture


def test_each_returns_rows_on_the_sample_archive(db: Database, settings: Settings, tmp_path: Path) -> None:
    """Ingest, ask, a newer version of one label, a person's decision: each by the product's own code."""
    archive = tmp_path / "archive"
    shutil.copytree(str(resources.files("areorag.sample").joinpath("archive")), archive)
    ingest_paths(db, [archive], settings, embedder=words())  # type: ignore[arg-type]
    for statement in statements_to_run():
        if statement.name[:2] in AFTER_ASKING or statement.name.startswith("pict_"):
            continue
        assert db.read_text(statement.text, **given(statement)), statement.name
    used = ask(db, settings)
    label = archive / "hirise" / f"{used}.LBL"
    text = label.read_text()
    assert 'PRODUCT_VERSION_ID        = "1.0"' in text
    label.write_text(text.replace('PRODUCT_VERSION_ID        = "1.0"', 'PRODUCT_VERSION_ID        = "1.1"'))
    ingest_paths(db, [archive], settings, embedder=words())  # type: ignore[arg-type]
    for statement in statements_to_run():
        assert db.read_text(statement.text, **given(statement)), statement.name
    (first, *_) = db.read_text(explore("14_versions_and_superseded_records"))
    assert first["record"] == used
    assert (first["version"], first["old_version"], first["reason"]) == ("1.1", "1.0", "newer version")
    (answer,) = db.read_text(explore("21_answers_and_what_changed_since"))
    assert answer["changed_since"] == [f"{used}: newer version"]
    (first, *rest) = db.read_text(explore("pict_overruled"))
    assert (first["person"], first["by"]) == ("instrument", "tester")
    assert all(row["person"] is None for row in rest)


AFTER_ASKING = {"04", "05", "07", "08", "09", "20", "21", "23"}
"""Queries about questions, answers and conflicts: empty until something is asked."""


def explore(name: str) -> str:
    return next(s.text for s in cypher.statements("explore") if s.name == name)


def statements_to_run() -> list[cypher.Statement]:
    return cypher.statements("explore")


def given(statement: cypher.Statement) -> dict[str, str]:
    return {"id": "FRT000047A3_07_IF166J_MTR3"} if "id" in statement.parameters else {}


def ask(db: Database, settings: Settings) -> str:
    """Ask of the sample archive, overrule one conflict; a HiRISE record that the answer used."""
    asker = Asker(db, settings, words())  # type: ignore[arg-type]
    answer = asker.ask("Is there inclined bedding at Kodiak in Jezero, and what minerals are in the delta?")
    rows = db.read_text("MATCH (x:Conflict) RETURN x.id AS id ORDER BY id")
    assert rows, "the sample archive has disagreements about Jezero"
    overrule(db, rows[-1]["id"], category="instrument", why="test", who="tester")
    rows = db.read_text(
        "MATCH (:Answer {id: $id})-[:USED]->(o:Observation {instrument: 'HiRISE'}) WHERE o.id ENDS WITH '_RED' "
        "RETURN o.id AS id ORDER BY id",
        id=answer.id,
    )
    return str(rows[0]["id"])
