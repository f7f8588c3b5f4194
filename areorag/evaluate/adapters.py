"""``areorag eval adapters DIR``: every file of a folder accounted for, in the contract's form (issue "Ingest").

``{files: [{path, status, reason, observations}], seconds, counts}``; a path is relative to the folder and appears once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import UsageError


def run(
    directory: str | Path,
    *,
    progress: Callable[[str, int, int | None], None] | None = None,
    workers: int | None = None,
    timeout_s: float = 30.0,
) -> dict[str, Any]:
    """Read every file below a folder.

    Parameters
    ----------
    directory
        The folder.
    progress
        Called with (what, done, of how many).
    workers, timeout_s
        Reader processes, and seconds a file may take.

    Raises
    ------
    UsageError
        The folder does not exist.
    """
    from ..ingest.adapters import discover, iter_reports

    base = Path(directory)
    if not base.is_dir():
        raise UsageError(f"{directory} is not a folder")
    total = len(discover(base))
    start = time.perf_counter()
    files: list[dict[str, Any]] = []
    for done, report in enumerate(iter_reports(base, workers=workers, timeout_s=timeout_s), 1):
        files.append(
            {
                "path": Path(report.path).relative_to(base).as_posix(),
                "status": report.status,
                "reason": report.reason,
                "adapter": report.adapter,
                "observations": [o.model_dump(mode="json") for o in report.observations],
            }
        )
        if progress is not None:
            progress("read", done, total)
    seconds = time.perf_counter() - start
    files.sort(key=lambda f: f["path"])
    counts = Counter(f["status"] for f in files)
    return {
        "files": files,
        "seconds": round(seconds, 3),
        "counts": {
            "files": len(files),
            **{status: counts[status] for status in ("ok", "partial", "rejected")},
            "observations": sum(len(f["observations"]) for f in files),
        },
    }
