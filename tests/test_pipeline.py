"""Ingest: files to graph, again to nothing, killed to the same, bad files aside, findings attached."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import UsageError
from areorag.graph import reader
from areorag.graph.colocation import rebuild_colocations
from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.forget import forget, restore, tombstones
from areorag.graph.model import IngestReport
from areorag.graph.verify import verify
from areorag.ingest.build import cover_order, semantic_text
from areorag.ingest.cluster import check_address
from areorag.ingest.journal import quarantine
from areorag.ingest.pipeline import ingest_paths
from areorag.settings import Settings

pytestmark = pytest.mark.db

FOLDERS = ("hirise", "crism")


class Words:
    """A tiny deterministic embedder: what is under test here is not the model."""

    name = "words"
    dim = 384

    def embed(self, texts: list[str]) -> np.ndarray:
        out = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            for word in text.lower().split():
                out[i, hash_of(word) % self.dim] += 1.0
            out[i, 0] += 1.0
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def hash_of(word: str) -> int:
    return sum(ord(c) * 31**k for k, c in enumerate(word[:12]))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A few labels of the sample archive, with findings about them."""
    source = Path(str(resources.files("areorag.sample").joinpath("archive")))
    target = tmp_path / "archive"
    for folder in FOLDERS:
        shutil.copytree(source / folder, target / folder)
    labels = sorted(p for p in target.rglob("*") if p.is_file())
    for extra in labels[14:]:
        extra.unlink()
    return target


def run(db: Database, path: Path, settings: Settings, **options: object) -> IngestReport:
    options.setdefault("embedder", Words())
    return ingest_paths(db, [path], settings, **options)  # type: ignore[arg-type]


def findings_file(archive: Path, about: str | None, **changes: object) -> Path:
    rows: list[dict[str, object]] = [
        {
            "@id": "finding:one", "about": about, "subject": "Jezero", "property": "olivine", "value": "present",
            "polarity": "present", "text": "Olivine is seen.", "citation": "Someone et al. 2020",
        } | changes,
        {
            "@id": "finding:alone", "id": "ALONE_1", "subject": "Gale", "property": "elevation", "value": "-4.5 km",
            "low": -4600, "high": -4400, "unit": "m", "text": "The floor is low.", "citation": "Someone 2021",
            "kind": "derived", "instrument": "MOLA", "lon_deg": 137.4, "lat_deg": -4.6, "footprint_radius_m": 5000,
            "resolution_m": 463, "start": "2001-05-01T00:00:00Z",
        },
        {"@id": "finding:bad", "subject": "no property"},
    ]  # fmt: skip
    path = archive / "findings.jsonld"
    path.write_text(json.dumps({"@context": {}, "@type": "FindingSet", "findings": rows}))
    return path


def test_the_second_run_writes_nothing(db: Database, archive: Path, settings: Settings) -> None:
    first = run(db, archive, settings)
    assert first.added >= 14
    assert first.files == 14
    assert not first.quarantined
    stamp, digest = db.version(), content_digest(db)
    second = run(db, archive, settings)
    assert (second.added, second.updated, second.unchanged) == (0, 0, first.added)
    assert db.version() == stamp
    assert content_digest(db) == digest
    assert verify(db)["problems"] == []
    runs = db.read_text("MATCH (r:IngestRun) RETURN r.status AS status, r.added AS added")
    assert runs == [{"status": "done", "added": first.added}]


def test_a_dry_run_counts_and_writes_nothing(db: Database, archive: Path, settings: Settings) -> None:
    stamp = db.version()
    dry = run(db, archive, settings, dry_run=True)
    assert db.version() == stamp
    assert dry.added == run(db, archive, settings).added
    assert run(db, archive, settings, dry_run=True).unchanged == dry.added


def test_another_order_and_other_batches_give_the_same_graph(db: Database, archive: Path, settings: Settings) -> None:
    run(db, archive, settings)
    counts, digest = db.counts(), content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    parts = sorted(p for p in archive.rglob("*") if p.is_file())
    random.Random(3).shuffle(parts)
    settings.batch_size = 3
    ingest_paths(db, parts, settings, embedder=Words())
    assert db.counts() == counts
    assert content_digest(db) == digest


def test_a_bad_file_is_put_aside_and_the_rest_goes_on(db: Database, archive: Path, settings: Settings) -> None:
    (archive / "broken.lbl").write_bytes(b"PDS_VERSION_ID = PDS3\r\nOBJECT = IMAGE\r\n  LINES = ")
    (archive / "empty.xml").write_bytes(b"")
    report = run(db, archive, settings)
    assert report.added >= 14
    aside = {Path(file).name: reason for file, reason in report.quarantined}
    assert {"broken.lbl", "empty.xml"} <= set(aside)
    assert all(aside.values())
    assert {row["path"] for row in quarantine(db)} == set(aside)
    stamp = db.version()
    assert len(run(db, archive, settings).quarantined) == len(report.quarantined)
    assert db.version() == stamp


def test_findings_become_claims_and_never_a_new_version(db: Database, archive: Path, settings: Settings) -> None:
    run(db, archive, settings)
    (home,) = db.read_text("MATCH (o:Observation {instrument: 'HiRISE'}) RETURN o.id AS id ORDER BY id LIMIT 1")
    findings_file(archive, about=home["id"].lower())
    report = run(db, archive, settings)
    assert (report.added, report.updated) == (1, 1)
    assert [Path(f).name for f, _ in report.quarantined] == ["findings.jsonld"]
    assert "finding:bad" in report.quarantined[0][1]
    (row,) = db.read_text(
        "MATCH (:Observation {id: $id})-[:ASSERTS]->(c:Claim {id: 'finding:one'})-[:ABOUT]->(m) "
        "RETURN c.citation AS citation, collect(DISTINCT m.name) AS about",
        id=home["id"],
    )
    assert row["citation"] == "Someone et al. 2020"
    assert {"olivine", "Jezero"} <= set(row["about"])
    alone = reader.observation(db, "ALONE_1")
    assert alone.kind == "derived"
    assert alone.mars_year == 25
    assert alone.footprint is not None
    assert "Superseded" not in db.counts()
    assert verify(db)["problems"] == []
    stamp = db.version()
    again = run(db, archive, settings)
    assert (again.added, again.updated) == (0, 0)
    assert db.version() == stamp

    findings_file(archive, about=home["id"], value="abundant")
    assert run(db, archive, settings).updated == 1
    rows = db.read_text("MATCH (c:Claim {id: 'finding:one'})-[:SUPERSEDES]->(s) RETURN c.value AS new, s.value AS old")
    assert rows == [{"new": "abundant", "old": "present"}]
    assert verify(db)["problems"] == []


def test_forgetting_leaves_a_tombstone_that_holds(db: Database, archive: Path, settings: Settings) -> None:
    run(db, archive, settings)
    before = content_digest(db)
    (row,) = db.read_text("MATCH (o:Observation {instrument: 'HiRISE'}) RETURN o.id AS id ORDER BY id LIMIT 1")
    assert forget(db, [row["id"], "NOT_THERE"], settings) == {"forgotten": 1, "unknown": ["NOT_THERE"]}
    assert verify(db)["problems"] == []
    assert db.read_text("MATCH (o:Observation {id: $id}) RETURN o", id=row["id"]) == []
    (stone,) = tombstones(db)
    assert stone["id"] == row["id"]
    assert stone["source_file"]
    stamp = db.version()
    assert run(db, archive, settings).added == 0
    assert db.version() == stamp
    assert restore(db, [row["id"], "NOT_THERE"])["restored"] == 1
    assert run(db, archive, settings).added == 1
    assert content_digest(db) == before


def test_an_edited_file_supersedes(db: Database, archive: Path, settings: Settings) -> None:
    run(db, archive, settings)
    label = next(p for p in sorted((archive / "hirise").iterdir()))
    text = label.read_text("utf-8")
    (name,) = db.read_text("MATCH (o:Observation {source_file: $f}) RETURN o.id AS id", f=f"hirise/{label.name}")
    before = reader.observation(db, name["id"])
    label.write_text(text.replace("INCIDENCE_ANGLE", "INCIDENCE_ANGLE_OLD"), "utf-8")
    report = run(db, archive, settings)
    assert (report.added, report.updated) == (0, 1)
    (old,) = db.read_text("MATCH (:Observation {id: $id})-[:SUPERSEDES]->(s) RETURN s.id AS id", id=name["id"])
    kept = reader.observation(db, old["id"])
    assert kept.model_copy(update={"id": before.id}) == before
    assert verify(db)["problems"] == []


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_pipeline import Words
from areorag.graph.connection import Database
from areorag.ingest.pipeline import ingest_paths
from areorag.settings import load_settings
settings = load_settings(home={home!r}, neo4j_version={version!r}, batch_size=2, workers=1)
with Database.open(settings) as db:
    print("go", flush=True)
    ingest_paths(db, [Path({path!r})], settings, embedder=Words())
    print("done", flush=True)
"""


def test_killed_at_any_point_and_run_again_gives_the_same_graph(
    db: Database, archive: Path, settings: Settings, tmp_path: Path
) -> None:
    (home,) = (p.name for p in sorted((archive / "hirise").iterdir())[:1])
    findings_file(archive, about=home.split(".")[0])
    settings.batch_size = 2
    begun = time.monotonic()
    run(db, archive, settings)
    whole = time.monotonic() - begun
    counts, digest = db.counts(), content_digest(db)
    script = KILLED.format(
        tests=str(Path(__file__).parent), home=str(settings.home), version=settings.neo4j_version, path=str(archive)
    )
    cut = 0
    for share in (0.25, 0.6, 0.9):
        db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
        child = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "go"
        time.sleep(share * whole)
        os.killpg(child.pid, signal.SIGKILL)
        rest = child.communicate()[0]
        cut += "done" not in rest
        run(db, archive, settings)
        assert db.counts() == counts
        assert content_digest(db) == digest
        assert verify(db)["problems"] == []
    assert cut, "no run was cut short: nothing was tested"


CLUSTER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_pipeline import Words
from areorag.graph.connection import Database
from areorag.ingest.pipeline import ingest_paths
from areorag.settings import load_settings
if __name__ == "__main__":
    settings = load_settings(home={home!r}, neo4j_version={version!r}, workers=2)
    with Database.open(settings) as db:
        print(ingest_paths(db, [Path({path!r})], settings, scheduler={scheduler!r}, embedder=Words()).added)
"""


def cluster_script(settings: Settings, archive: Path, scheduler: str) -> str:
    return CLUSTER.format(
        tests=str(Path(__file__).parent),
        home=str(settings.home),
        version=settings.neo4j_version,
        path=str(archive),
        scheduler=scheduler,
    )


def test_reading_on_a_cluster_of_this_machine_gives_the_same_graph(
    db: Database, archive: Path, settings: Settings
) -> None:
    pytest.importorskip("distributed")
    run(db, archive, settings)
    digest = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    settings.workers = 2
    script = cluster_script(settings, archive, "local")
    file = archive.parent / "on_cluster.py"
    file.write_text(script)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert content_digest(db) == digest


def test_a_cluster_of_two_processes_on_loopback_reads_the_files(
    db: Database, archive: Path, settings: Settings
) -> None:
    pytest.importorskip("distributed")
    run(db, archive, settings)
    digest = content_digest(db)
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with_dask = [sys.executable, "-m"]
    from areorag.graph.home import free_port

    address = f"tcp://127.0.0.1:{free_port(0)}"
    port = address.rsplit(":", 1)[1]
    running = [
        subprocess.Popen(
            [*with_dask, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"],
            **quiet,
        )
    ]
    worker = ["distributed.cli.dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
    running += [subprocess.Popen([*with_dask, *worker, "--host", "127.0.0.1"], **quiet) for _ in range(2)]
    try:
        script = cluster_script(settings, archive, address)
        deadline = time.monotonic() + 90
        while True:  # the scheduler takes a while to listen
            done = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=False
            )
            if done.returncode == 0 or time.monotonic() > deadline:
                break
            time.sleep(1)
        assert done.returncode == 0, done.stderr[-2000:]
        assert content_digest(db) == digest
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(30)


def test_a_scheduler_beyond_this_machine_needs_tls() -> None:
    assert check_address("127.0.0.1:8786") == "tcp://127.0.0.1:8786"
    assert check_address("tls://cluster.example:8786") == "tls://cluster.example:8786"
    for bad in ("tcp://cluster.example:8786", "10.0.0.5:8786", "nonsense", "http://127.0.0.1:1", "tcp://127.0.0.1:x"):
        with pytest.raises(UsageError):
            check_address(bad)


def test_nothing_to_read_is_said(db: Database, tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        run(db, tmp_path / "nowhere", settings)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no file in"):
        run(db, tmp_path / "empty", settings)


def test_texts_that_differ_in_numbers_only_are_embedded_once(db: Database, archive: Path, settings: Settings) -> None:
    run(db, archive, settings)
    rows = db.read_text("MATCH (o:Observation) RETURN o.id AS id")
    observations = reader.observations(db, [row["id"] for row in rows])
    for o in observations:
        words = semantic_text(o)
        assert o.id not in words
        assert not any(c.isdigit() for c in words)


def test_cells_are_of_the_order_of_a_compact_footprint_and_fine_along_a_strip() -> None:
    square = {"type": "Polygon", "coordinates": [[[10, 0], [10.5, 0], [10.5, 0.5], [10, 0.5], [10, 0]]]}
    strip = {"type": "Polygon", "coordinates": [[[10, 0], [10.05, 0], [12.05, 8], [12, 8], [10, 0]]]}
    assert 4 <= cover_order(square) <= 8
    assert cover_order(strip) == cover_order(None) == cover_order({"type": "Point", "coordinates": [0, 0]})


def colocations(db: Database) -> list[dict[str, object]]:
    return db.read_text(
        "CYPHER 5 MATCH (c:Colocation)-[g:GROUPS]->(o:Observation) WITH c, g, o ORDER BY c.id, o.id "
        "RETURN c.id AS id, properties(c) AS p, collect([o.id, g.pointer, g.witness]) AS members, "
        "[(c)-[b:BINDS]->(e) | e.id + b.role] AS features ORDER BY id"
    )


def test_colocations_gathered_while_writing_are_those_read_from_the_graph(
    db: Database, settings: Settings, tmp_path: Path
) -> None:
    from areorag.evaluate.bench_ingest import index_table

    index_table(tmp_path, 1300)
    report = run(db, tmp_path, settings)
    assert report.added == 1300
    gathered = colocations(db)
    assert len(gathered) > 10
    rebuild_colocations(db, settings)
    assert colocations(db) == gathered
    db.schema_text("CYPHER 5 MATCH (c:Colocation) DETACH DELETE c")
    rebuild_colocations(db, settings)
    assert colocations(db) == gathered
    assert verify(db)["problems"] == []
