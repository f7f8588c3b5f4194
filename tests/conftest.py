"""Fixtures shared by all tests: a real Neo4j, started once a session on its own home and ports, clean for each test.

``AREORAG_TEST_NEO4J=5.26.30`` runs the database tests on the other server line. The user's own database, settings file
and ``NEO4J_URI`` are never touched; only the downloaded jars are shared.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from areorag.graph.connection import Database
from areorag.graph.server import ManagedServer
from areorag.settings import Settings, load_settings

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"

for _name in [n for n in os.environ if n.startswith("NEO4J_")]:
    del os.environ[_name]
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ["AREORAG_AOT"] = "0"  # tests start no background process
os.environ["AREORAG_CONFIG"] = os.devnull


@pytest.fixture(scope="session")
def neo4j_version() -> str:
    """The server line under test."""
    return os.environ.get("AREORAG_TEST_NEO4J", "2026.08.1")


@pytest.fixture(scope="session")
def server_settings(tmp_path_factory: pytest.TempPathFactory, neo4j_version: str) -> Iterator[Settings]:
    """Settings of a running managed Neo4j that this test session owns."""
    home = tmp_path_factory.mktemp("neo4j") / "home"
    settings = load_settings(home=home, neo4j_version=neo4j_version, bolt_port=0, http_port=0)
    server = ManagedServer(settings, train=False)
    server.start()
    try:
        yield settings
    finally:
        server.stop()


@pytest.fixture(scope="session")
def _database(server_settings: Settings) -> Iterator[Database]:
    with Database.open(server_settings) as database:
        yield database


@pytest.fixture
def db(_database: Database) -> Database:
    """A clean, migrated database on the real server."""
    _database.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
    return _database


@pytest.fixture
def settings(server_settings: Settings) -> Settings:
    """A copy of the settings of the session's server; a test may change it."""
    return server_settings.model_copy()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs, or a skip where a clone has none."""
    if not SHARED.is_dir():
        pytest.skip("../shared/data is not here")
    return SHARED


@pytest.fixture(scope="session")
def container_settings() -> Iterator[Settings]:
    """Settings of a Neo4j in a container, where an engine answers."""
    testcontainers = pytest.importorskip("testcontainers.neo4j")
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as exc:
        pytest.skip(f"no container engine answers ({type(exc).__name__})")
    if done.returncode != 0:
        pytest.skip("no container engine answers (docker info failed)")
    with testcontainers.Neo4jContainer("neo4j:2026.08.1-community") as container:
        yield load_settings(
            neo4j_uri=container.get_connection_url(),
            neo4j_username=container.username,
            neo4j_password=container.password,
        )


@pytest.fixture
def install_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """``install(name, source)``: a third-party adapter as an entry point of a package, its class the name capitalised."""
    from areorag.ingest.adapters.registry import adapters

    def install(name: str, source: str) -> None:
        site = tmp_path / "site"
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}module.py").write_text(source)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[areorag.adapters]\n{name} = {name}module:{name.capitalize()}\n")
        monkeypatch.setenv("PYTHONPATH", str(site))
        monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
        adapters.cache_clear()

    yield install
    adapters.cache_clear()
