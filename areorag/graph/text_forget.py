"""Forgetting documents: all they gave leaves the graph, a ``:Tombstone`` keeps where they came from and their hash.

As with observations, the tombstone holds against ingest: the same content is not written again, a changed file is.
``restore`` in `forget` lifts it. Entities, cells and co-locations stay while anything else supports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from .connection import Database, Transaction
from .text_writer import delete_documents

_BATCH = 200


def documents(db: Database) -> list[dict[str, Any]]:
    """Documents by id: title, kind, state (``complete``, ``partial``, ``writing``), passages, facts, failed passages."""
    return db.read("text_documents")


def find_documents(db: Database, ids: Sequence[str]) -> dict[str, list[str]]:
    """For each of the ids that names something, its documents: one, or those of the corpus of that id."""
    out: dict[str, list[str]] = {}
    for row in db.read("text_documents_named", ids=sorted(set(ids))):
        out.setdefault(row["wanted"], []).append(row["id"])
    return out


def forget_documents(db: Database, ids: Sequence[str]) -> int:
    """Remove documents by id; how many there were."""
    wanted = sorted(set(ids))
    now = datetime.now(UTC)
    for start in range(0, len(wanted), _BATCH):

        def bury(tx: Transaction, part: list[str] = wanted[start : start + _BATCH]) -> None:
            tx.run("write_lock")
            tx.run("text_write_tombstones", ids=part, now=now)

        db.transact(bury)
    return delete_documents(db, wanted)
