"""Helpers shared by the label tests: one plain form for our values and pvl's, and where the shared data is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from areorag.ingest.readers.odl import Block, Empty, Quantity, ValueSet

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"
SAMPLE = Path(__file__).resolve().parents[1] / "areorag" / "sample" / "archive"


def shared(*parts: str) -> Path:
    """A file or folder of the shared data; the test is skipped where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def plain(value: Any) -> Any:
    """A value with its exact type, comparable: sets without order, NaN equal to itself."""
    if isinstance(value, Block):
        return ("block", "" if value.kind == "MODULE" else value.kind, [(k, plain(v)) for k, v in value.items])
    if isinstance(value, Quantity):
        return ("quantity", plain(value.value), value.units)
    if isinstance(value, ValueSet):
        return ("set", sorted(map(repr, {repr(plain(v)): plain(v) for v in value}.values())))
    if isinstance(value, list):
        return ("list", [plain(v) for v in value])
    if isinstance(value, Empty):
        return ("empty", value.line)
    return (type(value).__name__, repr(value))
