"""Documents as users handle them: forgotten, restored, corpora that change, what a run says, what it would cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from areorag import AreoRAG
from areorag.cli import app
from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.text_forget import forget_documents
from areorag.graph.verify import verify
from areorag.ingest.text.pipeline import ingest_text
from areorag.ingest.text.readers import document_id
from areorag.llm.chat import Budget, ChatModel
from areorag.llm.scripted import ScriptedBackend
from areorag.settings import Settings, load_settings

from .test_text_db import GALE, HashEmbedder, _answer, long_text

pytestmark = pytest.mark.db
OTHER = "The target Windjana contains olivine. The target Zzyzx (sol 5) contains gypsum."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(cache_dir=tmp_path / "cache", text_passage_words=40)


def ingest(db: Database, path: Path, settings: Settings, **kw):  # type: ignore[no-untyped-def]
    return ingest_text(db, [path], settings, embedder=HashEmbedder(), **kw)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_a_forgotten_document_stays_away_until_it_is_restored(
    db: Database, settings: Settings, server_settings: Settings, tmp_path: Path
) -> None:
    one, two = write(tmp_path / "t" / "one.txt", GALE), write(tmp_path / "t" / "two.txt", OTHER)
    ingest(db, two, settings)
    alone = content_digest(db)
    ingest(db, one, settings)
    both = content_digest(db)
    with AreoRAG.open(settings=server_settings) as areo:
        assert areo.forget([str(one), "NOT_THERE"]) == {"forgotten": 1, "documents": 1, "unknown": ["NOT_THERE"]}
        assert [r["id"] for r in areo.documents()] == [document_id(two)]
        assert verify(db)["problems"] == []
        report = ingest(db, tmp_path / "t", settings)
        assert (report.forgotten, report.forgotten_ids, report.unchanged) == (1, [document_id(one)], 1)
        dry = ingest(db, tmp_path / "t", settings, dry_run=True)
        assert (dry.forgotten, dry.unchanged, dry.passages) == (1, 1, 0)
        write(one, GALE + " Opal was found at Jezero crater.")  # a changed file is another content
        assert ingest(db, one, settings).added == 1
        assert areo.forget([document_id(one)])["documents"] == 1
        write(one, GALE)
        assert ingest(db, one, settings).forgotten == 1, "what was forgotten first is forgotten still"
        assert areo.restore([document_id(one)]) == {"restored": 1, "unknown": [], "files": [str(one)]}
    assert content_digest(db) == alone
    assert ingest(db, one, settings).added == 1
    assert content_digest(db) == both
    assert verify(db)["problems"] == []


def test_forgetting_that_is_cut_short_leaves_nothing_that_counts_as_complete(
    db: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from areorag.graph import text_writer

    file = write(tmp_path / "long.txt", long_text(6))
    ingest(db, file, settings)
    whole = content_digest(db)

    def half(db: Database, ids: list[str], *, batch: int = 200) -> int:
        remove(db, ids[: len(ids) // 2])
        raise KeyboardInterrupt

    remove = text_writer.remove_passages
    with monkeypatch.context() as cut:
        cut.setattr(text_writer, "remove_passages", half)
        with pytest.raises(KeyboardInterrupt):
            forget_documents(db, [document_id(file)])
    db.write("delete_tombstones", ids=[document_id(file)])
    report = ingest(db, file, settings)
    assert report.updated == 1
    assert report.passages_kept > 0
    assert content_digest(db) == whole


def corpus(path: Path, records: list[tuple[str | None, str]]) -> Path:
    rows = [{"text": t} | ({} if i is None else {"id": i}) for i, t in records]
    return write(path, "\n".join(json.dumps(r) for r in rows))


@pytest.mark.parametrize("named", [True, False])
def test_a_changed_corpus_leaves_the_graph_of_the_new_one(
    db: Database, settings: Settings, tmp_path: Path, named: bool
) -> None:
    texts = [f"The target Rock{i} contains {i} wt% hematite and olivine." for i in range(1, 8)]
    records: list[tuple[str | None, str]] = [(f"r{i}" if named else None, t) for i, t in enumerate(texts)]
    file = corpus(tmp_path / "c.jsonl", records)
    ingest(db, file, settings)
    corpus(file, records[2:])
    report = ingest(db, file, settings)
    assert report.removed == 2
    changed = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    ingest(db, file, settings)
    assert content_digest(db) == changed
    with file.open("a") as f:
        f.write("\n{broken")
    corpus_without = file.read_text("utf-8").split("\n", 1)[1]
    write(file, corpus_without)
    if named:
        report = ingest(db, file, settings)
        assert report.removed == 0, "a line that cannot be read may be the record that is missing"
        assert any("1 documents of before" in w for w in report.warnings)


def test_records_that_share_an_id_are_all_kept_and_stay_the_same(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    file = corpus(tmp_path / "c.jsonl", [("a", GALE), ("a", OTHER), ("a", GALE), ("b", OTHER)])
    report = ingest(db, file, settings)
    assert report.added == 3
    assert {r["id"].split("#")[1] for r in db.read("text_documents")} == {"a", "a~2", "b"}
    said = " ".join(report.warnings)
    assert "1 record stands there twice" in said
    assert "1 record shares an id" in said
    again = ingest(db, file, settings)
    assert (again.unchanged, again.added, again.updated, again.removed) == (3, 0, 0, 0)


def test_forgetting_a_corpus_by_its_file_takes_all_its_documents(
    db: Database, settings: Settings, server_settings: Settings, tmp_path: Path
) -> None:
    file = corpus(tmp_path / "c.jsonl", [("a", GALE), ("b", OTHER)])
    ingest(db, write(tmp_path / "two.txt", OTHER), settings)
    alone = content_digest(db)
    ingest(db, file, settings)
    with AreoRAG.open(settings=server_settings) as areo:
        assert areo.forget([str(file)])["documents"] == 2
        areo.restore([r["id"] for r in areo.tombstones()])
    assert content_digest(db) == alone


HARD = {
    "surrogate.jsonl": b'{"id":"\\ud800x","title":"t\\udc00","text":"The target Windjana contains sanidine. \\ud800"}\n',
    "nul.jsonl": b'{"id":"a\\u0000b","title":"t\\u0000","text":"The target Windjana\\u0000contains sanidine."}\n',
    "long_id.jsonl": b'{"id":"' + b"x" * 20_000 + b'","text":"The target Windjana contains sanidine."}\n',
    "capitals.txt": b"OLIVINE GALE " * 3000 + b"The target Windjana contains sanidine.",
    "one_word.txt": b"A" * 200_000 + b" The target Windjana contains sanidine.",
    "gap.txt": b"The target Windjana contains sanidine." + b" " * 100_000 + b"The target Neil contains olivine.",
    b"na\xffme.txt".decode("utf-8", "surrogateescape"): b"The target Windjana contains sanidine.",
}


def test_ids_names_and_passages_of_any_length_and_content_can_be_written(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "hard"
    folder.mkdir()
    for name, data in HARD.items():
        (folder / name).write_bytes(data)
    report = ingest(db, folder, settings)
    assert report.quarantined == []
    assert report.added == len(HARD)
    assert ingest(db, folder, settings).unchanged == len(HARD)
    said = db.read_text(
        "CYPHER 5 MATCH (f:Fact)-[:ASSERTS]->(c:Claim {subject: 'Windjana', property: 'sanidine'}) "
        "RETURN count(DISTINCT f.document_id) AS n"
    )
    assert said[0]["n"] == len(HARD)
    assert verify(db)["problems"] == []
    long = db.read_text("CYPHER 5 MATCH (p:Passage) RETURN max(size(p.text)) AS n")
    assert long[0]["n"] < 40 * 280


def test_a_dry_run_counts_what_is_left_to_pay_for(db: Database, settings: Settings, tmp_path: Path) -> None:
    file = write(tmp_path / "gale.txt", long_text(3))
    priced = settings.model_copy(update={"llm_price_in": 2.0, "llm_price_out": 6.0, "llm_per_minute": 30})
    backend = ScriptedBackend(_answer)

    def dry():  # type: ignore[no-untyped-def]
        return ingest(db, file, priced, chat=ChatModel(backend), dry_run=True)

    before = dry()
    calls = before.estimate["calls"]
    assert calls == before.passages > 4
    e = before.estimate
    assert e["cost"] == pytest.approx((e["tokens_in"] * 2 + e["tokens_out"] * 6) / 1e6)
    assert e["minutes"] == pytest.approx(calls / 30, abs=0.1)
    assert backend.requests == []
    assert db.read("text_documents") == []
    ingest(db, file, priced, chat=ChatModel(backend, budget=Budget(max_calls=2)))
    rest = dry()
    assert (rest.estimate["calls"], rest.passages_kept) == (calls - 2, 2)
    ingest(db, file, priced, chat=ChatModel(backend))
    assert dry().estimate.get("calls", 0) == 0


def test_the_terminal_says_what_a_text_ingest_did_and_what_comes_next(
    db: Database, server_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CliRunner()
    home = ["--home", str(server_settings.home)]
    monkeypatch.setenv("AREORAG_NEO4J_VERSION", server_settings.neo4j_version)
    folder = tmp_path / "papers"
    file = write(folder / "gale.txt", GALE)
    write(folder / "scan.pdf", "%PDF-1.4 nothing")
    (folder / "mixed.txt").write_bytes("Olivine at 20 \u00b0C in Gale crater.".encode("cp1252"))

    def said(*args: str, code: int = 0) -> str:
        done = run.invoke(app, [*args, *home])
        assert done.exit_code == code, done.output
        return " ".join(done.output.split())

    out = said("ingest", "--text", str(folder))
    assert "2 files: 2 added" in out
    assert "1 quarantined" in out and "scan.pdf" in out and "damaged PDF" in out
    assert "facts," in out and "claims by lexicon@2" in out
    assert "mixed.txt: 1 bytes were not UTF-8" in out
    assert "areorag synonyms" in out
    assert "areorag synonyms" not in said("ingest", "--text", str(folder)), "nothing new, nothing to look for"
    listed = said("documents")
    assert document_id(file) in listed and "complete" in listed and "4 passages" not in listed.split("mixed.txt")[0][:0]
    assert "no texts" in said("documents", "--state", "partial")
    assert "1 removed" in said("forget", document_id(file))
    out = said("ingest", "--text", str(folder))
    assert "1 forgotten before" in out and f"areorag restore {document_id(file)}" in out
    assert document_id(file) in said("restore", "--list")
    assert "1 restored" in said("restore", document_id(file))
    assert "1 added" in said("ingest", "--text", str(folder))
    assert "1 quarantined" in said("ingest", "--text", str(folder / "scan.pdf"), code=1)
