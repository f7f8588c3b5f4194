"""JSON Lines in, with errors that name the file and the line (used by the selection and facts evaluations)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError


def read_jsonl(path: Path | str, required: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file; empty lines are passed over.

    Raises
    ------
    UsageError
        The file is missing or not UTF-8, a line is not a JSON object, or a `required` key is missing.
    """
    path = Path(path)
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(f"{path} cannot be read: {exc}") from None
    out: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as exc:
            raise UsageError(f"{path} line {number} is not JSON: {exc.msg}") from None
        if not isinstance(row, dict):
            raise UsageError(f"{path} line {number} is not a JSON object")
        missing = [k for k in required if row.get(k) is None]
        if missing:
            raise UsageError(f"{path} line {number} has no {', '.join(missing)}")
        out.append(row)
    return out
