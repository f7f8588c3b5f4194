"""Replies kept on disk by a hash of model and request, so that nothing is paid for twice, even after a kill."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from dataclasses import asdict
from pathlib import Path

from .messages import Reply, Request, TokenChoice


def request_key(model: str, request: Request) -> str:
    """sha256 of the model's name and the whole request."""
    body = json.dumps([model, asdict(request)], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(body.encode()).hexdigest()


class ReplyCache:
    """One SQLite file; each reply is committed when it arrives."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
        self._lock = threading.Lock()
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS reply (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID")

    def get(self, key: str) -> Reply | None:
        """The kept reply, marked as cached, or None."""
        with self._lock:
            row = self._db.execute("SELECT v FROM reply WHERE k = ?", (key,)).fetchone()
        if row is None:
            return None
        d = json.loads(row[0])
        probs = tuple(
            TokenChoice(t["token"], t["logprob"], tuple((a, b) for a, b in t["top"])) for t in d.pop("logprobs")
        )
        d["cached"] = True
        return Reply(logprobs=probs, **d)

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO reply VALUES (?, ?)", (key, json.dumps(asdict(reply))))

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be of no use."""
        with self._lock:
            self._db.execute("DELETE FROM reply WHERE k = ?", (key,))

    def close(self) -> None:
        """Close the file."""
        self._db.close()
