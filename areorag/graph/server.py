"""A real Neo4j Community on this machine, started, shared and stopped by AreoRAG: no Docker, Maven or system Java.

One server per home folder, bound to loopback, with a random password in a 0600 file. Any number of processes may call
`ManagedServer.start` at once: a file lock lets one of them start Java, the others wait and share it. The server
outlives its callers, and a server or a caller that was killed (kill -9) is found out from the process table.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from ..errors import AuthenticationError, ServerError
from ..settings import Settings
from . import aot
from .home import USER, command_line, free_port, java_command, write_home
from .install import Lock, Progress, file_lock, find_java, install

log = logging.getLogger(__name__)

_STATE = "managed.json"
_PID = Path("run") / "areorag.pid"
_PORT_TRIES = 3
_STOP_TIMEOUT_S = 60.0


class ManagedServer:
    """The managed Neo4j of one home.

    Parameters
    ----------
    settings
        ``home``, ``cache_dir``, ``neo4j_version``, ``bolt_port``, ``http_port``, ``heap``, ``page_cache`` and
        ``start_timeout_s`` are used.
    train
        Make the JDK's ahead-of-time cache in the background when it is missing (see `aot`); None: unless
        ``AREORAG_AOT=0``.
    """

    def __init__(self, settings: Settings, *, train: bool | None = None) -> None:
        self.settings = settings
        self.home = settings.home.expanduser().resolve()
        self.cache = settings.cache_dir.expanduser().resolve()
        self.password_file = self.home / "password"
        self._train = os.environ.get("AREORAG_AOT", "1") != "0" if train is None else train

    # ------------------------------------------------------------ public
    def start(self, progress: Progress | None = None) -> dict[str, Any]:
        """Start the server, or share the one that runs; return `status()` with ``started`` (bool) and ``seconds``.

        Raises
        ------
        ServerError
            No Java, a jar that differs from the lock, a port that was asked for is taken, a home made by another
            Neo4j version, or Neo4j did not come up; one line, with what to do.
        """
        begun = time.monotonic()
        self._make_home()
        with file_lock(self.home / "managed.lock", wait_s=self.settings.start_timeout_s):
            state = self._state()
            if state is not None and (pid := self._pid()):
                self._wait_ready(state, pid, progress)
                return self.status() | {"started": False, "seconds": round(time.monotonic() - begun, 2)}
            self._start_java(first=state is None, progress=progress)
        return self.status() | {"started": True, "seconds": round(time.monotonic() - begun, 2)}

    def stop(self) -> str:
        """Stop the server of this home; say what was done. Not running is not an error."""
        begun = time.monotonic()
        if not self.home.exists():
            return "not running"
        with file_lock(self.home / "managed.lock", wait_s=self.settings.start_timeout_s):
            pid = self._pid()
            killed = self._end(pid) if pid else False
            (self.home / _PID).unlink(missing_ok=True)
        if not pid:
            return "not running"
        if self._train:
            aot.spawn(self.settings)
        return f"{'killed' if killed else 'stopped'} after {time.monotonic() - begun:.1f} s"

    def status(self) -> dict[str, Any]:
        """``{running, uri, http, browser, version, pid, home, password_file}``; addresses are None when not running."""
        state, pid = self._state() or {}, self._pid()
        running = bool(pid)
        return {
            "running": running,
            "uri": state.get("uri") if running else None,
            "http": state.get("http") if running else None,
            "browser": self._browser(state) if running else None,
            "version": state.get("neo4j", self.settings.neo4j_version),
            "pid": pid,
            "home": str(self.home),
            "password_file": str(self.password_file),
            "aot_cache": state.get("aot", False) if running else None,
        }

    def reset(self) -> None:
        """Stop the server and delete its data, password and logs. The downloaded jars stay.

        Raises
        ------
        ServerError
            The folder does not look like a managed home, so nothing is deleted.
        """
        if not self.home.exists():
            return
        if not (self.home / _STATE).exists() and any(self.home.iterdir()):
            raise ServerError(f"{self.home} was not made by areorag; nothing deleted. Choose another with --home")
        train, self._train = self._train, False
        try:
            self.stop()
        finally:
            self._train = train
        with file_lock(self.home / "managed.lock", wait_s=self.settings.start_timeout_s):
            for name in ("data", "conf", "logs", "run", "import", "plugins", "licenses"):
                shutil.rmtree(self.home / name, ignore_errors=True)
            for name in ("password", _STATE):
                (self.home / name).unlink(missing_ok=True)

    def browser_url(self) -> str:
        """Address of Neo4j Browser on the running server, with the connection filled in.

        Raises
        ------
        ServerError
            The server is not running.
        """
        state = self._state()
        if state is None or not self._pid():
            raise ServerError("the managed Neo4j is not running. Start it with  areorag db start")
        return self._browser(state)

    def password(self) -> str:
        """The password of user ``neo4j``.

        Raises
        ------
        ServerError
            The password file is gone or cannot be read.
        """
        try:
            return self.password_file.read_text("utf-8").strip()
        except OSError:
            raise ServerError(
                f"the password file in {self.home} cannot be read; restore it, or start over with  areorag db reset"
            ) from None

    # ------------------------------------------------------------ starting
    def _make_home(self) -> None:
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as exc:
            raise ServerError(
                f"cannot make the home folder {self.home} ({exc.strerror}). Choose another with --home"
            ) from None
        if not os.access(self.home, os.W_OK):
            raise ServerError(f"cannot write to the home folder {self.home}. Choose another with --home")

    def _start_java(self, first: bool, progress: Progress | None) -> None:
        lock = Lock.load(self.settings.neo4j_version)
        self._check_version(lock)
        java = find_java(lock.min_java)
        lib = install(lock, self.cache, progress)
        password = self._ensure_password()
        cache = aot.cache_file(lock, lib, java, self.cache)
        use_aot = aot.usable(java) and cache.is_file()
        extra = [f"-XX:AOTCache={cache}"] if use_aot else []
        problem = ""
        for attempt in range(_PORT_TRIES):
            bolt, http = self._ports(random=attempt > 0)
            write_home(self.home, bolt, http, self.settings.heap, self.settings.page_cache, password)
            state = {
                "uri": f"bolt://127.0.0.1:{bolt}",
                "http": f"http://127.0.0.1:{http}/",
                "neo4j": lock.neo4j,
                "java": java.path,
                "aot": use_aot,
            }
            self._write_state(state)
            command = java_command(lock, lib, java, self.home, self.settings.heap, extra)
            pid = self._launch(command)
            try:
                self._wait_ready(state, pid, progress)
            except ServerError:
                self._end(pid)
                problem = self._console_tail()
                if "Address already in use" in problem:
                    continue
                raise
            if self._train and aot.usable(java) and not use_aot:
                aot.spawn(self.settings, wait_for=pid, quiet=True)
            log.info("Neo4j %s started at %s%s", lock.neo4j, state["uri"], " (first start)" if first else "")
            return
        raise ServerError("Neo4j could not bind a port on 127.0.0.1; set AREORAG_BOLT_PORT and AREORAG_HTTP_PORT")

    def _check_version(self, lock: Lock) -> None:
        state = self._state()
        if state and state.get("neo4j") != lock.neo4j and (self.home / "data" / "databases").exists():
            raise ServerError(
                f"{self.home} was made by Neo4j {state.get('neo4j')}, not {lock.neo4j}. "
                f"Set AREORAG_NEO4J_VERSION={state.get('neo4j')}, or choose another --home"
            )

    def _ports(self, random: bool) -> tuple[int, int]:
        ports = []
        for field, default in (("bolt_port", self.settings.bolt_port), ("http_port", self.settings.http_port)):
            port = free_port(0 if random else default)
            asked = field in self.settings.model_fields_set and default != 0
            if asked and port != default:
                raise ServerError(
                    f"port {default} on 127.0.0.1 is taken by another program. Set AREORAG_{field.upper()} to a free "
                    "one, or leave it unset to let areorag choose"
                )
            ports.append(port)
        return ports[0], ports[1]

    def _ensure_password(self) -> str:
        path = self.password_file
        if not path.exists():
            if (self.home / "data" / "databases" / "system").exists():
                raise ServerError(
                    f"the password file of {self.home} is gone; restore it, or start over with  areorag db reset"
                )
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(secrets.token_urlsafe(24))
        return self.password()

    def _launch(self, command: list[str]) -> int:
        """Start Java as nobody's child and return its pid, which the shell records before anything can go wrong."""
        script = '"$@" & echo $! > "$0"'
        with (self.home / "logs" / "console.log").open("wb") as console:
            subprocess.run(
                ["/bin/sh", "-c", script, str(self.home / _PID), *command],
                stdout=console,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=self.home,
                check=True,
            )
        return int((self.home / _PID).read_text())

    def _wait_ready(self, state: dict[str, Any], pid: int, progress: Progress | None) -> None:
        from neo4j import GraphDatabase
        from neo4j.exceptions import DriverError, Neo4jError

        begun = time.monotonic()
        limit = self.settings.start_timeout_s
        host, _, port = state["uri"].removeprefix("bolt://").partition(":")
        while (spent := time.monotonic() - begun) < limit:
            if not self._runs(pid):
                raise ServerError(f"Neo4j ended while starting: {self._console_tail()}")
            if progress and spent > 1.0:  # a server that already runs answers before
                progress("starting Neo4j", int(spent), int(limit))
            with contextlib.suppress(OSError):
                socket.create_connection((host, int(port)), 0.5).close()
                try:
                    with GraphDatabase.driver(
                        state["uri"], auth=(USER, self.password()), connection_timeout=5, telemetry_disabled=True
                    ) as driver:
                        driver.execute_query("RETURN 1", database_="neo4j")
                        return
                except (DriverError, Neo4jError) as exc:
                    if "Unauthorized" in str(getattr(exc, "code", "")):
                        raise AuthenticationError(
                            f"the managed Neo4j refuses the password in {self.password_file}. "
                            "Restore the file, or start over with  areorag db reset"
                        ) from None
            time.sleep(0.1)
        raise ServerError(f"Neo4j did not answer within {limit:.0f} s (pid {pid}); see {self.home / 'logs'}")

    # ------------------------------------------------------------ ending
    def _end(self, pid: int) -> bool:
        """TERM, wait, KILL. True when it had to be killed."""
        killed = False
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + _STOP_TIMEOUT_S
        while self._runs(pid):
            if time.monotonic() > end and not killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                killed = True
            time.sleep(0.05)
        return killed

    # ------------------------------------------------------------ state
    def _state(self) -> dict[str, Any] | None:
        try:
            state: dict[str, Any] = json.loads((self.home / _STATE).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return state

    def _write_state(self, state: dict[str, Any]) -> None:
        temporary = self.home / f"{_STATE}.tmp"
        temporary.write_text(json.dumps(state), "utf-8")
        os.replace(temporary, self.home / _STATE)

    def _runs(self, pid: int) -> bool:
        return f"--home-dir={self.home} " in command_line(pid) + " "

    def _pid(self) -> int | None:
        """Pid of this home's server when it runs; a pid that now belongs to another program does not count."""
        try:
            pid = int((self.home / _PID).read_text())
        except (OSError, ValueError):
            return None
        return pid if self._runs(pid) else None

    def _console_tail(self) -> str:
        with contextlib.suppress(OSError):
            lines = (self.home / "logs" / "console.log").read_text("utf-8", errors="replace").splitlines()
            told = [line.strip() for line in lines if "ERROR" in line or "Caused by" in line or "rror:" in line]
            return " | ".join((told or lines)[-3:])[:600] or "no output"
        return "no output"

    @staticmethod
    def _browser(state: dict[str, Any]) -> str:
        return f"{state['http']}browser/?dbms={state['uri'].replace('bolt://', f'bolt://{USER}@')}&db=neo4j"
