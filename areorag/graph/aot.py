"""The JDK's ahead-of-time cache (JEP 514) for the managed Neo4j: made once, in the background, by a throw-away server.

It halves the time to start, but the JVM writes it for half a minute at its end. So the user's server never makes it: a
detached process of idle priority starts a second Neo4j on an empty home, does a little of what AreoRAG does, stops it,
and puts the cache in place in one rename. It runs after a server was stopped, or while the machine is quiet.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import AreoRAGError
from .install import Java, Lock, file_lock, find_java, library_dir

if TYPE_CHECKING:
    from ..settings import Settings

log = logging.getLogger(__name__)

MINIMUM_JAVA = 25
_LIMIT_S = 900.0
_QUIET_LOAD = 0.5

_WORKLOAD = (
    "CYPHER 5 CREATE CONSTRAINT t IF NOT EXISTS FOR (n:T) REQUIRE n.id IS UNIQUE",
    "CYPHER 5 CREATE POINT INDEX p IF NOT EXISTS FOR (n:T) ON (n.position)",
    "CYPHER 5 CREATE FULLTEXT INDEX f IF NOT EXISTS FOR (n:T) ON EACH [n.text]",
    "CYPHER 5 CREATE VECTOR INDEX v IF NOT EXISTS FOR (n:T) ON (n.embedding) "
    "OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
    "CYPHER 5 CALL db.awaitIndexes(60)",
    "CYPHER 5 UNWIND range(1, 500) AS i MERGE (n:T {id: toString(i)}) "
    "SET n.text = 'crater ' + i, n.embedding = [1.0, i, 2.0], n.position = point({x: i, y: 1, z: 1}) "
    "MERGE (m:E {id: i % 20}) MERGE (n)-[:BINDS {role: 'x'}]->(m)",
    "CYPHER 5 MATCH p = (a:E)<-[:BINDS]-(h)-[:BINDS]->(b) RETURN count(p)",
    "CYPHER 5 MATCH (n:T) WHERE point.distance(n.position, point({x: 5, y: 1, z: 1})) < 3 RETURN n.id ORDER BY n.id",
    "CYPHER 5 CALL db.index.vector.queryNodes('v', 5, [1.0, 2.0, 3.0]) YIELD node, score RETURN node.id, score",
    "CYPHER 5 CALL db.index.fulltext.queryNodes('f', 'crater') YIELD node RETURN count(node)",
)


def usable(java: Java) -> bool:
    """Whether this Java has the one-step ahead-of-time cache."""
    return java.major >= MINIMUM_JAVA


def cache_file(lock: Lock, lib: Path, java: Java, cache: Path) -> Path:
    """Path of the cache for these jars and this Java (it is bound to both)."""
    size = Path(java.path).stat().st_size if Path(java.path).exists() else 0
    key = hashlib.sha256("\n".join([lock.digest, str(lib), java.path, str(size)]).encode()).hexdigest()[:16]
    return cache / "neo4j" / lock.neo4j / f"aot-{key}.aot"


def spawn(settings: Settings, *, wait_for: int | None = None, quiet: bool = False) -> None:
    """Start the maker, detached, when the cache is missing. It ends by itself; two of them never run together.

    `wait_for` is a server's pid: with `quiet` the maker waits until that server has ended or the machine is idle.
    """
    try:
        lock = Lock.load(settings.neo4j_version)
        java = find_java(lock.min_java)
    except AreoRAGError:
        return
    cache = settings.cache_dir.expanduser().resolve()
    if not usable(java) or cache_file(lock, library_dir(cache, lock), java, cache).is_file():
        return
    command = [sys.executable, "-m", "areorag.graph.aot", lock.neo4j, str(cache), settings.heap]
    if quiet and wait_for:
        command += ["--wait-for", str(wait_for)]
    with contextlib.suppress(OSError):  # the shell leaves it to init: no child of ours stays unwaited
        subprocess.run(
            ["/bin/sh", "-c", '"$0" "$@" &', *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=cache,
            check=False,
        )


def _idle_priority() -> None:
    with contextlib.suppress(OSError, AttributeError):
        os.nice(19)
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # type: ignore[attr-defined,unused-ignore]


def _wait_for_quiet(pid: int, limit_s: float) -> bool:
    """Until process `pid` has ended or the load is low; False when neither came."""
    end = time.monotonic() + limit_s
    time.sleep(60)
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        if os.getloadavg()[0] < _QUIET_LOAD * (os.cpu_count() or 1):
            return True
        time.sleep(10)
    return False


def make(version: str, cache: Path, heap: str) -> Path | None:
    """Make the cache now (40–90 s on two cores); return its path, or None when the JVM wrote none.

    Raises
    ------
    ServerError
        Another process is making it, or the throw-away server did not start.
    """
    from . import home as homes

    lock = Lock.load(version)
    java = find_java(lock.min_java)
    lib = library_dir(cache, lock)
    target = cache_file(lock, lib, java, cache)
    with file_lock(cache / "neo4j" / f"aot-{version}.lock", wait_s=0):
        if target.is_file():
            return target
        folder = Path(tempfile.mkdtemp(prefix="aot-", dir=cache / "neo4j"))
        try:
            made = folder / "made.aot"
            home = folder / "home"
            bolt, http = homes.free_port(0), homes.free_port(0)
            password = "throw-away"
            homes.write_home(home, bolt, http, heap, "64m", password)
            command = homes.java_command(lock, lib, java, home, heap, [f"-XX:AOTCacheOutput={made}"])
            _train(command, folder, bolt, password)
            if not made.is_file():
                return None
            os.replace(made, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        for old in target.parent.glob("aot-*.aot"):
            if old != target:
                old.unlink(missing_ok=True)
    return target


def _train(command: list[str], folder: Path, port: int, password: str) -> None:
    """Run the throw-away server, its workload, and wait until the JVM has written the cache."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    end = time.monotonic() + _LIMIT_S
    with (folder / "console.log").open("wb") as console:
        process = subprocess.Popen(command, stdout=console, stderr=console, stdin=subprocess.DEVNULL, cwd=folder)
    try:
        uri, auth = f"bolt://127.0.0.1:{port}", ("neo4j", password)
        with GraphDatabase.driver(uri, auth=auth, connection_timeout=5, telemetry_disabled=True) as driver:
            while process.poll() is None and time.monotonic() < end:
                with contextlib.suppress(OSError, DriverError, Neo4jError):
                    socket.create_connection(("127.0.0.1", port), 0.5).close()
                    driver.execute_query("RETURN 1", database_="neo4j")
                    break
                time.sleep(0.5)
            with contextlib.suppress(DriverError, Neo4jError):
                for statement in _WORKLOAD:
                    driver.execute_query(statement, database_="neo4j")
        process.terminate()
        process.wait(max(1.0, end - time.monotonic()))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def main(argv: list[str] | None = None) -> int:
    """Entry of the detached maker; its exit code is for tests."""
    parser = argparse.ArgumentParser(prog="python -m areorag.graph.aot", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("cache", type=Path)
    parser.add_argument("heap")
    parser.add_argument("--wait-for", type=int, default=None)
    options = parser.parse_args(argv)
    _idle_priority()
    if options.wait_for is not None and not _wait_for_quiet(options.wait_for, _LIMIT_S * 2):
        return 1
    try:
        return 0 if make(options.version, options.cache, options.heap) else 1
    except AreoRAGError as exc:
        log.info("no ahead-of-time cache: %s", exc)
        return 1


if __name__ == "__main__":
    sys.exit(main())
