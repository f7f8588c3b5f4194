"""LOAD CSV is closed: neither files nor any address can be reached from Cypher, read-only or not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from areorag.errors import AreoRAGError
from areorag.graph.connection import Database
from areorag.settings import Settings

pytestmark = pytest.mark.db


class Listener(BaseHTTPRequestHandler):
    """Counts the requests that reach it."""

    seen: list[str] = []  # noqa: RUF012 - one list for the class is meant

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"a,b\n1,2\n")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def urls(port: int) -> list[str]:
    return [
        f"http://127.0.0.1:{port}/",
        f"http://localhost:{port}/",
        f"http://[::1]:{port}/",
        f"http://[::ffff:127.0.0.1]:{port}/",
        f"https://127.0.0.1:{port}/",
        f"ftp://127.0.0.1:{port}/x",
        f"http://0.0.0.0:{port}/",
        f"http://user:pw@127.0.0.1:{port}/",
    ]


def test_load_csv_reaches_no_address(db: Database, listener: int) -> None:
    for url in urls(listener):
        with pytest.raises(AreoRAGError):
            db.read_text("LOAD CSV FROM $url AS row RETURN row", url=url)
        with pytest.raises(AreoRAGError):
            db.schema_text("CYPHER 5 LOAD CSV FROM $url AS row CREATE (:Entity {id: row[0]})", url=url)
    assert Listener.seen == []


def test_load_csv_reads_no_file(db: Database, server_settings: Settings) -> None:
    inside = Path(server_settings.home) / "import" / "inside.csv"
    inside.write_text("a,b\n1,2\n")
    for url in ("file:///inside.csv", f"file://{inside}", "file:///etc/passwd", "file:///../conf/neo4j.conf"):
        with pytest.raises(AreoRAGError):
            db.read_text("LOAD CSV FROM $url AS row RETURN row", url=url)


def test_the_refusal_is_the_setting_not_chance(db: Database, listener: int) -> None:
    with pytest.raises(AreoRAGError, match=r"blocked|blocklist"):
        db.read_text("LOAD CSV FROM $url AS row RETURN row", url=f"http://127.0.0.1:{listener}/")
    with pytest.raises(AreoRAGError, match="allow_csv_import_from_file_urls"):
        db.read_text("LOAD CSV FROM 'file:///inside.csv' AS row RETURN row")
