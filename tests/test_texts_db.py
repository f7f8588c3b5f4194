"""Passages of ingested documents that answer a question, on a real Neo4j with the real embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from areorag.answer.arp import Asker
from areorag.evaluate import facts_graph
from areorag.graph.connection import Database
from areorag.ingest.text.pipeline import ingest_text
from areorag.llm.embed import get_embedder
from areorag.retrieval.reasoning.anchoring import step_targets, target_hyperedges
from areorag.retrieval.texts import passages_about
from areorag.settings import Settings

pytestmark = pytest.mark.db

SUBJECTS = ["the dust of the plain", "the wind at the rim", "layered rock of the mound", "frost on the dark slope"]
FILLING = " ".join(
    f"The rover team described {SUBJECTS[i % 4]} on sol {i}, and compared it with images of earlier seasons."
    for i in range(400)
)
REPORT = FILLING + (
    " Calibration lamp QX-17 was replaced by its spare. Nothing else changed that day. "
    "Sulfate veins cut the mudstone of the lower unit and are thought to be late. "
) + FILLING.replace("sol", "day")  # fmt: skip


@pytest.fixture
def embedder(settings: Settings):  # type: ignore[no-untyped-def]
    return get_embedder(settings)


@pytest.fixture
def report(db: Database, settings: Settings, tmp_path: Path, embedder):  # type: ignore[no-untyped-def]
    file = tmp_path / "report.txt"
    file.write_text(REPORT, "utf-8")
    ingest_text(db, [file], settings, embedder=embedder)
    return db


def test_a_passage_is_found_by_a_name_or_by_what_it_says(report: Database, embedder) -> None:  # type: ignore[no-untyped-def]
    by_name = passages_about(report, "What became of lamp QX-17?", embedder)
    assert by_name[0].sentence == "Calibration lamp QX-17 was replaced by its spare."
    by_meaning = passages_about(report, "Where are veins of sulfate seen in mudstone?", embedder)
    assert by_meaning[0].sentence.startswith("Sulfate veins cut the mudstone")
    for found in (*by_name, *by_meaning):
        assert found.sentence in found.row["text"], "quoted as it is written"
        assert REPORT.count(found.row["text"])
    assert len({f.row["id"] for f in by_name}) == len(by_name) <= 3


@pytest.mark.parametrize(
    "question",
    [
        "Which antibiotic treats pneumonia in infants?",
        "?!",
        "+-&&||!(){}[]^\"~*?:\\/ AND OR NOT TO",
        "the of and",
    ],
)  # fmt: skip
def test_where_no_document_is_about_it_nothing_is_cited(report: Database, embedder, question: str) -> None:  # type: ignore[no-untyped-def]
    assert passages_about(report, question, embedder) == []


def test_long_questions_and_an_empty_graph(db: Database, report: Database, embedder) -> None:  # type: ignore[no-untyped-def]
    words = " ".join(f"word{i}" for i in range(3000))
    assert passages_about(report, f"lamp QX-17 {words}", embedder) is not None
    assert len(target_hyperedges(report, f"sulfate {words}", embedder)) > 0
    assert set(step_targets(report, {"long": words.split(), "short": ["sulfate"]})) == {"short"}
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    assert passages_about(db, "What became of lamp QX-17?", embedder) == []


def test_the_answer_quotes_the_sentence_and_cites_its_passage(report: Database, settings: Settings, embedder) -> None:  # type: ignore[no-untyped-def]
    answer = Asker(report, settings, embedder).ask("What became of lamp QX-17?")
    said = next(s for s in answer.sentences if "QX-17 was replaced by its spare" in s.text)
    source = next(s for s in answer.sources if s.n in said.cites)
    assert source.kind == "passage"
    assert source.quoted is not None
    assert source.quoted in source.text


def test_eval_facts_asks_a_graph(tmp_path: Path, settings: Settings) -> None:
    corpus, questions = tmp_path / "c.jsonl", tmp_path / "q.jsonl"
    corpus.write_text(json.dumps({"id": "d", "title": "report", "text": REPORT}) + "\n", "utf-8")
    rows = [
        {
            "id": "a",
            "question": "What became of lamp QX-17?",
            "gold_sentences": ["Calibration lamp QX-17 was replaced"],
        },
        {"id": "b", "question": "Who won?", "gold_sentences": ["Nobody says this."]},
    ]
    questions.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    got = facts_graph.run(corpus, questions, settings=settings)
    assert (got["n"], got["located"]) == (2, 1)
    assert got["asked"]["all_gold"] == got["asked"]["some_gold"] == 100.0
    assert got["asked"]["answered"] == 1
    assert got["asked"]["p50_ms"] > 0
    assert set(got["nearest"]) == {"all_gold", "some_gold"}
