"""``areorag eval facts --graph``: the same questions, answered by the passages that `areorag ask` would cite.

The corpus goes through text ingest into a throw-away graph; beside it what the nearest passages by vector alone hold.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..answer.arp import MAX_PASSAGES
from ..graph.connection import Database
from ..ingest.text.pipeline import ingest_text
from ..llm.embed import get_embedder
from ..retrieval.selection.tokens import letters
from ..retrieval.texts import passages_about
from ..settings import Settings, load_settings
from .facts import located
from .jsonl import read_jsonl

Progress = Callable[[str, int, int | None], None]


def run(
    corpus: Path | str, questions: Path | str, *, settings: Settings | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Ask the located questions of the graph.

    Returns
    -------
    ``{n, located, k, passages, asked: {all_gold, some_gold, answered, p50_ms, p95_ms}, nearest: {all_gold, some_gold}}``:
    per cent of the located questions whose gold sentences all (at least one) stand in the k passages; milliseconds a search.

    Raises
    ------
    UsageError
        A file cannot be used.
    """
    settings = settings or load_settings()
    documents, asked = read_jsonl(corpus, ("id", "text")), read_jsonl(questions, ("id", "question"))
    todo = located(documents, asked)
    embedder = get_embedder(settings)
    found: list[list[str]] = []
    near: list[list[str]] = []
    seconds: list[float] = []
    with Database.temporary(settings) as db:
        report = ingest_text(db, [Path(corpus)], settings, embedder=embedder)
        for at, (question, _) in enumerate(todo):
            text = str(question["question"])
            begun = time.perf_counter()
            found.append([str(t.row["text"]) for t in passages_about(db, text, embedder, MAX_PASSAGES)])
            seconds.append(time.perf_counter() - begun)
            vector = np.asarray(embedder.embed([text])[0], np.float64)
            rows = db.read("passages_by_meaning", n=10 * MAX_PASSAGES, vector=vector.tolist())
            rows.sort(key=lambda r: -float(np.asarray(r["embedding"]) @ vector))
            near.append([str(r["text"]) for r in rows[:MAX_PASSAGES]])
            if progress:
                progress("questions", at + 1, len(todo))
    keys = [keys for _, keys in todo]
    timed = {"p50_ms": statistics.median(seconds), "p95_ms": float(np.percentile(seconds, 95))} if seconds else {}
    return {
        "n": len(asked),
        "located": len(todo),
        "k": MAX_PASSAGES,
        "passages": report.passages,
        "asked": _held(keys, found)
        | {"answered": sum(map(bool, found))}
        | {k: round(1e3 * v, 1) for k, v in timed.items()},
        "nearest": _held(keys, near),
    }


def _held(golds: Sequence[list[str]], found: Sequence[list[str]]) -> dict[str, float | None]:
    held = [[any(k in p for p in map(letters, texts)) for k in keys] for keys, texts in zip(golds, found, strict=True)]
    if not held:
        return {"all_gold": None, "some_gold": None}
    n = len(held)
    return {
        "all_gold": round(100.0 * sum(map(all, held)) / n, 1),
        "some_gold": round(100.0 * sum(map(any, held)) / n, 1),
    }
