"""Text ingest on a real Neo4j: what is written, replaced, deleted, resumed; nothing paid for twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import DatabaseError
from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.text_writer import TextWriter, delete_documents
from areorag.graph.verify import verify
from areorag.ingest.text.pipeline import ingest_text
from areorag.llm.chat import Budget, ChatModel
from areorag.llm.messages import Transient
from areorag.llm.reply_cache import ReplyCache
from areorag.llm.scripted import ScriptedBackend
from areorag.settings import Settings, load_settings

pytestmark = pytest.mark.db

GALE = (
    "A survey of the Kimberley area. We studied rocks in Gale crater on Mars. The rover reached Gale crater on sol 1.\n\n"
    "The target Windjana was drilled on sol 621. Windjana contains 16 wt% sanidine and magnetite. "
    "ChemCam did not detect sulfur at the target Windjana.\n\n"
    "The ChemCam target Stephen (sol 619) is rich in Mn, with 3.7 wt% MnO. Hematite was found at Jezero crater."
)


def long_text(parts: int) -> str:
    """Parts that differ, so that no two passages are alike."""
    texts = (GALE.replace("sol 1.", f"sol {i}.").replace("sol 621", f"sol {700 + i}") for i in range(parts))
    return "\n\n".join(t.replace("sol 619", f"sol {800 + i}") for i, t in enumerate(texts))


class HashEmbedder:
    """Words hashed to 384 numbers: fast, deterministic vectors for tests of the writer, not of retrieval."""

    name, dim = "hash", 384

    def embed(self, texts: list[str]) -> np.ndarray:
        out = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                out[row, sum(word.encode()) % self.dim] += 1.0
            out[row, 0] += 1e-3
        return out / np.linalg.norm(out, axis=1, keepdims=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(cache_dir=tmp_path / "cache", text_passage_words=40)


def ingest(db: Database, path: Path, settings: Settings, **kw):  # type: ignore[no-untyped-def]
    return ingest_text(db, [path], settings, embedder=HashEmbedder(), **kw)


def test_facts_quote_their_document_and_bind_shared_entities(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    report = ingest(db, file, settings)
    assert report.added == 1
    assert report.passages >= 2
    facts = db.read_text(
        "CYPHER 5 MATCH (f:Fact) RETURN f.start_char AS a, f.end_char AS b, f.quote AS quote, f.place AS place"
    )
    assert facts
    assert all(GALE[f["a"] : f["b"]] == f["quote"] for f in facts)
    claims = db.read_text(
        "CYPHER 5 MATCH (f:Fact)-[:ASSERTS]->(c:Claim)-[:ABOUT]->(e:Entity) "
        "RETURN c.subject AS s, c.property AS p, c.polarity AS polarity, c.low AS low, c.unit AS unit, e.id AS e"
    )
    assert any(c["s"] == "Windjana" and c["p"] == "sanidine" and c["low"] == 16 and c["unit"] == "wt%" for c in claims)
    assert any(c["s"] == "Windjana" and c["polarity"] == "absent" for c in claims)
    assert {"target:windjana", "mineral:sanidine"} <= {c["e"] for c in claims}
    assert verify(db)["problems"] == []


def test_facts_about_places_have_positions_and_join_cells(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    ingest(db, file, settings)
    rows = db.read_text(
        "CYPHER 5 MATCH (f:Fact) WHERE f.quote CONTAINS 'Jezero' "
        "RETURN f.lon_deg AS lon, f.lat_deg AS lat, f.lorentz AS l, COUNT { (f)-[:COVERS]->(:Cell) } AS cells"
    )
    assert rows[0]["lon"] == pytest.approx(77.7, abs=0.3)
    assert rows[0]["lat"] == pytest.approx(18.4, abs=0.3)
    assert len(rows[0]["l"]) == 4
    assert rows[0]["cells"] > 0
    inherited = db.read_text("CYPHER 5 MATCH (f:Fact {place_source: 'document'}) RETURN f.place AS place LIMIT 1")
    assert inherited[0]["place"] == "Gale"


def test_second_run_changes_nothing(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    ingest(db, file, settings)
    before = content_digest(db)
    report = ingest(db, file, settings)
    assert report.unchanged == 1
    assert report.passages == 0
    assert content_digest(db) == before


def test_changed_document_replaces_its_contribution_only(db: Database, settings: Settings, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(GALE, "utf-8")
    two.write_text("The target Windjana contains olivine. The target Zzyzx (sol 5) contains gypsum.", "utf-8")
    ingest_text(db, [one, two], settings, embedder=HashEmbedder())
    ids = {r["id"] for r in db.read("text_entity_names")}
    assert {"mineral:olivine", "mineral:sanidine"} <= ids
    one.write_text("The target Windjana contains magnetite, and the target Neil contains jarosite.", "utf-8")
    report = ingest_text(db, [one, two], settings, embedder=HashEmbedder())
    assert (report.updated, report.unchanged) == (1, 1)
    ids = {r["id"] for r in db.read("text_entity_names")}
    assert "mineral:sanidine" not in ids
    assert {"target:windjana", "mineral:olivine", "mineral:jarosite"} <= ids
    assert verify(db)["problems"] == []
    changed = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    ingest_text(db, [one, two], settings, embedder=HashEmbedder())
    assert content_digest(db) == changed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.7 wt% MnO. Hematite", "3.7 wt% MnO. Goethite"),
        ("A survey of the Kimberley area. ", ""),
        (
            "Hematite was found at Jezero crater.",
            "Hematite was found at Jezero crater. Opal was found at Jezero crater.",
        ),
        ("The target Windjana was drilled", "The outcrop Windjana was drilled"),
    ],
)
def test_a_changed_sentence_leaves_the_graph_of_the_new_text(
    db: Database, settings: Settings, tmp_path: Path, old: str, new: str
) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    ingest(db, file, settings)
    assert old in GALE
    file.write_text(GALE.replace(old, new), "utf-8")
    ingest(db, file, settings)
    changed = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    ingest(db, file, settings)
    assert content_digest(db) == changed


def test_other_passage_lengths_lose_no_fact(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(long_text(3), "utf-8")
    ingest(db, file, settings)
    longer = settings.model_copy(update={"text_passage_words": 90})
    ingest_text(db, [file], longer, embedder=HashEmbedder())
    changed = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    ingest_text(db, [file], longer, embedder=HashEmbedder())
    assert content_digest(db) == changed


def test_a_corpus_of_many_small_documents_is_a_few_transactions(
    db: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "corpus.jsonl"
    lines = [json.dumps({"id": i, "text": f"The target Rock{i} contains {i} wt% hematite."}) for i in range(300)]
    file.write_text("\n".join([*lines, "no json"]), "utf-8")
    writes: list[int] = []
    write_new = TextWriter.write_new
    monkeypatch.setattr(TextWriter, "write_new", lambda self, d, r: (writes.append(len(d)), write_new(self, d, r))[1])
    report = ingest(db, file, settings)
    assert (report.added, report.passages, sum(writes)) == (300, 300, 300)
    assert len(writes) <= 4
    assert "1 line is no document" in " ".join(report.warnings)
    again = ingest(db, file, settings)
    assert (again.unchanged, again.passages) == (300, 0)
    lines[7] = lines[7].replace("hematite", "olivine")
    file.write_text("\n".join(lines), "utf-8")
    third = ingest(db, file, settings)
    assert (third.unchanged, third.updated) == (299, 1)
    assert verify(db)["problems"] == []


def test_deleting_a_document_leaves_what_others_support(db: Database, settings: Settings, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(GALE, "utf-8")
    two.write_text("The target Windjana contains olivine. The target Zzyzx (sol 5) contains gypsum.", "utf-8")
    ingest(db, two, settings)
    alone = content_digest(db)
    ingest(db, one, settings)
    doc = next(r["id"] for r in db.read("text_documents") if r["title"] == "one")
    assert delete_documents(db, [doc]) == 1
    assert content_digest(db) == alone
    assert delete_documents(db, [doc]) == 0


def _answer(request) -> str:  # type: ignore[no-untyped-def]
    """A model that quotes a sentence of its passage and one that is not there."""
    prompt = request.messages[0].content
    body = prompt.split("<<SOURCE", 1)[1].split(">>\n", 1)[1].split("\n<<END", 1)[0]
    sentence = body.split(". ")[0]
    words = [w.strip(".,") for w in sentence.split() if len(w) > 3]
    good = {"quote": sentence, "entities": [{"name": w, "type": "Concept", "role": "concept"} for w in words[:3]]}
    bad = {"quote": "Elvis lives on Mars", "entities": [{"name": "Elvis"}, {"name": "Mars"}]}
    return json.dumps({"facts": [good, bad]})


def test_model_facts_with_wrong_quotes_are_dropped_and_counted(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    chat = ChatModel(ScriptedBackend(_answer))
    report = ingest(db, file, settings, chat=chat)
    assert report.dropped_quotes == report.passages
    assert report.facts == report.passages
    assert report.usage["calls"] == report.passages
    quotes = [r["q"] for r in db.read_text("CYPHER 5 MATCH (f:Fact) RETURN f.quote AS q")]
    assert quotes
    assert all(q in GALE for q in quotes)


def test_out_of_budget_stops_cleanly_and_resumes_without_paying_twice(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(long_text(3), "utf-8")
    backend = ScriptedBackend(_answer)
    first = ingest(db, file, settings, chat=ChatModel(backend, budget=Budget(max_calls=2)))
    assert first.stopped is not None
    assert "go on" in first.stopped
    assert first.passages == 2
    second = ingest(db, file, settings, chat=ChatModel(backend))
    assert second.stopped is None
    assert second.passages_kept == 2
    prompts = [r.messages[0].content for r in backend.requests]
    assert len(prompts) == len(set(prompts)) == second.passages + 2


def test_a_storm_of_429_ends_the_run_with_a_clear_report(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(long_text(4), "utf-8")
    storm = ScriptedBackend(lambda _: Transient("rate limit (429)", 0.0))
    chat = ChatModel(storm, sleep=lambda _: None)
    report = ingest(db, file, settings, chat=chat)
    assert report.stopped is not None
    assert "429" in report.stopped
    assert len(storm.requests) <= 3 * 6
    calm = ChatModel(ScriptedBackend(_answer))
    again = ingest(db, file, settings, chat=calm)
    assert again.stopped is None
    assert again.failed_passages == 0
    assert db.read("text_documents")[0]["state"] == "complete"


HALF = '{"facts": [{"quote": "The target Windjana", "entities": [], "claims": []}, {"quote": "The'


@pytest.mark.parametrize(
    "reply", ["The facts are clear.", '{"facts": [{"quote": "The', "", "[1, 2]", '{"facts": 3}', HALF]
)
def test_prose_half_json_and_nothing_are_counted_not_fatal(
    db: Database, settings: Settings, tmp_path: Path, reply: str
) -> None:
    file = tmp_path / "short.txt"
    file.write_text("The target Windjana contains olivine and magnetite.", "utf-8")
    report = ingest(db, file, settings)
    patterns = db.read("text_digest_rows")
    assert patterns
    report = ingest(db, file, settings, chat=ChatModel(ScriptedBackend(lambda _: reply)))
    assert report.failed_passages == 1
    assert db.read("text_digest_rows") == patterns, "what the patterns found stays until the model answers"
    assert (db.read("text_documents")[0]["state"], db.read("text_documents")[0]["failed"]) == ("partial", 1)
    report = ingest(db, file, settings, chat=ChatModel(ScriptedBackend(_answer)))
    assert (report.failed_passages, report.dropped_quotes) == (0, 1)
    assert db.read("text_documents")[0]["state"] == "complete"


KILLED = """
import os, sys, json
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_text_db as t
from areorag.graph.connection import Database
from areorag.ingest.text.pipeline import ingest_text
from areorag.llm.chat import ChatModel
from areorag.llm.reply_cache import ReplyCache
from areorag.llm.scripted import ScriptedBackend
from areorag.settings import load_settings

paid = Path({paid!r})
def answer(request):
    with paid.open("a") as f:
        f.write(json.dumps(request.messages[0].content) + "\\n")
    if len(paid.read_text().splitlines()) == {die}:
        os.kill(os.getpid(), 9)
    return t._answer(request)

settings = load_settings(home={home!r}, cache_dir={cache!r}, text_passage_words=40, bolt_port=0, http_port=0)
with Database.open(settings) as db:
    cache = ReplyCache(Path({cache!r}) / "replies.sqlite")
    chat = ChatModel(ScriptedBackend(answer), cache=cache)
    ingest_text(db, [Path({file!r})], settings, embedder=t.HashEmbedder(), chat=chat)
"""


@pytest.mark.slow
def test_kill_9_and_repeat_gives_the_same_digest_and_pays_for_no_passage_twice(
    db: Database, server_settings: Settings, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "gale.txt"
    file.write_text(long_text(8), "utf-8")
    calm = ChatModel(ScriptedBackend(_answer))
    ingest(db, file, settings, chat=calm)
    whole, total = content_digest(db), calm.usage.calls
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    paid = tmp_path / "paid.jsonl"
    values = {
        "tests": str(Path(__file__).parent),
        "paid": str(paid),
        "home": str(server_settings.home),
        "cache": str(tmp_path / "killcache"),
        "file": str(file),
    }
    codes = []
    for die in (5, 11, 10**6):
        code = subprocess.run([sys.executable, "-c", KILLED.format(die=die, **values)], timeout=120, check=False)
        codes.append(code.returncode)
    assert codes == [-9, -9, 0]
    assert content_digest(db) == whole
    prompts = paid.read_text().splitlines()
    repeated = len(prompts) - len(set(prompts))
    assert len(set(prompts)) == total
    assert repeated <= 2  # only the call in flight when the process died
    assert ReplyCache is not None


KILLED_LEXICON = """
import os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_text_db as t
from areorag.graph.connection import Database
from areorag.ingest.text.pipeline import ingest_text
from areorag.settings import load_settings

class Dying(t.HashEmbedder):
    calls = 0
    def embed(self, texts):
        Dying.calls += 1
        if Dying.calls == {die}:
            os.kill(os.getpid(), 9)
        return super().embed(texts)

settings = load_settings(home={home!r}, cache_dir={cache!r}, text_passage_words=40, bolt_port=0, http_port=0)
with Database.open(settings) as db:
    ingest_text(db, [Path({folder!r})], settings, embedder=Dying())
"""


@pytest.mark.slow
def test_kill_9_while_batches_are_written_behind_gives_the_same_digest(
    db: Database, server_settings: Settings, settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(4):
        (folder / f"{i}.txt").write_text(long_text(6).replace("Windjana", f"Windjana_{i}"), "utf-8")
    (folder / "long.txt").write_text(long_text(60), "utf-8")
    ingest(db, folder, settings)
    whole = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    values = {
        "tests": str(Path(__file__).parent),
        "home": str(server_settings.home),
        "cache": str(tmp_path / "killcache"),
        "folder": str(folder),
    }
    codes = []
    for die in (3, 2, 10**6):
        code = KILLED_LEXICON.format(die=die, **values)
        codes.append(subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode)
    assert codes == [-9, -9, 0]
    assert content_digest(db) == whole
    assert {r["state"] for r in db.read("text_documents")} == {"complete"}


def test_a_batch_that_cannot_be_written_ends_the_run_with_its_error(
    db: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: TextWriter, documents: object, rows: object) -> None:
        raise DatabaseError("the disk is full")

    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    with monkeypatch.context() as broken:
        broken.setattr(TextWriter, "write_new", refuse)
        with pytest.raises(DatabaseError, match="disk is full"):
            ingest(db, file, settings)
    assert db.read("text_documents") == []
    assert ingest(db, file, settings).added == 1
    assert db.read("text_documents")[0]["state"] == "complete"


def test_facts_about_the_place_of_an_observation_can_be_triaged(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    from areorag.graph.model import Claim, Observation, ProductRef
    from areorag.graph.rows import EntityRef, HyperedgeRow
    from areorag.graph.text_reader import facts_near
    from areorag.graph.writer import write_observations

    file = tmp_path / "gale.txt"
    file.write_text(GALE, "utf-8")
    ingest(db, file, settings)
    claim = Claim(id="O1#1", subject="Windjana", property="sanidine", polarity="absent", text="no sanidine")
    seen = Observation(id="O1", kind="insitu", instrument="APXS", product=ProductRef(data_id="O1"), claims=[claim])
    write_observations(db, [HyperedgeRow(seen, entities=[EntityRef("target", "Target", "Windjana")])], "r1")
    near = facts_near(db, ["O1"], ["sanidine"])
    assert near
    said = [c for o in near for c in o.claims if c.property == "sanidine"]
    assert said[0].polarity == "present"
    assert said[0].low == 16
    assert near[0].kind == "derived"
    assert 0 < near[0].authority < 0.75
    assert facts_near(db, ["O1"], ["ice"]) == []
    assert facts_near(db, ["nothing"]) == []
