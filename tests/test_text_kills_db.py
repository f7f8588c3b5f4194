"""The command killed with SIGKILL at random moments, again and again: the graph of an undisturbed run, and nothing paid twice.

The provider is a server of its own that counts what it is asked. ``AREORAG_KILLS=40`` kills more often.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from areorag.graph.connection import Database
from areorag.graph.digest import content_digest
from areorag.graph.verify import verify
from areorag.settings import Settings

from .test_text_db import long_text

pytestmark = [pytest.mark.db, pytest.mark.slow]
KILLS = int(os.environ.get("AREORAG_KILLS", "6"))


class Provider(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint that quotes a sentence of each passage, and keeps the passages it was asked about."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.storm = 0
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = body["messages"][0]["content"]
        passage = prompt.split("<<SOURCE", 1)[1].split(">>\n", 1)[1].split("\n<<END", 1)[0]
        self.server.asked.append(passage)
        if self.server.storm:
            self.server.storm -= 1
            self._send(429, {"error": {"message": "slow down"}})
            return
        time.sleep(0.02)
        quote = passage.split(". ")[0]
        words = list(dict.fromkeys(w.strip(".,()") for w in quote.split() if len(w) > 3))[:3]
        facts = [{"quote": quote, "entities": [{"name": w, "type": "Concept"} for w in words], "claims": []}]
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": json.dumps({"facts": facts})},
        }
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        self._send(
            200,
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage},
        )

    def _send(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            pass  # the asker was killed

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    yield server
    server.shutdown()
    server.server_close()


class Command:
    """``areorag ingest --text`` as a process of its own."""

    def __init__(self, folder: Path, cache: Path, server: Settings, llm: str | None, url: str) -> None:
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("AREORAG_", "NEO4J_"))} | {
            "AREORAG_CACHE_DIR": str(cache),
            "AREORAG_NEO4J_VERSION": server.neo4j_version,
            "AREORAG_BOLT_PORT": "0",
            "AREORAG_HTTP_PORT": "0",
            "AREORAG_TEXT_PASSAGE_WORDS": "40",
            "AREORAG_LLM_MAX_CALLS": "100000",
            "AREORAG_LLM_MAX_TOKENS": "100000000",
            "AREORAG_LLM_BASE_URL": url,
            "AREORAG_LLM": llm or "none",
            "AREORAG_CONFIG": os.devnull,
            "AREORAG_AOT": "0",
            "OMP_NUM_THREADS": "1",
        }
        self.args = [sys.executable, "-m", "areorag", "-q", "ingest", "--text", str(folder), "--home", str(server.home)]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self.args, env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self) -> tuple[int, str]:
        process = self.start()
        out, _ = process.communicate(timeout=300)
        return process.returncode, " ".join(out.split())


def _passages(db: Database) -> int:
    return int(db.read("text_counts")[0]["passages"])


@pytest.mark.parametrize("with_model", [False, True], ids=["patterns", "model"])
def test_kills_at_any_moment_leave_the_graph_of_an_undisturbed_run(
    db: Database, server_settings: Settings, provider: Provider, tmp_path: Path, with_model: bool
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(6):
        (folder / f"{i}.txt").write_text(long_text(4).replace("Windjana", f"Windjana_{i}"), "utf-8")
    (folder / "long.txt").write_text(long_text(40 if with_model else 200), "utf-8")
    rows = [json.dumps({"id": i, "text": long_text(1).replace("sol 1", f"sol {i}")}) for i in range(30)]
    (folder / "corpus.jsonl").write_text("\n".join([*rows, "no record"]), "utf-8")
    llm = "openai:double" if with_model else None
    code, said = Command(folder, tmp_path / "calm", server_settings, llm, provider.url).run()
    assert code == 0, said
    whole, needed, n = content_digest(db), Counter(provider.asked), _passages(db)
    assert not with_model or sum(needed.values()) >= 100
    provider.asked.clear()
    db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")

    command = Command(folder, tmp_path / "killed", server_settings, llm, provider.url)
    rng = random.Random(8)
    kills, in_flight = 0, []
    while kills < KILLS:
        process = command.start()
        asked, written = len(provider.asked), _passages(db)
        while process.poll() is None and len(provider.asked) == asked and _passages(db) == written:
            time.sleep(0.01)
        try:
            process.wait(rng.uniform(0, 0.08 if with_model else 0.3))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if process.returncode == 0:  # it was through before the kill: once more from the beginning
            assert content_digest(db) == whole
            if with_model:
                break
            db.schema_text("CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n")
            continue
        assert process.returncode == -9
        kills += 1
        in_flight += provider.asked[-1:]
        assert set(db.read_text("CYPHER 5 MATCH (d:Document) RETURN collect(DISTINCT d.state) AS s")[0]["s"]) <= {
            "complete",
            "writing",
        }
    code, said = command.run()
    assert code == 0, said
    assert kills >= min(KILLS, 15)
    assert content_digest(db) == whole
    assert _passages(db) == n
    assert verify(db)["problems"] == []
    print(f"{kills} kills, {n} passages, {len(provider.asked)} calls for {sum(needed.values())}")
    twice = Counter(provider.asked) - needed
    assert set(provider.asked) == set(needed)
    assert twice - Counter(in_flight) == Counter(), "only a call that was in flight at a kill is made again"


def test_a_storm_of_429_over_the_network_ends_clearly_and_goes_on_later(
    db: Database, server_settings: Settings, provider: Provider, tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text(long_text(3), "utf-8")
    command = Command(folder, tmp_path / "cache", server_settings, "openai:double", provider.url)
    command.env["AREORAG_LLM_TIMEOUT_S"] = "2"
    provider.storm = 10_000
    code, said = command.run()
    assert code == 1
    assert "stopped: 3 passages in a row failed" in said and "rate limit (429)" in said
    assert "Run the same command again" in said
    assert len(provider.asked) <= 18
    provider.storm = 0
    code, said = command.run()
    assert code == 0, said
    assert "0 passages got" not in said and "stopped" not in said
    assert {r["state"] for r in db.read("text_documents")} == {"complete"}
