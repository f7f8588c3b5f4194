"""Answers in the graph: ``(:Query)-[:ANSWERED_BY]->(:Answer)``, what was ``USED`` and what is ``CITES``.

The whole record is kept as JSON beside the relationships, so that an audit shows exactly what was said then.
"""

from __future__ import annotations

import hashlib

import orjson

from ..errors import UnknownNameError
from ..graph.connection import Database, Transaction
from .model import Answer

_NAME_LENGTH = 80


def save(db: Database, answer: Answer) -> None:
    """Write `answer` and its relationships in one transaction."""
    cited = {n for s in answer.sentences for n in s.cites}
    used = [
        {"id": s.id, "rank": s.n, "score": s.score, "scores": orjson.dumps(s.scores).decode(), "kept": s.kept}
        for s in answer.sources
    ]
    cites = [{"id": s.id, "n": s.n} for s in answer.sources if s.n in cited]
    body = answer.trace.intent.get("body", "Mars")

    def work(tx: Transaction) -> None:
        tx.run(
            "answer_write",
            query_id="q-" + hashlib.sha256(f"{body}\0{answer.question}".encode()).hexdigest()[:16],
            name=_short(answer.question),
            question=answer.question,
            intent=orjson.dumps(answer.trace.intent).decode(),
            answer_id=answer.id,
            answer_name=_short(answer.text),
            text=answer.text,
            payload=answer.model_dump_json(),
            created=answer.created.isoformat(),
            path=answer.trace.path,
            model=answer.trace.model,
            version=answer.trace.versions.get("areorag", ""),
            found=answer.found,
        )
        tx.run("answer_used", answer_id=answer.id, used=used)
        tx.run("answer_cites", answer_id=answer.id, cites=cites)
        tx.run("answer_cites_passages", answer_id=answer.id, cites=cites)
        tx.run("answer_conflicts", answer_id=answer.id, conflicts=[c.id for c in answer.conflicts])

    db.transact(work)


def load(db: Database, answer_id: str) -> Answer:
    """The answer as it was given.

    Raises
    ------
    UnknownNameError
        There is none with that id; the message names recent ones.
    """
    rows = db.read("answer_by_id", id=answer_id)
    if not rows:
        recent = ", ".join(r["id"] for r in db.read("answer_recent"))
        hint = f"Recent ones: {recent}" if recent else "None has been given yet: ask with  areorag ask"
        raise UnknownNameError(f"no answer {answer_id!r} in this graph. {hint}")
    return Answer.model_validate_json(rows[0]["payload"])


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _NAME_LENGTH else text[: _NAME_LENGTH - 1] + "…"
