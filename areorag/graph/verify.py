"""Invariants of the graph: what a Community server cannot enforce by constraints, checked by queries.

Each check is a file ``cypher/queries/verify/<name>.cypher`` that returns up to 20 offenders as ``id`` and ``why``.
"""

from __future__ import annotations

from typing import Any

from . import cypher
from .connection import Database
from .digest import content_digest

FOLDER = "verify/"


def checks() -> list[str]:
    """Names of the checks."""
    return [s.name for s in cypher.statements("queries") if s.name.startswith(FOLDER)]


def verify(db: Database) -> dict[str, Any]:
    """Run every check.

    Returns
    -------
    dict
        ``checks``: how many were run; ``problems``: one line an offender; ``digest``: of the graph's content.
    """
    names = checks()
    problems = []
    for name in names:
        title = cypher.query(name).title
        problems += [f"{title}: {row['id']} ({row['why']})" for row in db.read(name)]
    return {"checks": len(names), "problems": problems, "digest": content_digest(db)}
