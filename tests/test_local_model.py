"""Every path that can use a language model, run once on a real small one inside this process (extra ``[local-llm]``).

The model is far too small to be right: what holds is that each path ends, within its limits, with checked output and
with what it cost. Another model: ``AREORAG_LOCAL_GGUF=/path/model.gguf``.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from areorag.errors import MissingExtraError
from areorag.graph.connection import Database
from areorag.ingest.text.pipeline import ingest_text
from areorag.llm.chat import ChatModel, get_chat
from areorag.llm.embed import get_embedder
from areorag.llm.local import grammar_schema
from areorag.retrieval.reasoning import reason
from areorag.settings import Settings, load_settings

SHORT = """The drill target Windjana contains sanidine and magnetite, measured by CheMin after the drilling on sol 621.

ChemCam did not detect sulfur at the target Stephen, whereas manganese is abundant in the dark coating of the rock.

Hematite was found by CheMin in the target Confidence Hills, with about 7 wt% of hematite in the drilled powder.
"""
EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples" / "reasoning"


def test_a_grammar_has_no_lengths_and_keeps_properties_of_any_name() -> None:
    schema = {
        "title": "T",
        "properties": {
            "title": {"type": "string", "maxLength": 9},
            "n": {"anyOf": [{"default": 1, "type": "integer"}]},
        },
        "$defs": {"description": {"type": "object", "title": "D"}},
        "required": ["title"],
    }
    assert grammar_schema(schema) == {
        "properties": {"title": {"type": "string"}, "n": {"anyOf": [{"type": "integer"}]}},
        "$defs": {"description": {"type": "object"}},
        "required": ["title"],
    }


def local_settings(tmp_path: Path) -> Settings:
    name = os.environ.get("AREORAG_LOCAL_GGUF", "")
    return load_settings(
        llm=f"local:{name}" if name else "local", cache_dir=tmp_path, llm_max_calls=40, text_passage_words=20
    )


@pytest.fixture
def chat(tmp_path: Path) -> ChatModel:
    pytest.importorskip("xllamacpp", reason="needs the extra [local-llm]")
    try:
        model = get_chat(local_settings(tmp_path))
    except MissingExtraError as exc:
        pytest.skip(str(exc))
    assert model is not None
    return model


@pytest.mark.slow
@pytest.mark.db
def test_text_ingest_ends_with_exact_quotes_and_a_second_run_pays_nothing(
    db: Database, chat: ChatModel, tmp_path: Path
) -> None:
    file = tmp_path / "short.txt"
    file.write_text(SHORT, "utf-8")
    settings = local_settings(tmp_path)
    embedder = get_embedder(load_settings(), cache=False)
    report = ingest_text(db, [file], settings, chat=chat, embedder=embedder)
    assert report.stopped is None or "in a row failed" in report.stopped
    assert 0 < report.usage["calls"] <= 2 * (report.passages + 1)
    assert report.usage["tokens_out"] > 0
    source = file.read_text("utf-8")
    for row in db.read_text("CYPHER 5 MATCH (f:Fact) RETURN f.quote AS q, f.start_char AS a, f.end_char AS b"):
        assert source[row["a"] : row["b"]] == row["q"]
    if report.stopped is None and not report.failed_passages:
        paid = chat.usage.calls
        assert ingest_text(db, [file], settings, chat=chat, embedder=embedder).unchanged == 1
        assert chat.usage.calls == paid


@pytest.mark.slow
@pytest.mark.db
def test_reasoning_ends_within_its_seconds_and_says_what_it_cost(db: Database, chat: ChatModel, tmp_path: Path) -> None:
    embedder = get_embedder(load_settings(), cache=False)
    ingest_text(db, [EXAMPLES], local_settings(tmp_path), embedder=embedder)
    question = "Which instrument identified the mineral that is contained in the target drilled at Pahrump Hills?"
    result = reason(db, question, local_settings(tmp_path), embedder, chat)
    assert result.trace.usage["calls"] > 0
    assert result.answers
    assert any("plan" in prompt for prompt in result.trace.prompts)


@pytest.mark.slow
def test_interaction_entropy_and_cross_support_are_finite_and_cost_eight_calls(chat: ChatModel) -> None:
    from areorag.triage.entropy import interaction
    from areorag.triage.source import Source

    def side(name: str, value: str) -> Source:
        claim = {"subject": "Jezero delta", "property": "carbonate", "value": value, "text": f"Carbonate {value}."}
        return Source.from_pair_json({"data_id": name, "instrument": name, "claim": claim})

    found = interaction(chat, "Is there carbonate?", side("CRISM", "present"), side("TES", "absent"))
    assert found is not None
    assert found.calls == 8
    assert all(math.isfinite(x) for x in (found.h_inter, found.h_joint, found.h_a, found.h_b))
    assert found.cross_support is not None
    assert found.h_joint >= 0
    assert 0 <= found.truncated < 1
