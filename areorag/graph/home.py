"""A Neo4j home folder and the command that serves it: configuration, credentials, JVM flags, ports, processes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import socket
import subprocess
from pathlib import Path

from ..errors import ServerError
from .install import Java, Lock

USER = "neo4j"

# LOAD CSV reaches files and the network even from a read-only session: both are closed (test_load_csv_is_refused).
_CONF = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{bolt}
server.bolt.advertised_address=127.0.0.1:{bolt}
server.http.listen_address=127.0.0.1:{http}
server.http.advertised_address=127.0.0.1:{http}
server.http.enabled=true
server.https.enabled=false
server.memory.heap.max_size={heap}
server.memory.pagecache.size={page_cache}
server.directories.import=import
dbms.security.auth_enabled=true
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
dbms.usage_report.enabled=false
client.allow_telemetry=false
db.tx_log.rotation.retention_policy=1 days 256M
db.shutdown_transaction_end_timeout=0s
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
"""

_FLAGS = [
    "-XX:+UseParallelGC",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+TrustFinalNonStaticFields",
    "-XX:+DisableExplicitGC",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Djdk.tls.ephemeralDHKeySize=2048",
    "-Djdk.tls.rejectClientInitiatedRenegotiation=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
]


def java_flags(java: Java) -> list[str]:
    """JVM flags for one Java version; the later ones only silence warnings about what Neo4j is known to do."""
    flags = list(_FLAGS)
    if java.major >= 22:
        flags.append("--enable-native-access=ALL-UNNAMED")
    if java.major >= 24:
        flags.append("--sun-misc-unsafe-memory-access=allow")
    return flags


def java_command(lock: Lock, lib: Path, java: Java, home: Path, heap: str, extra: list[str]) -> list[str]:
    """Command line of the server. The class path is explicit and sorted: the AOT cache is bound to its order."""
    jars = os.pathsep.join(str(lib / name) for name in sorted(jar.file for jar in lock.jars))
    tail = [lock.main, f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    return [java.path, f"-Xmx{heap}", *java_flags(java), *extra, "-cp", jars, *tail]


def auth_line(password: str) -> str:
    """The credentials line Neo4j reads before its first start (salted SHA-256, 1,024 rounds)."""
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(1023):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},1024:"


def write_home(home: Path, bolt: int, http: int, heap: str, page_cache: str, password: str) -> None:
    """Lay out a Neo4j home: folders, configuration and, before the first start, the credentials."""
    for name in ("conf", "data", "logs", "plugins", "import", "run", "licenses"):
        (home / name).mkdir(parents=True, exist_ok=True)
    conf = _CONF.format(bolt=bolt, http=http, heap=heap, page_cache=page_cache)
    (home / "conf" / "neo4j.conf").write_text(conf, "utf-8")
    if not (home / "data" / "databases" / "system").exists():
        auth = home / "data" / "dbms" / "auth.ini"
        auth.parent.mkdir(parents=True, exist_ok=True)
        auth.touch(mode=0o600)
        auth.write_text(auth_line(password), "utf-8")


def free_port(preferred: int) -> int:
    """`preferred` where it can be bound on loopback, else a port the system chooses."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    raise ServerError("no free port on 127.0.0.1; close some programs and try again")


def command_line(pid: int) -> str:
    """Command line of a running process; empty when there is none or it is a zombie."""
    proc = Path("/proc")
    if (proc / "self").exists():
        try:
            return (proc / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    done = subprocess.run(["ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False)
    return done.stdout
