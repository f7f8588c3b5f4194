"""Migrations: ``cypher/migrations/V0001__name.cypher``, run once in order, checksummed and recorded in the graph.

A file is schema-only or data-only, said by its second line (``// schema`` or ``// data``). Every schema statement says
``IF NOT EXISTS``, and is recorded in a later transaction after ``db.awaitIndexes`` (Neo4j lets schema changes share a
transaction with nothing), so a crash anywhere only means that the file is run again. A data file and its record are one
transaction. A file that was edited after it ran is refused.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import MigrationError
from . import cypher
from .connection import Database

log = logging.getLogger(__name__)

_NAME = re.compile(r"V(\d{4})__(\w+)")
_INDEX_WAIT_S = 300


@dataclass(frozen=True)
class Migration:
    """One file: `version` (1, 2, …), `name`, `kind` (schema or data), its `statements` and their `checksum`."""

    version: int
    name: str
    kind: str
    statements: tuple[str, ...]
    checksum: str

    @classmethod
    def parse(cls, name: str, text: str) -> Migration:
        """Read a migration file.

        Raises
        ------
        MigrationError
            The name or the second line is not what it must be, or a schema statement cannot be repeated.
        """
        match = _NAME.fullmatch(name)
        if not match:
            raise MigrationError(f"migration {name} must be called V0001__name.cypher")
        lines = text.strip().splitlines()
        kind = lines[1].strip("/ ") if len(lines) > 1 else ""
        if kind not in {"schema", "data"}:
            raise MigrationError(f"migration {name}: its second line must be  // schema  or  // data")
        parts = tuple(cypher.split(text))
        for part in parts:
            if not part.startswith("CYPHER 5"):
                raise MigrationError(f"migration {name}: every statement begins CYPHER 5")
            changes = re.search(r"\b(CREATE|DROP)\b[^;]*?\b(CONSTRAINT|INDEX)\b", part)
            if (kind == "schema") != bool(changes):
                raise MigrationError(f"migration {name} mixes schema and data")
            if changes and not re.search(r"\bIF (NOT )?EXISTS\b", part):
                raise MigrationError(f"migration {name}: a schema statement needs IF NOT EXISTS or IF EXISTS")
        checksum = hashlib.sha256("\n;\n".join(" ".join(part.split()) for part in parts).encode()).hexdigest()
        return cls(int(match[1]), match[2], kind, parts, checksum)


def shipped() -> list[Migration]:
    """The migrations of this version of the package, in order.

    Raises
    ------
    MigrationError
        Numbers are missing or used twice.
    """
    found = sorted((Migration.parse(s.name, s.text) for s in cypher.statements("migrations")), key=lambda m: m.version)
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise MigrationError("migrations must be numbered V0001, V0002, … without gaps")
    return found


def migrate(db: Database, migrations: Iterable[Migration] | None = None) -> list[str]:
    """Run what has not run yet; return the names that ran.

    Raises
    ------
    MigrationError
        A recorded migration differs from its file, is unknown to this version, or a statement failed.
    """
    known = list(shipped() if migrations is None else migrations)
    recorded = {row["version"]: row for row in db.read("migrations_recorded")}
    by_version = {m.version: m for m in known}
    for version, row in sorted(recorded.items()):
        mine = by_version.get(version)
        if mine is None:
            raise MigrationError(
                f"the graph was made by a newer areorag (migration V{version:04} {row['name']}). Upgrade areorag"
            )
        if mine.checksum != row["checksum"]:
            raise MigrationError(
                f"migration V{version:04}__{mine.name} was edited after it had run. Restore it and add a new one"
            )
    ran = []
    for migration in known:
        if migration.version in recorded:
            continue
        _run(db, migration)
        ran.append(f"V{migration.version:04}__{migration.name}")
        log.info("migration V%04d %s", migration.version, migration.name)
    return ran


def _run(db: Database, migration: Migration) -> None:
    record = {"version": migration.version, "name": migration.name, "checksum": migration.checksum}
    if migration.kind == "schema":
        for statement in migration.statements:
            db.schema_text(statement)
        db.read("await_indexes", seconds=_INDEX_WAIT_S)
        db.write("migration_record", **record)
    else:
        db.transact_text([(statement, {}) for statement in migration.statements], then=("migration_record", record))
