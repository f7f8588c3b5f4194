"""What the commands share: consoles, options, JSON output, progress."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..settings import Settings, load_settings

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="Folder of the managed Neo4j (default: the user's data folder).")
]


def check_json_target(target: str | None) -> str | None:
    """``--json`` looked at before the work begins, so that no result is lost to a mistyped folder.

    Raises
    ------
    UsageError
        The target is a folder, or its folder does not exist or cannot be written to.
    """
    if target is None or target == "-":
        return target
    path = Path(target)
    if path.is_dir():
        raise UsageError(f"{target} is a folder: give a file name to --json")
    if not path.parent.is_dir():
        raise UsageError(f"the folder of {target} does not exist. Make it first or give another file to --json")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"cannot write to the folder of {target}. Give another file to --json")
    return target


JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="FILE|-",
        callback=check_json_target,
        help="Also write the result as JSON to FILE, or to stdout with -.",
    ),
]
KOption = Annotated[int | None, typer.Option("-k", min=1, max=200, help="How many pieces of evidence to keep.")]

ProgressCallback = Callable[[str, int, int | None], None]


class State:
    """Global options of the running command."""

    debug = False
    quiet = False


def console(*, stderr: bool = False) -> Any:
    """A rich console; colour only on a terminal and without ``NO_COLOR`` (rich looks itself).

    What files say cannot steer the terminal: control and direction characters in printed text are shown as ``\ufffd``.
    """
    from rich.console import Console

    class Shown(Console):
        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(shown(o) if isinstance(o, str) else o for o in objects), **options)

    return Shown(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """`text` without characters that steer a terminal or turn the direction of reading."""
    return _STEERING.sub("\ufffd", text)


def err(message: str) -> None:
    """One line on stderr: ``error: …``."""
    typer.echo(f"error: {shown(' '.join(message.split()))}", err=True)


def settings_for(home: Path | None = None, **overrides: Any) -> Settings:
    """The effective settings; ``--home`` wins over the environment and the file."""
    if home is not None:
        overrides["home"] = home.expanduser().resolve()
    return load_settings(**overrides)


def write_json(target: str | None, value: Any) -> None:
    """Write `value` to the file, or to stdout for ``-``. Whole or not at all."""
    if target is None:
        return
    import orjson

    def default(x: Any) -> Any:
        if hasattr(x, "model_dump"):
            return x.model_dump(mode="json")
        if isinstance(x, Path):
            return str(x)
        if isinstance(x, set | frozenset | tuple):
            return list(x)
        raise TypeError(type(x).__name__)

    data = orjson.dumps(
        value, default=default, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    )
    if target == "-":
        sys.stdout.buffer.write(data + b"\n")
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()  # a link such as /dev/stdout stays a link
    temporary = path.with_name(path.name + ".part")
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe is written to, not replaced
            path.write_bytes(data + b"\n")
            return
        temporary.write_bytes(data + b"\n")
        temporary.replace(path)
    except OSError as exc:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UsageError(f"cannot write {target}: {exc.strerror}") from None


@contextlib.contextmanager
def progress_bars() -> Iterator[ProgressCallback | None]:
    """One line a stage, on stderr: ``callback(stage, done, total)``. None when quiet."""
    if State.quiet:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn(),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    tasks: dict[str, Any] = {}
    plain = not sys.stderr.isatty()
    with Progress(*columns, console=console(stderr=True), transient=False, disable=plain) as bars:

        def update(stage: str, done: int = 0, total: int | None = None, *_: Any) -> None:
            if plain:
                if stage not in tasks:
                    tasks[stage] = True
                    typer.echo(f"{stage} …", err=True)
                return
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update


def open_graph(home: Path | None) -> Any:
    """The graph of the settings, opened with progress; use as a context manager."""
    from ..api import AreoRAG

    with progress_bars() as bars:
        return AreoRAG.open(settings=settings_for(home), progress=bars)
