"""Forgetting observations: they leave the graph, a ``:Tombstone`` keeps their origin and what they said by hash.

A tombstone holds against ingest: the same content is not written again, a new version is. Claims, co-location
memberships and cells or entities that nothing else uses go too; products stay as provenance. What answers cited stays
named on the tombstone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .connection import Database, Transaction

if TYPE_CHECKING:
    from ..settings import Settings

_BATCH = 500


def forget(db: Database, ids: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Remove observations by id.

    Returns
    -------
    dict
        ``forgotten``: how many were removed; ``unknown``: ids that are no observation.
    """
    wanted = list(dict.fromkeys(i.strip() for i in ids if i.strip()))
    known = {row["id"] for start in range(0, len(wanted), _BATCH)
             for row in db.read("observations_existing", ids=wanted[start : start + _BATCH])}  # fmt: skip
    found = [i for i in wanted if i in known]
    for start in range(0, len(found), _BATCH):
        batch = sorted(found[start : start + _BATCH])
        db.transact(lambda tx, b=batch: _bury(tx, b))  # type: ignore[misc]
    if found:
        from .colocation import update_colocations

        update_colocations(db, found, settings)
        db.write("drop_unused_entities")
        while db.write("drop_unused_cells")[0]["n"]:
            pass
    return {"forgotten": len(found), "unknown": [i for i in wanted if i not in known]}


def _bury(tx: Transaction, ids: list[str]) -> None:
    tx.run("write_lock")
    tx.run("write_tombstones", ids=ids, now=datetime.now(UTC))
    tx.run("delete_observations", ids=ids)


def restore(db: Database, ids: Sequence[str]) -> dict[str, Any]:
    """Lift the tombstones of some ids, so that ingesting their files writes them again.

    Returns
    -------
    dict
        ``restored``: how many tombstones were lifted; ``unknown``: ids that are not forgotten; ``files``: where the
        restored ones came from, to be ingested again.
    """
    wanted = list(dict.fromkeys(i.strip() for i in ids if i.strip()))
    lifted: dict[str, str | None] = {}
    for start in range(0, len(wanted), _BATCH):
        batch = sorted(wanted[start : start + _BATCH])
        lifted |= {row["id"]: row["source_file"] for row in db.write("delete_tombstones", ids=batch)}
    return {
        "restored": len(lifted),
        "unknown": [i for i in wanted if i not in lifted],
        "files": sorted({file for file in lifted.values() if file}),
    }


def tombstones(db: Database) -> list[dict[str, Any]]:
    """What was forgotten, the latest first."""
    return db.read("tombstones")
