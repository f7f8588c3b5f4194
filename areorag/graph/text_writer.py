"""Writes documents, passages and fact hyperedges; replaces and deletes by document (AreoRAG §III-B.1, text side).

``(:Hyperedge:Fact)-[:STATED_IN]->(:Passage)-[:STATED_IN]->(:Document)``; facts bind entities shared with observations,
assert claims, and, where they speak of a place, carry its position, depth and cells and are ABOUT the nearest
co-locations. A batch of passages is one transaction that holds everything they give, so a passage is either written
whole under its recipe or not at all: that is the checkpoint a later run resumes from.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cells import parse_cell, within_pairs
from .connection import Database, Transaction
from .ids import fold
from .model import Fact, Passage
from .rows import EntityRef, check_vector
from .writer import claim_parameters, entity_parameters

log = logging.getLogger(__name__)

_SWEEP = 2000


@dataclass(frozen=True)
class Place:
    """Where a fact is: coordinates of the hyperbolic embedding, point, cells. `source` says how it is known."""

    name: str
    body: str
    lonlat: tuple[float, float]
    hysh: dict[str, Any]
    cells: tuple[str, ...]
    radius_m: float


@dataclass(frozen=True)
class FactRow:
    """One fact, ready to write."""

    fact: Fact
    entities: tuple[EntityRef, ...]
    place: Place | None = None
    place_source: str | None = None


@dataclass(frozen=True)
class PassageRow:
    """One passage with its embedding and everything it gave."""

    passage: Passage
    recipe: str
    embedding: Sequence[float] | None
    embedder: str | None
    facts: tuple[FactRow, ...] = ()


@dataclass(frozen=True)
class DocumentRow:
    """A document with the properties to set on it."""

    id: str
    properties: dict[str, Any]


@dataclass
class TextCounts:
    """What was written."""

    passages: int = 0
    facts: int = 0
    claims: int = 0
    removed_passages: int = 0
    removed_entities: int = 0
    joined: int = 0


@dataclass
class TextWriter:
    """Writes passages of documents under one ingest run."""

    db: Database
    run_id: str
    run: dict[str, Any] = field(default_factory=dict)
    counts: TextCounts = field(default_factory=TextCounts)

    def begin(self, document: DocumentRow) -> None:
        """Create or update the document, in state ``writing``."""

        def work(tx: Transaction) -> None:
            tx.run("write_lock")
            self._documents(tx, [document], "writing")

        self.db.transact(work)

    def write(self, rows: Sequence[PassageRow]) -> None:
        """Write passages and what they gave, in one transaction; what they gave before is replaced."""
        ids = [r.passage.id for r in _checked(rows)]
        keep = sorted({c.id for r in rows for f in r.facts for c in f.fact.claims})

        def work(tx: Transaction) -> int:
            tx.run("write_lock")
            before = _touched(tx, ids)
            tx.run("text_clear_passages", ids=ids, keep=keep)
            joined = self._passages(tx, rows)
            _sweep(tx, *before)
            return joined

        self._count(rows, self.db.transact(work))

    def write_new(self, documents: Sequence[DocumentRow], rows: Sequence[PassageRow]) -> None:
        """Write documents that are not in the graph with all their passages, in one transaction, as ``complete``."""
        _checked(rows)

        def work(tx: Transaction) -> int:
            tx.run("write_lock")
            self._documents(tx, documents, "complete")
            return self._passages(tx, rows)

        self._count(rows, self.db.transact(work))

    def _documents(self, tx: Transaction, documents: Sequence[DocumentRow], state: str) -> None:
        tx.run("write_run", id=self.run_id, p=self.run)
        rows = [
            {"id": d.id, "p": {k: v for k, v in d.properties.items() if v is not None} | {"id": d.id, "state": state}}
            for d in sorted(documents, key=lambda d: d.id)
        ]
        tx.run("text_write_documents", rows=rows, run=self.run_id)

    def _passages(self, tx: Transaction, rows: Sequence[PassageRow]) -> int:
        """Number of ties to co-locations; rows are written in the order of their ids, so that locks are too."""
        rows = sorted(rows, key=lambda r: r.passage.id)
        tx.run("text_write_passages", rows=[_passage_parameters(r) for r in rows])
        return self._facts(tx, [(r, f) for r in rows for f in r.facts])

    def _count(self, rows: Sequence[PassageRow], joined: int) -> None:
        self.counts.joined += joined
        self.counts.passages += len(rows)
        self.counts.facts += sum(len(r.facts) for r in rows)
        self.counts.claims += sum(len(f.fact.claims) for r in rows for f in r.facts)

    def _facts(self, tx: Transaction, pairs: list[tuple[PassageRow, FactRow]]) -> int:
        if not pairs:
            return 0
        tx.run("text_write_facts", rows=[_fact_parameters(f) for _, f in pairs])
        facts = [f for _, f in pairs]
        entities: dict[str, EntityRef] = {}
        binds, claims, about, covers, reach = [], [], [], [], []
        for row in facts:
            to = {(ref.id, ref.role): {"e": ref.id, "role": ref.role} for ref in row.entities}
            for ref in row.entities:
                entities.setdefault(ref.id, ref)
            binds.append({"h": row.fact.id, "to": [to[k] for k in sorted(to)]})
            if row.fact.claims:
                claims.append({"h": row.fact.id, "claims": [claim_parameters(c) for c in row.fact.claims]})
                about += _about(row)
            if row.place is not None:
                covers.append({"h": row.fact.id, "cells": list(row.place.cells)})
                reach.append({"h": row.fact.id, "reach_m": max(5_000.0, 2.0 * row.place.radius_m)})
        tx.run("write_entities", rows=[entity_parameters(entities[k]) for k in sorted(entities)])
        tx.run("text_write_binds", rows=binds)
        if claims:
            tx.run("write_claims", rows=claims)
        if about:
            tx.run("write_about", rows=about)
        if not covers:
            return 0
        _write_cells(tx, covers)
        return int(tx.run("text_join_colocations", rows=reach)[0]["n"])

    def finish(self, document: DocumentRow, keep: Iterable[str], *, state: str = "complete") -> None:
        """Remove passages the document has no more; set its state: ``complete``, or ``partial`` to be tried again."""
        current = set(keep)
        rows = self.db.read("text_passage_ids", document_ids=[document.id])
        stale = [r["id"] for r in rows if r["id"] not in current]
        self.counts.removed_passages += len(stale)
        self.counts.removed_entities += remove_passages(self.db, stale)

        def work(tx: Transaction) -> None:
            tx.run("write_lock")
            self._documents(tx, [document], state)

        self.db.transact(work)


def remove_passages(db: Database, ids: Sequence[str], *, batch: int = 200) -> int:
    """Delete passages with their facts and claims, and what nothing else supports; number of entities removed."""
    removed = 0
    for lo in range(0, len(ids), batch):
        part = sorted(ids[lo : lo + batch])

        def work(tx: Transaction, part: list[str] = part) -> int:
            tx.run("write_lock")
            before = _touched(tx, part)
            tx.run("text_delete_passages", ids=part)
            return _sweep(tx, *before)

        removed += db.transact(work)
    return removed


def delete_documents(db: Database, ids: Iterable[str]) -> int:
    """Delete documents and their whole contribution; how many there were. Shared entities stay while supported.

    They are marked first, so that a later ingest reads them anew when this is cut short in the middle.
    """
    wanted = sorted(set(ids))
    if not wanted or not db.write("text_documents_going", ids=wanted)[0]["n"]:
        return 0
    remove_passages(db, [r["id"] for r in db.read("text_passage_ids", document_ids=wanted)])
    return int(db.write("text_delete_documents", ids=wanted)[0]["n"])


def _checked(rows: Sequence[PassageRow]) -> Sequence[PassageRow]:
    for row in rows:
        if row.embedding is not None:
            check_vector("embedding", row.passage.id, row.embedding)
    return rows


def _touched(tx: Transaction, ids: list[str]) -> tuple[list[str], list[str]]:
    found = tx.run("text_entities_of_passages", ids=ids)[0]
    return sorted(found["entities"]), sorted(found["cells"])


def _sweep(tx: Transaction, entities: list[str], cells: list[str]) -> int:
    """Remove those of the entities and cells that nothing supports any more."""
    removed = 0
    for lo in range(0, len(entities), _SWEEP):
        part = entities[lo : lo + _SWEEP]
        tx.run("text_sweep_synonyms", ids=part)
        removed += int(tx.run("text_sweep_entities", ids=part)[0]["n"])
    level = cells
    while level:
        level = sorted({row["id"] for row in tx.run("text_sweep_cells", ids=level)})
    return removed


def _write_cells(tx: Transaction, covers: list[dict[str, Any]]) -> None:
    pairs = within_pairs({c for row in covers for c in row["cells"]})
    cells = sorted({c for row in covers for c in row["cells"]} | {up for _, up in pairs})
    tx.run("write_cells", rows=[{"id": c, "order": parse_cell(c)[0], "index": parse_cell(c)[1]} for c in cells])
    tx.run("write_within", rows=[{"cell": c, "up": up} for c, up in pairs])
    tx.run("text_write_covers", rows=covers)


def _about(row: FactRow) -> list[dict[str, str]]:
    named = {fold(ref.name): ref.id for ref in row.entities}
    out = {
        (claim.id, named[fold(word)])
        for claim in row.fact.claims
        for word in (claim.subject, claim.property, claim.value or "")
        if fold(word) in named
    }
    return [{"claim": c, "e": e} for c, e in sorted(out)]


def _passage_parameters(row: PassageRow) -> dict[str, Any]:
    p = row.passage
    properties: dict[str, Any] = {
        "id": p.id,
        "document_id": p.document_id,
        "index": p.index,
        "start_char": p.start,
        "end_char": p.end,
        "text": p.text,
        "recipe": row.recipe,
    }
    if row.embedding is not None:
        properties |= {"embedding": list(row.embedding), "embedder": row.embedder}
    return {"id": p.id, "document_id": p.document_id, "p": properties}


def _fact_parameters(row: FactRow) -> dict[str, Any]:
    f, place = row.fact, row.place
    properties: dict[str, Any] = {
        "id": f.id,
        "document_id": f.document_id,
        "passage_id": f.passage_id,
        "start_char": f.start,
        "end_char": f.end,
        "quote": f.quote,
        "name": f.text if len(f.text) <= 80 else f.text[:77] + "...",
        "text": f.text,
        "confidence": f.confidence,
    }
    if place is not None:
        for name in ("rho", "depth", "direction", "lorentz", "scale_m", "embedding_version"):
            properties[name] = place.hysh[name]
        properties |= {"body": place.body, "place": place.name, "place_source": row.place_source}
        properties |= {"lon_deg": place.lonlat[0], "lat_deg": place.lonlat[1]}
    return {
        "id": f.id,
        "passage_id": f.passage_id,
        "p": properties,
        "xyz": place.hysh["position_xyz"] if place else None,
        "lonlat": list(place.lonlat) if place else None,
    }
