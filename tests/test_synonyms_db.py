"""Synonyms as users handle them: listed with reasons, written, taken back; the graph before is the graph after."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from areorag import AreoRAG
from areorag.cli import app
from areorag.errors import UnknownNameError, UsageError
from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.forget import forget
from areorag.graph.model import Observation, ProductRef
from areorag.graph.rows import EntityRef, HyperedgeRow
from areorag.graph.text_writer import delete_documents
from areorag.graph.verify import verify
from areorag.graph.writer import write_observations
from areorag.ingest.text.pipeline import ingest_text
from areorag.ingest.text.readers import document_id
from areorag.ingest.text.synonyms import Synonym, decide, find_synonyms, same_name, write_synonyms, written_synonyms
from areorag.llm.chat import Budget, ChatModel
from areorag.llm.scripted import ScriptedBackend
from areorag.settings import Settings, load_settings

from .test_text_db import HashEmbedder

pytestmark = pytest.mark.db


class PrefixEmbedder(HashEmbedder):
    """Names that begin alike have one vector."""

    name = "prefix"

    def embed(self, texts: list[str]) -> np.ndarray:
        return super().embed([t[:6] for t in texts])


ONE = "The drill target Rocknest (sol 759) contains hematite. The target Telegraph Peak (sol 182) contains smectite."
TWO = "The drill target Rocknests (sol 759) contains jarosite. The target Telegraph Peaks (sol 182) contains gypsum."


@pytest.fixture
def texts(db: Database, tmp_path: Path) -> dict[str, Path]:
    files = {"one": tmp_path / "t" / "one.txt", "two": tmp_path / "t" / "two.txt"}
    files["one"].parent.mkdir()
    files["one"].write_text(ONE, "utf-8")
    files["two"].write_text(TWO, "utf-8")
    settings = load_settings(cache_dir=tmp_path / "cache")
    ingest_text(db, [tmp_path / "t"], settings, embedder=HashEmbedder())
    return files


def test_the_command_lists_writes_and_takes_back(
    db: Database, texts: dict[str, Path], server_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CliRunner()
    home = ["--home", str(server_settings.home)]
    monkeypatch.setenv("AREORAG_NEO4J_VERSION", server_settings.neo4j_version)

    def synonyms(*args: str, code: int = 0):  # type: ignore[no-untyped-def]
        done = run.invoke(app, ["synonyms", *args, *home, "--json", "-"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout[done.stdout.index("{") :])

    before = content_digest(db)
    found = synonyms()["synonyms"]
    by_names = {frozenset(s["names"]): s for s in found}
    nests = by_names[frozenset({"Rocknest", "Rocknests"})]
    assert (nests["label"], nests["method"], nests["why"]) == ("Target", "lexicon", "singular and plural")
    assert 0.8 <= nests["score"] <= 1
    assert not any(s["written"] for s in found)
    assert content_digest(db) == before, "looking writes nothing"
    assert synonyms("--write", nests["id"])["written"] == 1
    assert [s["id"] for s in synonyms()["synonyms"] if s["written"]] == [nests["id"]]
    assert synonyms("--write")["written"] == len(found)
    assert verify(db)["problems"] == []
    written = content_digest(db)
    assert synonyms("--write")["written"] == len(found)
    assert content_digest(db) == written, "writing again changes nothing"
    assert synonyms("--remove", nests["id"]) == {"removed": 1}
    assert synonyms("--remove", "--all") == {"removed": len(found) - 1}
    assert content_digest(db) == before
    out = run.invoke(app, ["synonyms", *home])
    assert "Rocknest = Rocknests" in " ".join(out.output.split())
    assert "singular and plural" in out.output


@pytest.mark.parametrize(
    "args",
    [["--write", "--remove"], ["--all"], ["--remove"], ["synonym:1"], ["--threshold", "1.5"], ["--write", "nothing"]],
)
def test_wrong_use_is_refused(
    db: Database, server_settings: Settings, args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AREORAG_NEO4J_VERSION", server_settings.neo4j_version)
    done = CliRunner().invoke(app, ["synonyms", *args, "--home", str(server_settings.home)])
    assert isinstance(done.exception, UsageError)


def test_python_has_the_same(db: Database, texts: dict[str, Path], server_settings: Settings) -> None:
    before = content_digest(db)
    with AreoRAG.open(settings=server_settings) as areo:
        found = areo.synonyms()
        assert found["written"] == 0
        assert areo.synonyms(write=True)["written"] == len(found["synonyms"]) > 0
        assert all(s["written"] for s in areo.synonyms(threshold=1.0)["synonyms"]), "what is written is always shown"
        assert areo.remove_synonyms() == len(found["synonyms"])
        with pytest.raises(UnknownNameError, match="no candidate"):
            areo.synonyms(write=True, only=["synonym:none"])
    assert content_digest(db) == before


def test_a_synonym_goes_when_one_of_its_names_goes(db: Database, texts: dict[str, Path]) -> None:
    delete_documents(db, [document_id(texts["two"])])
    alone = content_digest(db)
    ingest_text(db, [texts["two"]], load_settings(), embedder=HashEmbedder())
    found = find_synonyms(db, PrefixEmbedder())
    assert write_synonyms(db, found) == len(found) > 0
    delete_documents(db, [document_id(texts["two"])])
    assert written_synonyms(db) == []
    assert content_digest(db) == alone
    assert verify(db)["problems"] == []
    assert write_synonyms(db, found) == 0, "a name that is gone meanwhile is in no new synonym"
    assert content_digest(db) == alone


def test_a_synonym_keeps_no_name_that_only_a_forgotten_observation_had(
    db: Database, texts: dict[str, Path], server_settings: Settings
) -> None:
    seen = Observation(id="O1", kind="insitu", instrument="APXS", product=ProductRef(data_id="O1"))
    write_observations(db, [HyperedgeRow(seen, entities=[EntityRef("target", "Target", "Rocknests")])], "r1")
    write_synonyms(db, find_synonyms(db, PrefixEmbedder()))
    n = len(written_synonyms(db))
    delete_documents(db, [document_id(texts["two"])])
    assert len(written_synonyms(db)) == n > 0, "the observation still has the name"
    forget(db, ["O1"], server_settings)
    assert written_synonyms(db) == []
    names = db.read_text("CYPHER 5 MATCH (e:Target) RETURN e.name AS name")
    assert "Rocknests" not in {r["name"] for r in names}
    assert verify(db)["problems"] == []


def test_a_model_decides_what_rules_leave_open_and_its_numbers_are_checked() -> None:
    names = ["Rocknest", "Rock nest site", "Windjana"]
    asked: list[str] = []

    def said(request):  # type: ignore[no-untyped-def]
        asked.append(request.messages[0].content)
        return '{"groups": [[0, 1, 99, -1], [2]]}'

    groups = decide(names, ChatModel(ScriptedBackend(said)))
    assert [g for g, _, _ in groups] == [[0, 1]]
    assert groups[0][1].startswith("model:")
    assert "same_name@" in groups[0][2]
    assert "<<SOURCE" in asked[0]
    for bad in ("no idea", '{"groups": "all"}', '{"groups": [[0, 1', ""):
        assert decide(names, ChatModel(ScriptedBackend(lambda _, r=bad: r))) == []
    asked.clear()
    assert decide(["John Klein", "John_Klein"], ChatModel(ScriptedBackend(said)))
    assert asked == [], "what the rules settle is not paid for"


def test_a_used_up_budget_leaves_the_rules_to_decide_and_says_so(db: Database, texts: dict[str, Path]) -> None:
    notes: list[str] = []
    broke = ChatModel(ScriptedBackend(lambda _: '{"groups": []}'), budget=Budget(max_calls=0))
    rules = find_synonyms(db, PrefixEmbedder(), threshold=0.5)
    assert find_synonyms(db, PrefixEmbedder(), broke, threshold=0.5, notes=notes) == rules
    assert len(notes) == 1
    assert "budget" in notes[0]


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("Ca3Al2Si3O12", "Ca3Fe2Si3O12", None),
        ("NASA MFR", "NASA MFRP", None),
        ("Bonanza King", "BonanzaKing", "same letters"),
        ("Carnivore Canyon", "Carvivore Canyon", "spelling"),
        ("Acousto-Optical Tunable Filter", "AOTF", "abbreviation"),
        ("Walker D", "Walker J", None),
        ("Stroke Organisation", "Stroke Organization", "spelling"),
        ("sol 12", "sol 13", None),
        ("hematite", "magnetite", None),
    ],
)
def test_reasons_of_rules(a: str, b: str, why: str | None) -> None:
    assert same_name(a, b) == same_name(b, a) == why


def test_ids_depend_on_members_only() -> None:
    a = Synonym(("x", "y"), ("X", "Y"), "lexicon", "spelling", 0.9)
    b = Synonym(("x", "y"), ("X", "Y"), "model:m", "decided", 0.8)
    assert a.id == b.id
