"""A digest of the graph's content: equal for graphs that say the same, in however many runs they were made.

Nodes are named by their own ids, relationships by the ids of their ends. What tells of the making (runs, clock times)
or of the use (questions, answers, conflicts found, feedback) is no content. Each item is hashed by itself and the
hashes are added modulo 2^256, so that order does not matter and nothing is held in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import orjson

from .connection import Database

CONTENT_LABELS = frozenset(
    {
        "Hyperedge", "Observation", "Fact", "Colocation", "Synonym", "Superseded", "Entity", "Cell", "Product",
        "Document", "Passage", "Claim", "File", "Tombstone",
    }
)  # fmt: skip
_CLOCK = frozenset({"forgotten_at", "created", "updated", "created_at", "updated_at", "run", "run_id"})
_MODULUS = 1 << 256


def content_digest(db: Database) -> str:
    """Hex digest (64 characters) of the content nodes and the relationships among them."""
    total = 0
    for row in db.stream("digest_nodes"):
        if _is_content(row["labels"]):
            total += _number(["node", sorted(row["labels"]), _without_clock(row["properties"])])
    for row in db.stream("digest_relationships"):
        if _is_content(row["from_labels"]) and _is_content(row["to_labels"]):
            total += _number(["edge", row["type"], row["from"], row["to"], _without_clock(row["properties"])])
    return f"{total % _MODULUS:064x}"


def _is_content(labels: Iterable[str]) -> bool:
    return not CONTENT_LABELS.isdisjoint(labels)


def _without_clock(properties: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if key not in _CLOCK}


def _number(item: Any) -> int:
    data = orjson.dumps(item, default=_default, option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(hashlib.sha256(data).digest(), "big")


def _default(value: Any) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return [float(number) for number in value] if isinstance(value, tuple) else str(value)
