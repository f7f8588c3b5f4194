"""The main job end to end on a real Neo4j: sample labels in, a cited and triaged answer out, audited to the bytes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from areorag import AreoRAG, AsyncAreoRAG
from areorag.errors import EmptyQuestionError, UnknownNameError, UsageError
from areorag.graph.connection import Database
from areorag.sample import QUESTION, archive_path
from areorag.settings import Settings

README = Path(__file__).resolve().parents[1] / "README.md"

pytestmark = [pytest.mark.db, pytest.mark.slow]


@pytest.fixture(scope="module")
def areo(server_settings: Settings, _database: Database) -> Iterator[AreoRAG]:
    """The sample archive in a clean graph."""
    _database.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    with AreoRAG.open(settings=server_settings) as opened:
        report = opened.ingest([archive_path()])
        assert report.added >= 90
        assert report.quarantined == []
        yield opened


def test_demo_question_is_answered_from_orbit_and_ground_with_every_sentence_cited(areo: AreoRAG) -> None:
    answer = areo.ask(QUESTION)
    assert answer.found
    assert answer.sentences
    numbers = {s.n for s in answer.sources}
    assert all(s.cites and set(s.cites) <= numbers for s in answer.sentences)
    assert {"orbital", "insitu"} <= {s.kind for s in answer.evidence}
    assert any("carbonate" in s.text for s in answer.sentences)
    for source in answer.sources:
        assert areo.observation(source.id).id == source.id


def test_demo_question_shows_a_conflict_kept_with_its_physics(areo: AreoRAG) -> None:
    answer = areo.ask(QUESTION)
    explained = [c for c in answer.conflicts if c.category in ("scale", "instrument") and all(c.kept)]
    assert explained, [(c.category, c.property, c.explanation) for c in answer.conflicts]
    assert any(re.search(r"\d", c.explanation) for c in explained)
    for conflict in explained:
        assert conflict.confidence_after > conflict.confidence_before


def test_an_answer_leads_back_to_the_bytes_it_rests_on(areo: AreoRAG) -> None:
    answer = areo.ask(QUESTION)
    with_file = [s for s in answer.sources if s.sha256 and s.source_file]
    assert with_file
    for source in with_file:
        path = archive_path() / str(source.source_file)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == source.sha256
    rows = areo.cypher(
        "MATCH (:Query)-[:ANSWERED_BY]->(:Answer {id: $id})-[:CITES]->(p:Product) RETURN p.data_id AS id", id=answer.id
    )
    assert {r["id"] for r in rows} <= {s.id for s in answer.sources} | {s.id.split(":")[-1] for s in answer.sources}
    assert rows


def test_stored_answer_is_the_answer_that_was_given(areo: AreoRAG, tmp_path: Path) -> None:
    answer = areo.ask(QUESTION)
    assert areo.answer(answer.id) == answer
    page = areo.audit_html(answer.id, tmp_path / "a.html").read_text("utf-8")
    assert all(s.id in page for s in answer.sources)
    with pytest.raises(UnknownNameError, match="Recent ones"):
        areo.answer("a-none")


@pytest.mark.parametrize(
    ("question", "category"),
    [
        ("Did recurring slope lineae change at Garni crater between seasons?", "temporal"),
        ("What is the dust opacity in Gale crater?", "temporal"),
        ("Is there inclined bedding at Kodiak in Jezero?", "scale"),
        ("Is there feldspar at Windjana in Gale crater?", "instrument"),
        ("What is the elevation of the floor of Jezero?", "noise"),
        ("How much K2O is in Jake_M in Gale crater?", "noise"),
    ],
)
def test_sample_disagreements_are_triaged(areo: AreoRAG, question: str, category: str) -> None:
    answer = areo.ask(question, k=10)
    assert category in {c.category for c in answer.conflicts}, [(c.category, c.property, c.p) for c in answer.conflicts]


def test_noise_is_left_out_and_stays_in_the_graph(areo: AreoRAG) -> None:
    answer = areo.ask("What is the elevation of the floor of Jezero?", k=10)
    assert [s.id for s in answer.left_out] == ["SITE_TABLE_JEZERO_F12"]
    assert areo.observation("SITE_TABLE_JEZERO_F12").claims
    told = " ".join(s.text for s in answer.sentences)
    assert "lists the floor of Jezero" not in told


def test_a_persons_decision_stands_over_the_classifier(areo: AreoRAG) -> None:
    question = "Did recurring slope lineae change at Garni crater between seasons?"
    conflict = next(c for c in areo.ask(question).conflicts if c.category == "temporal")
    areo.overrule(conflict.id, category="instrument", why="checked by hand", who="an auditor")
    again = {c.id: c for c in areo.ask(question).conflicts}
    assert again[conflict.id].category == "instrument"
    assert "an auditor" in (again[conflict.id].overruled or "")
    assert any(r["id"] == conflict.id and r["overruled"] for r in areo.conflicts(category="instrument"))
    areo.overrule(conflict.id, category=conflict.category, why="back", who="an auditor")
    assert conflict.id in {r["id"] for r in areo.conflicts(category="temporal", region="Melas Chasma")}


def test_conflict_filters_refuse_what_does_not_exist(areo: AreoRAG) -> None:
    with pytest.raises(UnknownNameError, match="noise, instrument"):
        areo.conflicts(category="magic")
    with pytest.raises(UnknownNameError, match="not a place known"):
        areo.conflicts(region="Gondor")
    with pytest.raises(UsageError, match="say why"):
        areo.overrule("c-1", category="noise", why=" ")


def test_second_ingest_changes_nothing(areo: AreoRAG) -> None:
    before = areo.verify()
    assert before["problems"] == []
    report = areo.ingest([archive_path()])
    assert (report.added, report.updated) == (0, 0)
    assert report.unchanged >= 90
    assert areo.verify()["digest"] == before["digest"]


def test_unknown_place_and_no_evidence_are_said_and_nothing_is_cited(areo: AreoRAG) -> None:
    unknown = areo.ask("frost on the slopes of Gondor Planitia")
    assert not unknown.found
    assert "not a place known" in unknown.text
    nothing = areo.ask("HiRISE images of Argyre Planitia in MY 24")
    assert not nothing.found
    assert nothing.citations == []
    assert "Nothing in the graph" in nothing.text


def test_questions_without_words_are_refused(areo: AreoRAG) -> None:
    with pytest.raises(EmptyQuestionError):
        areo.ask(" ?! ")
    with pytest.raises(UsageError, match="20,000"):
        areo.ask("x" * 10_000_000)


def test_users_cypher_reads_and_cannot_write(areo: AreoRAG) -> None:
    assert areo.cypher("MATCH (o:Observation) RETURN count(o) AS n")[0]["n"] >= 90
    with pytest.raises(UsageError):
        areo.cypher("CREATE (n:Oops) RETURN n")


def test_async_mirror_gives_the_same(areo: AreoRAG) -> None:
    async def go() -> tuple[str, int]:
        async with await AsyncAreoRAG.open(settings=areo.settings) as mirror:
            answer = await mirror.ask("olivine in Jezero")
            hits = await mirror.retrieve("olivine in Jezero", 3)
            return (await mirror.answer(answer.id)).id, len(hits)

    answer_id, n = asyncio.run(go())
    assert areo.answer(answer_id).question == "olivine in Jezero"
    assert n == 3


def environment(settings: Settings) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    return clean | {
        "AREORAG_HOME": str(settings.home),
        "NO_COLOR": "1",
        "AREORAG_NEO4J_VERSION": settings.neo4j_version,
    }


def readme_commands() -> list[str]:
    return re.findall(r"^(areorag .*)$", README.read_text("utf-8"), re.M)


def test_readme_has_the_two_commands_first() -> None:
    lines = [line for line in README.read_text("utf-8").splitlines() if line.strip()]
    assert [line.split("#")[0].strip() for line in lines[2:4]] == ["make demo", "make test"]


@pytest.mark.parametrize("command", readme_commands())
def test_every_command_of_the_readme_runs(areo: AreoRAG, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], capture_output=True, text=True, timeout=300, check=False,
        cwd=README.parent, env=environment(areo.settings),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_readme_python_runs(areo: AreoRAG) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False, cwd=README.parent,
        env=environment(areo.settings),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "temporal" in done.stdout


def test_ask_as_json_is_the_whole_record(areo: AreoRAG) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "areorag", "ask", "olivine in Jezero", "--json", "-"], capture_output=True, text=True,
        timeout=300, check=True, env=environment(areo.settings),
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert {"id", "question", "text", "sentences", "sources", "conflicts", "suggestions", "trace"} <= set(data)
