"""Text facts as records that triage can compare with observations (AreoRAG §III-D: claims from anywhere).

A fact with claims is read as a derived record: its place, its document as the product, the instrument where it names
exactly one, and an authority that is its confidence, since a sentence is not a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .connection import Database
from .model import Claim, Observation, ProductRef

TEXT_AUTHORITY = 0.75
"""Authority of a plainly stated fact; hedged and uncertain ones have their confidence's share of it."""


def facts_near(
    db: Database,
    observation_ids: Iterable[str],
    properties: Sequence[str] = (),
    *,
    limit: int = 20,
    crowd: int = 20_000,
) -> list[Observation]:
    """Facts with claims about places or targets that the given observations bind, or about what these claim themselves.

    A gazetteer may know a drill target as part of a place; then the subject of both claims is what they share.

    Parameters
    ----------
    properties : lower-case words, one of which a claim's property must contain; () takes all
    limit : most facts, those about the rarest places and targets first
    crowd : places and targets that more hyperedges bind than this are left out: "Mars" says nothing about a place

    Returns
    -------
    Records of kind ``derived`` whose id is the fact's and whose product is the document.
    """
    ids, names = sorted(set(observation_ids)), [p.lower() for p in properties]
    rows = db.read("text_facts_near", ids=ids, properties=names, limit=limit, crowd=crowd)
    return [_record(row) for row in rows]


def _record(row: dict[str, Any]) -> Observation:
    fact = row["fact"]
    instruments = row["instruments"]
    known = Claim.model_fields
    claims = [Claim(**{k: v for k, v in c.items() if k in known and v is not None}) for c in row["claims"]]
    return Observation(
        id=fact["id"],
        kind="derived",
        body=fact.get("body") or "Mars",
        instrument=instruments[0] if len(instruments) == 1 else None,
        position_lon_deg=fact.get("lon_deg"),
        position_lat_deg=fact.get("lat_deg"),
        targets=sorted(row["targets"]),
        authority=round(TEXT_AUTHORITY * float(fact.get("confidence") or 0.5) ** 0.5, 3),
        product=ProductRef(data_id=row["document"], source_file=row["source_file"], sha256=row["sha256"]),
        claims=sorted(claims, key=lambda c: c.id),
        text=fact["quote"],
        meta={"document": row["title"], "passage_id": fact.get("passage_id")},
    )
