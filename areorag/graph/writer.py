"""Writes observation hyperedges: batched UNWIND in managed transactions, ids sorted, nothing overwritten.

Each batch is one transaction that first takes the writer's lock, so that two writers (on any machine) never interleave,
then looks at what is known of its ids, and writes only what differs:

* content not seen before → a node ``:Hyperedge:Observation`` with its incidence relationships;
* the content of the current record → nothing (or its computed values, when the embedding recipe changed);
* content seen before and retired, or forgotten → nothing;
* another content → the new record replaces the current one and ``SUPERSEDES`` it; or, where two files describe one
  product and the other says more, it is kept as the poorer one. The retired record keeps its properties and claims
  under the label ``:Superseded`` and leaves every index.

A batch is all or nothing: a killed run leaves whole batches, and writing again completes them to the same graph.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import DatabaseError
from .cells import parse_cell, within_pairs
from .connection import Database, Plain, Transaction, plain
from .cypher import query
from .decide import Planned, decide, product_key, reason, stems
from .ids import fold
from .model import Claim
from .rows import EntityRef, HyperedgeRow, check_row, content_hash, properties

log = logging.getLogger(__name__)


_STATEMENTS = (
    "observation_states", "known_products", "placeholders_by_key", "write_observations", "write_entities", "write_binds",
    "write_cells", "write_within", "write_covers", "create_products", "create_placeholders", "link_sources",
    "resolve_new_placeholders", "hysh_colocation_create", "hysh_entities_of",
)  # fmt: skip
"""What a batch of new rows and its co-locations run, all of it over a list: with an empty one, nothing is written."""


@dataclass
class WriteReport:
    """What a call wrote. `changed` lists the ids whose hyperedge is new or replaced, in order of writing; `forgotten`
    those that a tombstone holds back."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    kept: int = 0
    forgotten: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def add(self, other: WriteReport) -> None:
        """Add another report's counts to this one."""
        for name in ("added", "updated", "unchanged", "kept", "forgotten", "changed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class _Seen:
    """Shared nodes that this writer has committed: they need no second MERGE."""

    entities: set[str] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)


class ObservationWriter:
    """Writes rows under one ingest run. Reuse one writer for many calls: it remembers shared nodes.

    Parameters
    ----------
    run_id, run : id and first properties of the ``:IngestRun``; the node is made with the first thing written
    batch_size : rows of one transaction
    """

    def __init__(self, db: Database, run_id: str, *, run: dict[str, Any] | None = None, batch_size: int = 1000) -> None:
        self.db = db
        self.run_id = run_id
        self.run = {"name": run_id, **(run or {})}
        self.batch_size = batch_size
        self.run_written = False
        self._seen = _Seen()

    def warm(self) -> None:
        """Let a server that has just started load and plan what a batch of new rows runs; nothing is written."""

        def work(tx: Transaction) -> None:
            for name in _STATEMENTS:
                tx.run(name, **{p: self.run_id if p == "run" else [] for p in query(name).parameters})

        self.db.transact(work)

    def write(self, rows: Iterable[HyperedgeRow], *, look_first: bool = True) -> WriteReport:
        """Write rows; return what was done.

        `look_first` asks what is known before taking the lock, so that unchanged rows write nothing; a caller that has
        left out unchanged rows saves the question.

        Raises
        ------
        DatabaseError
            A vector is zero or not finite (nothing of its batch is written), or Neo4j failed.
        """
        report = WriteReport()
        for batch in _batches(rows, self.batch_size):
            report.add(self._in_memory(batch, look_first))
        return report

    def _in_memory(self, batch: list[HyperedgeRow], look_first: bool) -> WriteReport:
        """Write a batch; in halves where it is more than the server holds in one transaction."""
        try:
            return self._batch(batch, look_first)
        except DatabaseError as exc:
            if len(batch) == 1 or "memory.transaction" not in str(exc):
                raise
            log.info("%d rows are more than one transaction holds (%s): written in halves", len(batch), exc)
        report, middle = WriteReport(), len(batch) // 2
        for part in (batch[:middle], batch[middle:]):
            report.add(self._in_memory(part, look_first))
        return report

    def _batch(self, batch: list[HyperedgeRow], look_first: bool) -> WriteReport:
        for row in batch:
            if row.node is None:  # what is prepared is checked
                check_row(row)
        digests = [row.digest or content_hash(row.observation) for row in batch]
        ids = [row.observation.id for row in batch]
        plan: list[Planned] = []
        if look_first:
            states = {s["id"]: s for s in self.db.read("observation_states", ids=ids)}
            plan = [decide(r, d, states.get(r.observation.id)) for r, d in zip(batch, digests, strict=True)]
        if not look_first or any(p.action not in ("unchanged", "forgotten") for p in plan):
            seen = _Seen()

            def work(tx: Transaction) -> list[Planned]:
                tx.run("write_lock")
                now = {s["id"]: s for s in tx.run("observation_states", ids=ids)}
                again = [decide(r, d, now.get(r.observation.id)) for r, d in zip(batch, digests, strict=True)]
                seen.entities.clear()
                seen.cells.clear()
                self._write(tx, [p for p in again if p.action not in ("unchanged", "forgotten")], seen)
                return again

            plan = self.db.transact(work)
            self._seen.entities |= seen.entities
            self._seen.cells |= seen.cells
            self.run_written = True
        return _report(plan)

    # ------------------------------------------------------------ one transaction
    def _write(self, tx: Transaction, plan: list[Planned], seen: _Seen) -> None:
        if not plan:
            return
        tx.run("write_run", id=self.run_id, p=self.run)
        replace = [p for p in plan if p.action == "replace"]
        current = [p for p in plan if p.action in ("new", "replace")]
        kept = [p for p in plan if p.action == "keep"]
        refresh = [p for p in plan if p.action == "refresh"]
        if replace:
            self._retire(tx, replace)
        if current:
            tx.run("write_observations", **with_vectors([_node(p) for p in current]))
            self._participants(tx, current, seen)
            self._cells(tx, current, seen)
            self._claims(tx, current, seen)
            self._products(tx, current)
        if refresh:
            tx.run("refresh_observations", rows=[_node(p) for p in refresh])
        if kept:
            self._keep(tx, kept)
        if replace:
            self._chain(tx, [(p, _tag(p.state["content_hash"])) for p in replace], move=True)
        if kept:
            self._chain(tx, [(p, _tag(p.digest)) for p in kept], move=False)

    def _retire(self, tx: Transaction, replace: list[Planned]) -> None:
        ids = [{"id": p.row.observation.id, "tag": _tag(p.state["content_hash"])} for p in replace]
        tx.run("supersede_observations", ids=ids)
        products = {p.row.observation.product.data_id: p for p in replace}
        known = tx.run("known_products", ids=sorted(products))
        rows = []
        for product in known:
            planned = products[product["data_id"]]
            old = f"{product['data_id']}@{_tag(planned.state['content_hash'])}"
            if not product["placeholder"]:
                rows.append({"data_id": product["data_id"], "old": old})
        tx.run("retire_products", rows=rows)
        for planned, row in ((products[r["data_id"]], r) for r in rows):
            planned.state["retired_product"] = row["old"]

    def _keep(self, tx: Transaction, kept: list[Planned]) -> None:
        """Records that are poorer than the current one: whole, under their own id, out of every index."""
        rows, products, links, claims = [], [], [], []
        for p in kept:
            o = p.row.observation
            tag = _tag(p.digest)
            name = f"{o.id}@{tag}"
            rows.append({**_node(p), "id": name, "of": o.id})
            data_id = f"{o.product.data_id}@{tag}"
            products.append({"data_id": data_id, "p": _product(o) | {"superseded": True, "data_id": data_id}})
            links.append({"id": name, "data_id": data_id})
            p.state["retired_product"] = data_id
            retired = [claim_parameters(c) | {"id": f"{c.id}@{tag}", "of": c.id} for c in o.claims]
            if retired:
                claims.append({"id": name, "claims": retired})
        tx.run("write_superseded", rows=rows)
        if claims:
            tx.run("write_superseded_claims", rows=claims)
        tx.run("write_products", rows=products)
        tx.run("write_from_product", rows=links, run=self.run_id)

    def _chain(self, tx: Transaction, items: list[tuple[Planned, str]], *, move: bool) -> None:
        """Tie current records to those they supersede, and remember every content seen."""
        rows = []
        hashes = []
        for p, tag in items:
            name = p.row.observation.id
            rows.append({"id": name, "old": f"{name}@{tag}", "reason": reason(p)})
            hashes.append({"id": name, "hashes": sorted({*(p.state.get("known_hashes") or []), p.digest})})
        if move:
            tx.run("move_supersedes", rows=rows)
            tx.run("hand_on_findings", rows=rows)
        versions = [
            {"data_id": p.row.observation.product.data_id, "old": p.state["retired_product"]}
            for p, _ in items
            if "retired_product" in p.state
        ]
        if versions:
            tx.run("write_product_versions", rows=versions)
        tx.run("write_supersedes", rows=rows)
        tx.run("write_known_hashes", rows=hashes)

    def _participants(self, tx: Transaction, current: list[Planned], seen: _Seen) -> None:
        binds = []
        entities: dict[str, EntityRef] = {}
        for p in current:
            to = []
            for ref in p.row.entities:
                entities.setdefault(ref.id, ref)
                to.append({"e": ref.id, "role": ref.role})
            if to:
                unique = {(t["e"], t["role"]): t for t in to}
                binds.append({"h": p.row.observation.id, "to": [unique[k] for k in sorted(unique)]})
        self._entities(tx, entities, seen)
        if binds:
            tx.run("write_binds", rows=binds)

    def _entities(self, tx: Transaction, entities: dict[str, EntityRef], seen: _Seen) -> None:
        fresh = [entities[k] for k in sorted(entities) if k not in self._seen.entities and k not in seen.entities]
        if fresh:
            tx.run("write_entities", rows=[entity_parameters(ref) for ref in fresh])
            seen.entities |= {ref.id for ref in fresh}

    def _cells(self, tx: Transaction, current: list[Planned], seen: _Seen) -> None:
        covers = [{"h": p.row.observation.id, "cells": list(p.row.cells)} for p in current if p.row.cells]
        if not covers:
            return
        done = self._seen.cells | seen.cells
        pairs = [pair for pair in within_pairs({c for row in covers for c in row["cells"]}) if pair[0] not in done]
        cells = sorted({c for row in covers for c in row["cells"]} | {up for _, up in pairs})
        fresh = [c for c in cells if c not in done]
        if fresh:
            rows = [{"id": c, "order": parse_cell(c)[0], "index": parse_cell(c)[1]} for c in fresh]
            tx.run("write_cells", rows=rows)
            tx.run("write_within", rows=[{"cell": c, "up": up} for c, up in pairs])
            seen.cells |= set(fresh)
        tx.run("write_covers", rows=covers)

    def _claims(self, tx: Transaction, current: list[Planned], seen: _Seen) -> None:
        rows, about = [], []
        entities: dict[str, EntityRef] = {}
        for p in current:
            claims = p.row.observation.claims
            if not claims:
                continue
            rows.append({"h": p.row.observation.id, "claims": [claim_parameters(c) for c in claims]})
            named = {fold(ref.name): ref for ref in p.row.entities}
            for c in claims:
                for word in (c.subject, c.property, c.value or ""):
                    ref = named.get(fold(word))
                    if ref is not None:
                        entities.setdefault(ref.id, ref)
                        about.append({"claim": c.id, "e": ref.id})
        if rows:
            tx.run("write_claims", rows=rows)
        if about:
            tx.run("write_about", rows=about)

    def _products(self, tx: Transaction, current: list[Planned]) -> None:
        products: dict[str, dict[str, Any]] = {}
        derived: dict[str, dict[str, Any]] = {}
        links = []
        for p in current:
            o = p.row.observation
            data_id = o.product.data_id
            products.setdefault(data_id, {"data_id": data_id, "p": _product(o)})
            links.append({"id": o.id, "data_id": data_id})
            if o.derived_from:
                sources = [_source(name) for name in o.derived_from if name and name != data_id]
                derived.setdefault(data_id, {"data_id": data_id, "sources": sources})
        ordered = [products[k] for k in sorted(products)]
        known = {r["data_id"]: r for r in tx.run("known_products", ids=sorted(products))}
        fresh = [{"id": link["id"], **products[link["data_id"]]} for link in links if link["data_id"] not in known]
        once = {row["data_id"]: row for row in fresh}
        if once:  # nothing to compare with: made and tied in one statement
            tx.run("create_products", rows=[once[k] for k in sorted(once)], run=self.run_id)
        rest = [link for link in links if once.get(link["data_id"], {}).get("id") != link["id"]]
        if rest:
            tx.run("write_products", rows=[r for r in ordered if r["data_id"] in known])
            tx.run("write_from_product", rows=rest, run=self.run_id)
        lids = [{"data_id": r["data_id"], "lid": r["p"]["lid"]} for r in ordered if r["p"].get("lid")]
        if lids:
            tx.run("resolve_lids", rows=lids)
        before = sorted(k for k, r in known.items() if r["placeholder"])
        if before:
            tx.run("drop_stem_links", ids=before)
        self._stand_ins(tx, [r["data_id"] for r in ordered])
        if derived:
            self._sources(tx, [derived[k] for k in sorted(derived)])

    def _stand_ins(self, tx: Transaction, data_ids: list[str]) -> None:
        """Products that a source named without suffix may mean: tied to what is derived from it."""
        of = {data_id: stems(data_id) for data_id in data_ids}
        named = {r["key"] for r in tx.run("placeholders_by_key", keys=sorted({k for ks in of.values() for k in ks}))}
        rows = [{"data_id": d, "stems": [k for k in ks if k in named]} for d, ks in of.items() if named & set(ks)]
        if rows:
            tx.run("resolve_placeholders", rows=rows)

    def _sources(self, tx: Transaction, rows: list[dict[str, Any]]) -> None:
        """Tie derived products to their sources; one that is not there yet gets a placeholder."""
        plain = {s["data_id"]: s for row in rows for s in row["sources"] if not s["lid"]}
        known = {r["data_id"]: r for r in tx.run("known_products", ids=sorted(plain))}
        fresh = [plain[k] for k in sorted(plain) if k not in known]
        if fresh:
            tx.run("create_placeholders", rows=fresh)
        direct = [{**row, "sources": [s for s in row["sources"] if not s["lid"]]} for row in rows]
        tx.run("link_sources", rows=[row for row in direct if row["sources"]])
        with_lid = [{**row, "sources": [s for s in row["sources"] if s["lid"]]} for row in rows]
        with_lid = [row for row in with_lid if row["sources"]]
        if with_lid:
            tx.run("write_derived_from", rows=with_lid)
        named = {k for k in plain if k not in known or known[k]["placeholder"]}
        open_ = [{**row, "sources": [s for s in row["sources"] if s["lid"] or s["data_id"] in named]} for row in rows]
        open_ = [row for row in open_ if row["sources"]]
        if open_:
            tx.run("resolve_new_placeholders", rows=open_)


def write_observations(
    db: Database, rows: Iterable[HyperedgeRow], run_id: str, *, batch_size: int = 1000
) -> WriteReport:
    """Write observation hyperedges under the run `run_id` (see `ObservationWriter`)."""
    return ObservationWriter(db, run_id, batch_size=batch_size).write(rows)


# ---------------------------------------------------------------- parameters
def _batches(rows: Iterable[HyperedgeRow], size: int) -> Iterator[list[HyperedgeRow]]:
    """Batches in which every id stands once, sorted by id; a repeated id waits for the next batch."""
    batch: dict[str, HyperedgeRow] = {}
    waiting: list[HyperedgeRow] = []
    for row in rows:
        if row.observation.id in batch:
            waiting.append(row)
        else:
            batch[row.observation.id] = row
        if len(batch) + len(waiting) >= size:
            yield [batch[k] for k in sorted(batch)]
            batch = {}
            for late in waiting:
                if late.observation.id not in batch:
                    batch[late.observation.id] = late
            waiting = [w for w in waiting if batch.get(w.observation.id) is not w]
    while batch:
        yield [batch[k] for k in sorted(batch)]
        batch, rest = {}, waiting
        waiting = []
        for late in rest:
            if late.observation.id in batch:
                waiting.append(late)
            else:
                batch[late.observation.id] = late


def _report(plan: Sequence[Planned]) -> WriteReport:
    report = WriteReport()
    for p in plan:
        if p.action == "new":
            report.added += 1
        elif p.action in ("replace", "refresh"):
            report.updated += 1
        elif p.action == "keep":
            report.kept += 1
        elif p.action == "forgotten":
            report.forgotten.append(p.row.observation.id)
        else:
            report.unchanged += 1
        if p.action in ("new", "replace", "refresh"):
            report.changed.append(p.row.observation.id)
    return report


def _tag(digest: str) -> str:
    return digest[:8]


def _node(p: Planned) -> dict[str, Any]:
    return p.row.node or node_parameters(p.row, p.digest)


def with_vectors(nodes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Parameters of ``write_observations``: rows whose text is the same share one vector, which is sent once."""
    vectors: dict[int, int] = {}
    lists: list[Any] = []
    rows = []
    for node in nodes:
        properties = dict(node["p"])
        vector = properties.pop("embedding", None)
        at = None
        if vector is not None:
            at = vectors.get(id(vector))
            if at is None:
                at = vectors[id(vector)] = len(lists)
                lists.append(vector)
        rows.append(Plain({**node, "p": properties, "vector": at}))
    return {"rows": rows, "vectors": lists}


def prepare(row: HyperedgeRow) -> HyperedgeRow:
    """A row checked, and with everything made that needs no database, so that its transaction is short.

    Raises
    ------
    DatabaseError
        A vector is zero or not finite.
    """
    check_row(row)
    digest = row.digest or content_hash(row.observation)
    return dataclasses.replace(row, digest=digest, node=node_parameters(row, digest))


def node_parameters(row: HyperedgeRow, digest: str) -> dict[str, Any]:
    """A row of ``write_observations``: properties, position in metres, longitude and latitude."""
    o = row.observation
    xyz = list(row.hysh["position_xyz"]) if row.hysh else None
    lonlat: list[float] | None = None
    if o.position_lon_deg is not None and o.position_lat_deg is not None:
        lonlat = [o.position_lon_deg, o.position_lat_deg]
    elif xyz is not None:
        lonlat = [math.degrees(math.atan2(xyz[1], xyz[0])), math.degrees(math.atan2(xyz[2], math.hypot(*xyz[:2])))]
    return Plain(plain({"p": properties(row, digest), "xyz": xyz, "lonlat": lonlat}))


def entity_parameters(ref: EntityRef) -> dict[str, Any]:
    """A row of ``write_entities``."""
    extra = {k: v for k, v in ref.properties.items() if k not in ("id", "lonlat", "xyz") and v is not None}
    return {
        "id": ref.id,
        "label": ref.label,
        "p": {"name": ref.name, **extra},
        "lonlat": ref.properties.get("lonlat"),
        "xyz": ref.properties.get("xyz"),
    }


def claim_parameters(claim: Claim) -> dict[str, Any]:
    """Properties of a ``:Claim`` node."""
    data: dict[str, Any] = {k: v for k, v in claim.model_dump().items() if v is not None}
    data["name"] = " ".join(str(data[k]) for k in ("subject", "property", "value") if data.get(k))[:120]
    return data


def _product(o: Any) -> dict[str, Any]:
    product = {k: v for k, v in o.product.model_dump().items() if v is not None}
    level = {"level": o.processing_level} if o.processing_level else {}
    return {**product, **level, "name": o.product.data_id, "key": product_key(o.product.data_id)}


def _source(name: str) -> dict[str, Any]:
    """A source as a label names it: a logical identifier loses its version, anything else is a DataID."""
    lid = name.split("::")[0] if name.lower().startswith("urn:") else None
    data_id = lid or name
    return {"data_id": data_id, "lid": lid, "key": product_key(data_id)}
