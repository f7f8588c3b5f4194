"""Hostile and impossible input from outside: one line that says what is wrong, nothing half-written, nothing endless."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from areorag import cli
from areorag.cli.common import check_json_target, write_json
from areorag.errors import DatabaseError, DatabaseUnavailableError, UnknownNameError, UsageError
from areorag.graph import reader
from areorag.graph.connection import Database
from areorag.graph.model import Claim, FileReport, well_formed
from areorag.graph.verify import verify
from areorag.ingest.journal import quarantine
from areorag.ingest.paths import check_paths
from areorag.ingest.pipeline import ingest_paths
from areorag.retrieval.question import check_question
from areorag.settings import Settings
from areorag.triage.store import login_name

LABEL = (
    'PDS_VERSION_ID = PDS3\r\nPRODUCT_ID = "{id}"\r\nSPACECRAFT_NAME = MARS_RECONNAISSANCE_ORBITER\r\n'
    "INSTRUMENT_ID = CTX\r\nTARGET_NAME = MARS\r\nSTART_TIME = 2014-08-01T00:00:00.000\r\n"
    "CENTER_LATITUDE = 18.4 <DEG>\r\nCENTER_LONGITUDE = 77.5 <DEG>\r\nEND\r\n"
)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("ol\u200bivine in Je\u00adzero\ufeff", "olivine in Jezero"),
        ("\u202eolivine\u2066 in Jezero", "olivine in Jezero"),
        ("olivine\x00in\ud800Jezero\n\n now", "olivine in Jezero now"),
    ],
)
def test_invisible_characters_do_not_part_words(asked: str, read: str) -> None:
    assert check_question(asked) == read


def test_a_pipe_or_a_device_is_refused_before_it_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "label.lbl"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(UsageError, match="neither a file nor a folder"):
            check_paths([path])
    assert check_paths([tmp_path]) == [tmp_path]


def test_json_target_is_checked_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        check_json_target(str(tmp_path))
    with pytest.raises(UsageError, match="does not exist"):
        check_json_target(str(tmp_path / "no" / "x.json"))
    assert check_json_target("-") == "-"
    assert check_json_target(str(tmp_path / "x.json")) == str(tmp_path / "x.json")


def test_json_that_cannot_be_put_in_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        write_json(str(tmp_path / "folder"), {"a": 1})
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_a_pipe_as_json_target_is_written_to_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "out"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_json(str(pipe), {"a": 1})
        assert os.read(reading, 100) == b'{\n  "a": 1\n}\n'
    finally:
        os.close(reading)
    assert pipe.is_fifo()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_lone_surrogates_become_escapes_in_every_string_of_a_record() -> None:
    claim = Claim(id="c", subject="rock \ud800", property="olivine")
    report = FileReport(path="na\udcffme.lbl", status="ok")
    assert well_formed(claim).subject == "rock \\ud800"
    assert well_formed(report).path == "na\\udcffme.lbl"
    assert well_formed({"k\udcff": [("é", "\ud800")]}) == {"k\\udcff": [("é", "\\ud800")]}
    same = {"Séítah": [1.0, 2.0], "n": None}
    assert well_formed(same) is same


@pytest.mark.parametrize("uri", ["bolt://[::", "bolt://u:secret@host:7687", "http://x", "", "bolt://"])
def test_a_malformed_address_is_one_line_without_the_secret(uri: str) -> None:
    with pytest.raises(DatabaseUnavailableError) as caught:
        Database.connect(uri, "neo4j", "hidden")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_error_nobody_foresaw_is_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 1
    assert capsys.readouterr().err == "error: RuntimeError: first second. Show where with  areorag --debug …\n".replace(
        "  ", " "
    )


def test_an_error_that_only_followed_from_ctrl_c_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut_off() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise BufferError("object cannot be re-sized")

    monkeypatch.setattr(cli, "app", cut_off)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 130
    assert capsys.readouterr().err.startswith("error: stopped.")


def test_a_person_without_a_login_name_can_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert login_name() == "unknown"


@pytest.mark.db
def test_an_unknown_adapter_is_wrong_use_not_a_quarantined_folder(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "a.lbl").write_text(LABEL.format(id="A"))
    with pytest.raises(UnknownNameError, match="no adapter called 'nope'"):
        ingest_paths(db, [tmp_path], settings, adapter="nope")
    assert not quarantine(db)


@pytest.mark.db
def test_names_that_are_not_unicode_are_ingested_once(db: Database, settings: Settings, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/na\xff\xfeme.lbl"
    try:
        Path(os.fsdecode(name)).write_text(LABEL.format(id="X' }) DETACH DELETE n //"))
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    (tmp_path / "b.geojson").write_text(
        '{"type":"FeatureCollection","features":[{"type":"Feature","id":"s\\ud800","geometry":'
        '{"type":"Point","coordinates":[77.5,18.4]},"properties":{"instrument":"CTX","target":"Mars",'
        '"datetime":"2014-01-01T00:00:00Z"}}]}'
    )
    first = ingest_paths(db, [tmp_path], settings)
    assert first.quarantined == []
    assert first.added == 2
    assert reader.observation(db, "X' }) DETACH DELETE n //").product.source_file == "na\\udcff\\udcfeme.lbl"
    again = ingest_paths(db, [tmp_path], settings)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 2)
    assert verify(db)["problems"] == []


@pytest.mark.db
def test_a_lookup_that_is_not_unicode_is_a_named_error(db: Database) -> None:
    with pytest.raises(DatabaseError, match="not valid Unicode"):
        db.read("observation_states", ids=["\udcff"])
    with pytest.raises(DatabaseError, match="not valid Unicode"):
        db.read_text("RETURN '\ud800' AS x")
