"""Spatial sparsity and conflict intensity (AreoRAG §IV, Q2): masked hyperedges and false copies, in memory only.

``mask``: a share of the records loses its place names and its incidence (what the hypergraph says they are bound to).
``inject``: a share of the records gets a false copy with a lower authority (by 0.05 to 0.5), as the paper perturbs them:

``place``    longitude mirrored and season half a year off; text and claims as the original
``flip``     the claim says the opposite (present, absent), or its number is ten times as large
``mineral``  the claim names another mineral

Copies are no answers: the gold does not know them. The graph is never written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graph.connection import Database
from ..graph.model import Claim, Observation
from ..graph.reader import observations
from ..retrieval.columns import Columns, topic_key
from ..retrieval.dense import semantic_text
from ..retrieval.engine import Retriever
from ..retrieval.spatial import SpatialIndex
from ..retrieval.spatial_arrays import FootprintArrays

MARK = "~false"
KINDS = ("place", "flip", "mineral")
_MINERALS = ("olivine", "hematite", "kaolinite", "Mg-carbonate", "hydrated silica", "polyhydrated sulfate")


class Masked(Columns):
    """Columns whose masked rows have no text in the hypergraph: expansion cannot pass through them."""

    def edge_vector(self, name: str) -> npt.NDArray[np.float32] | None:
        """As `Columns.edge_vector`; None for a masked row."""
        row = self.row_of.get(name)
        if row is not None and self.hashes[row] == MARK:
            return None
        return super().edge_vector(name)


@dataclass(frozen=True)
class Copy:
    """One false copy."""

    id: str
    origin: str
    kind: str
    authority: float
    seed: int


class Copies:
    """The false copies of an archive by id; records are made from their originals when they are asked for."""

    def __init__(self, db: Database, copies: Sequence[Copy] = ()) -> None:
        self.db = db
        self.by_id = {c.id: c for c in copies}
        self.of_origin = {c.origin: c.id for c in copies}
        self._made: dict[str, Observation] = {}

    def records(self, ids: Sequence[str]) -> list[Observation]:
        """Observations of ids, false copies included; read once."""
        missing = [i for i in ids if i not in self._made]
        if missing:
            origins = {i: self.by_id[i].origin if i in self.by_id else i for i in missing}
            found = {o.id: o for o in observations(self.db, list(dict.fromkeys(origins.values())))}
            for i, origin in origins.items():
                if origin in found:
                    self._made[i] = falsified(found[origin], self.by_id[i]) if i in self.by_id else found[origin]
        return [self._made[i] for i in ids if i in self._made]

    def partners(self, ids: Sequence[str], limit: int) -> list[str]:
        """What states the same as the given: as the graph knows it, and every copy beside its original."""
        real = [self.by_id[i].origin if i in self.by_id else i for i in ids]
        rows = self.db.read("answer_partners", ids=list(dict.fromkeys(real)), limit=limit)
        near = [*real, *(r["id"] for r in rows)]
        every = [*near, *(self.of_origin[i] for i in near if i in self.of_origin)]
        given = set(ids)
        # a copy's original and an original's copy first: they are the nearest to what was retrieved
        return [i for i in dict.fromkeys([*real, *(self.of_origin.get(i, i) for i in real), *every]) if i not in given]


def falsified(original: Observation, copy: Copy) -> Observation:
    """A false copy of a record."""
    update: dict[str, Any] = {
        "id": copy.id,
        "authority": copy.authority,
        "institution": f"copy of a product of {original.institution}",
        "product": original.product.model_copy(update={"data_id": copy.id}),
        "claims": [c.model_copy(update={"id": f"{c.id}{MARK}"}) for c in original.claims],
    }
    if copy.kind == "place":
        if original.position_lon_deg is not None:
            update["position_lon_deg"] = -original.position_lon_deg
        if original.ls_deg is not None:
            update["ls_deg"] = (original.ls_deg + 180.0) % 360.0
        update["footprint"] = None
    else:
        update["claims"] = [_false_claim(c, copy) for c in original.claims]
        text = original.text
        for old, new in zip(original.claims, update["claims"], strict=True):
            text = text.replace(old.text.rstrip("."), new.text.rstrip("."))
        update["text"] = text
    return original.model_copy(update=update)


def _false_claim(claim: Claim, copy: Copy) -> Claim:
    id_ = f"{claim.id}{MARK}"
    if copy.kind == "mineral":
        choice = [m for m in _MINERALS if m != claim.property]
        other = choice[copy.seed % len(choice)]
        text = claim.text.replace(claim.property, other)
        return claim.model_copy(update={"id": id_, "property": other, "value": other, "text": text})
    if claim.low is not None or claim.high is not None:
        low, high = (None if v is None else 10.0 * v for v in (claim.low, claim.high))
        shown = " to ".join(f"{v:g}" for v in (low, high) if v is not None)
        return claim.model_copy(
            update={"id": id_, "low": low, "high": high, "value": None,
                    "text": f"{claim.property} {shown} {claim.unit or ''} at {claim.subject}"}
        )  # fmt: skip
    polarity = "absent" if claim.polarity == "present" else "present"
    text = f"{claim.property} {'detected' if polarity == 'present' else 'not detected'} at {claim.subject}"
    return claim.model_copy(update={"id": id_, "polarity": polarity, "text": text})


def disturb(
    retriever: Retriever, columns: Columns, rows: list[dict[str, Any]], mask: float, inject: float, seed: int
) -> Copies:
    """Pin altered columns and outlines to a retriever; → the false copies.

    Parameters
    ----------
    columns, rows : the archive as it is (``spatial_all`` rows); neither is changed
    mask, inject : shares
    """
    rng = np.random.default_rng(seed)
    copies: list[Copy] = []
    if mask:
        columns = _masked(columns, rng.random(len(columns)) < mask)
    if inject:
        columns, false_rows, copies = _injected(retriever, columns, rows, inject, rng)
        rows = rows + false_rows
    body = retriever.gazetteer.body
    retriever.columns.pin(columns)
    retriever.pin_spatial(columns, SpatialIndex(None, body, arrays=FootprintArrays.from_rows(rows, body)))
    return Copies(retriever.db, copies)


def _masked(columns: Columns, hidden: npt.NDArray[np.bool_]) -> Columns:
    blank = np.vstack([columns.spatial, np.zeros((1, columns.spatial.shape[1]), dtype=np.float32)])
    vectors = columns.vectors.copy()
    vectors[hidden] = columns.semantic[columns.semantic_of[hidden]]
    changed = {
        "spatial": blank,
        "spatial_of": np.where(hidden, len(blank) - 1, columns.spatial_of),
        "vectors": vectors,
        "targets": [[] if h else t for h, t in zip(hidden, columns.targets, strict=True)],
        "hashes": [MARK if h else t for h, t in zip(hidden, columns.hashes, strict=True)],
    }
    return Masked(**{f.name: getattr(columns, f.name) for f in fields(columns)} | changed)


def _injected(
    retriever: Retriever, columns: Columns, rows: list[dict[str, Any]], share: float, rng: np.random.Generator
) -> tuple[Columns, list[dict[str, Any]], list[Copy]]:
    at = np.flatnonzero(rng.random(len(columns)) < share)
    claiming = {int(r) for found in columns.topic_rows.values() for r in found}
    copies = []
    for i in at:
        kinds = KINDS if int(i) in claiming else KINDS[:1]
        authority = max(0.05, float(columns.confidence[i]) - float(rng.uniform(0.05, 0.5)))
        kind = kinds[int(rng.integers(len(kinds)))]
        copies.append(Copy(columns.ids[i] + MARK, columns.ids[i], kind, authority, int(rng.integers(1 << 30))))
    where = {r["id"]: r for r in rows}
    false_rows = []
    for i, copy in zip(at, copies, strict=True):
        if copy.kind != "place" and copy.origin in where:
            false_rows.append(where[copy.origin] | {"id": copy.id})
        elif np.isfinite(columns.lon[i]) and copy.origin in where:
            false_rows.append({"id": copy.id, "footprint": None, "lon": -float(columns.lon[i]),
                               "lat": float(columns.lat[i])})  # fmt: skip
    every = np.concatenate([np.arange(len(columns)), at])
    out = columns.take(every, [*columns.ids, *(c.id for c in copies)])
    _alter(retriever, columns, out, copies)
    return out, false_rows, copies


def _alter(retriever: Retriever, before: Columns, out: Columns, copies: list[Copy]) -> None:
    """What the copies say and where they lie, into the appended rows of `out`."""
    n = len(before)
    made = {o.id: o for o in Copies(retriever.db, copies).records([c.id for c in copies if c.kind != "place"])}
    topics = {name: [int(r) for r in found] for name, found in before.topic_rows.items()}
    topics_of: dict[int, list[str]] = {}
    for name, found in before.topic_rows.items():
        for row in found:
            topics_of.setdefault(int(row), []).append(name)
    texts: list[int] = []
    for j, copy in enumerate(copies):
        row = n + j
        out.confidence[row] = copy.authority
        if copy.id in made:
            out.texts[row] = made[copy.id].text
            texts.append(row)
            names = {topic_key(v) for c in made[copy.id].claims for v in (c.property, c.value) if v}
        else:
            out.lon[row] = -out.lon[row]
            out.ls_deg[row] = np.mod(out.ls_deg[row] + 180.0, 360.0)
            names = set(topics_of.get(before.row_of[copy.origin], ()))
        for name in names:
            topics.setdefault(name, []).append(row)
    if texts:
        embed = retriever.embedder.embed
        out.vectors[texts] = np.asarray(embed([out.texts[r] for r in texts]), dtype=np.float32)
        words = [semantic_text(out.texts[r], out.targets[r]) for r in texts]
        masked = np.asarray(embed(words), dtype=np.float32)
        out.semantic_of[texts] = len(out.semantic) + np.arange(len(texts))
        out.semantic = np.vstack([out.semantic, masked])
        out.semantic_texts = [*out.semantic_texts, *(w.lower() for w in words)]
    out.topic_rows = {k: np.array(sorted(v), dtype=np.int64) for k, v in topics.items()}
