"""Reads of a graph that does not change, kept: configurations of one study ask the same things again."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from ..graph.connection import Database


class Remembered:
    """A database whose answers to a few reads are kept: the archive of an evaluation does not change while it runs."""

    READS = ("retrieval_expand", "answer_partners", "observations_by_id")

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[bytes, list[dict[str, Any]]] = {}

    def read(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """As `Database.read`."""
        if name not in self.READS:
            return self._db.read(name, **parameters)
        key = hashlib.sha256(orjson.dumps([name, parameters], option=orjson.OPT_SORT_KEYS)).digest()
        if key not in self._known:
            self._known[key] = self._db.read(name, **parameters)
        return self._known[key]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)
