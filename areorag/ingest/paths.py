"""Which paths can be read at all: files and folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import UsageError


def check_paths(paths: Iterable[str | Path]) -> list[Path]:
    """The paths, each a file or a folder (reading a pipe or a device would never end).

    Raises
    ------
    UsageError
        One does not exist, or is something else.
    """
    wanted = [Path(p) for p in paths]
    for path in wanted:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
        if not path.is_dir() and not path.is_file():
            raise UsageError(f"{path} is neither a file nor a folder")
    return wanted
