"""``areorag bench``: every speed figure in one run, as ratios against baselines measured beside it.

Each part is a module ``bench_<name>`` with ``run(scale) -> dict``; a part that fails says so and the others go on.
"""

from __future__ import annotations

import importlib
import logging
import os
import platform
from collections.abc import Callable
from typing import Any

from ..errors import AreoRAGError
from .choices import known

log = logging.getLogger(__name__)

SCALES = ("small", "paper", "million")
PARTS = ("hyperbolic", "adapters", "spatial", "ingest", "text", "retrieval", "growth", "selection")


def run(
    scale: str = "small",
    *,
    parts: list[str] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> dict[str, Any]:
    """Run the parts; → ``{scale, machine, parts: {name: figures}}``.

    Raises
    ------
    UsageError
        Unknown scale or part.
    """
    known("scale", scale, SCALES)
    for name in parts or ():
        known("part", name, PARTS)
    chosen = [p for p in PARTS if not parts or p in parts]
    out: dict[str, Any] = {
        "scale": scale,
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "parts": {},
    }
    for i, name in enumerate(chosen):
        if progress:
            progress(f"bench {name}", i, len(chosen))
        try:
            module = importlib.import_module(f".bench_{name}", __package__)
            out["parts"][name] = module.run(scale)
        except AreoRAGError as exc:
            log.warning("bench %s: %s", name, exc)
            out["parts"][name] = {"error": str(exc)}
    return out
