"""What was forgotten is said by the next ingest, and comes back when it is restored."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from areorag.cli import app
from areorag.errors import UsageError
from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.verify import verify
from areorag.settings import Settings

pytestmark = pytest.mark.db


@pytest.fixture
def label(tmp_path: Path) -> Path:
    source = Path(str(resources.files("areorag.sample").joinpath("archive", "hirise")))
    text = next(p for p in sorted(source.iterdir()) if p.suffix.lower() == ".lbl")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / text.name).write_bytes(text.read_bytes())
    return folder


def test_the_terminal_says_what_stays_forgotten_and_how_to_bring_it_back(
    db: Database, settings: Settings, label: Path, monkeypatch: pytest.MonkeyPatch, server_settings: Settings
) -> None:
    run = CliRunner()
    home = ["--home", str(server_settings.home)]
    monkeypatch.setenv("AREORAG_NEO4J_VERSION", server_settings.neo4j_version)

    def ingest() -> tuple[dict[str, object], str]:
        out = label.parent / "report.json"
        done = run.invoke(app, ["ingest", str(label), *home, "--json", str(out)])
        assert done.exit_code == 0, done.output
        return json.loads(out.read_text()), done.output

    assert ingest()[0]["added"] == 1
    before = content_digest(db)
    (name,) = (r["id"] for r in db.read_text("MATCH (o:Observation) RETURN o.id AS id"))
    assert run.invoke(app, ["forget", name, *home]).exit_code == 0
    stamp = db.version()
    report, said = ingest()
    assert (report["added"], report["unchanged"], report["forgotten"]) == (0, 0, 1)
    assert report["forgotten_ids"] == [name]
    assert "1 forgotten before" in said and f"areorag restore {name}" in " ".join(said.split())
    assert db.version() == stamp, "an ingest of what is forgotten writes nothing"
    listed = run.invoke(app, ["restore", "--list", *home])
    assert listed.exit_code == 0 and name in listed.output
    assert run.invoke(app, ["restore", "NOT_THERE", *home]).exit_code == 1
    assert isinstance(run.invoke(app, ["restore", *home]).exception, UsageError)
    done = run.invoke(app, ["restore", name, *home])
    assert done.exit_code == 0 and "1 restored" in done.output and ".LBL" in done.output.upper()
    report, said = ingest()
    assert (report["added"], report["forgotten"]) == (1, 0) and "forgotten before" not in said
    assert content_digest(db) == before
    assert verify(db)["problems"] == []
