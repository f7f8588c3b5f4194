"""Reading files on a Dask cluster: workers parse and send reports back; none of them opens a database session.

``local`` makes a cluster of processes on this machine; an address joins one that runs. Beyond loopback the address must
be ``tls://``: reports are pickled, so whoever can join the cluster can run code.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import MissingExtraError, UsageError
from ..graph.model import FileReport

if TYPE_CHECKING:
    from ..settings import Settings

log = logging.getLogger(__name__)

IN_FLIGHT = 4
"""Files asked for and not yet taken, for each worker thread: what bounds the memory."""


def check_address(address: str) -> str:
    """A scheduler address that may be joined.

    Raises
    ------
    UsageError
        Not an address, or one beyond loopback without TLS.
    """
    if address == "local":
        return address
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        port = parts.port
    except ValueError:
        port = None
    if not parts.hostname or port is None or parts.scheme not in ("tcp", "tls"):
        raise UsageError(
            f"{address[:80]!r} is not a scheduler address; give  tcp://127.0.0.1:8786, tls://host:8786 or local"
        )
    if parts.scheme != "tls" and not _is_loopback(parts.hostname):
        raise UsageError(f"a scheduler beyond this machine needs TLS: use  tls://{parts.hostname}:{port}")
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def cluster_reports(
    paths: Sequence[Path], scheduler: str, settings: Settings, *, adapter: str | None = None
) -> Iterator[FileReport]:
    """Reports of every file at or below the paths, read on a Dask cluster, as they finish.

    Raises
    ------
    UsageError
        The address may not be joined, or nobody answers there.
    MissingExtraError
        Dask is not installed.
    """
    address = check_address(scheduler)
    try:
        import distributed as dask
    except ImportError:
        raise MissingExtraError("dask.distributed", "dask") from None
    with ExitStack() as stack:
        if address == "local":
            cluster = _untyped(dask.LocalCluster)(
                n_workers=settings.workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.ERROR,
            )
            stack.enter_context(cluster)
            client = stack.enter_context(_untyped(dask.Client)(cluster))
        else:
            try:
                client = stack.enter_context(_untyped(dask.Client)(address, timeout=10))
            except (OSError, TimeoutError):
                raise UsageError(
                    f"no Dask scheduler at {address}. Start one with  dask scheduler, or leave it out"
                ) from None
        yield from _run(client, paths, settings, adapter)


def _run(client: Any, paths: Sequence[Path], settings: Settings, adapter: str | None) -> Iterator[FileReport]:
    from .adapters.reading import Order, companion_report, discover, gather_context
    from .pipeline import ingest_root

    root = ingest_root(paths)
    files = discover(paths)
    (context,) = client.scatter([gather_context(files, root)], broadcast=True)
    order = Order(files)
    slots = max(1, sum(client.nthreads().values())) * IN_FLIGHT
    for phase in order.phases:
        for path, (report, companions) in _map(client, order.waiting(phase), context, adapter, slots):
            order.note(path, companions)
            yield report
    for path, label in order.left():
        yield companion_report(path, label, root)


def _map(
    client: Any, files: Iterable[Path], context: Any, adapter: str | None, slots: int
) -> Iterator[tuple[Path, tuple[FileReport, list[Path]]]]:
    """Results in the order they finish, at most `slots` files at once."""
    import distributed

    waiting = iter(files)
    names: dict[str, Path] = {}
    running: Any = _untyped(distributed.as_completed)()

    def submit() -> bool:
        path = next(waiting, None)
        if path is None:
            return False
        future = client.submit(read_on_worker, path, context, adapter, pure=False)
        names[future.key] = path
        running.add(future)
        return True

    for _ in range(slots):
        if not submit():
            break
    while names:
        future = next(running)
        path = names.pop(future.key)
        error = future.exception()
        if error is None:
            result = future.result()
        else:
            reason = f"could not be read ({type(error).__name__})"
            result = (FileReport(path=str(path), status="rejected", reason=reason), [])
        future.release()
        submit()
        yield path, result


def _untyped(function: Any) -> Any:
    """Dask ships no complete types; its objects are handled as `Any`."""
    return function


def read_on_worker(path: Path, context: Any, adapter: str | None) -> tuple[FileReport, list[Path]]:
    """Runs on a worker: one file, no database."""
    from .adapters.reading import read_file

    return read_file(path, context, adapter)
