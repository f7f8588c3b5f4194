"""Entities in hyperbolic space: from their own size, else by the outward midpoint of their hyperedges (METHODS §1).

A feature of the gazetteer has a diameter and a centre: its depth is ln(ℓ_max/diameter), as if it were a sample of that
size. A target without an extent of its own (a rock, an outcrop) takes the outward midpoint of the observations bound to
it. `placed_by` on the node says which.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..hyperbolic.embedding import place_entity
from ..hyperbolic.lorentz import from_polar

if TYPE_CHECKING:
    from ..settings import Settings
    from .connection import Database

log = logging.getLogger(__name__)

MEMBERS = 500
"""Hyperedges that place an entity: the first so many by id."""
_BATCH = 2000


def place_entities(db: Database, settings: Settings, observation_ids: Iterable[str] | None = None) -> int:
    """Place the features and targets bound by some observations (None: all that are bound by any).

    Returns the number of entities placed. Call it after the observations are written.
    """
    if observation_ids is None:
        observation_ids = [row["id"] for row in db.read("hysh_observation_ids")]
    ids = sorted(set(observation_ids))
    names: set[str] = set()
    for start in range(0, len(ids), _BATCH):
        names |= {row["id"] for row in db.read("hysh_entities_of", ids=ids[start : start + _BATCH])}
    wanted, placed = sorted(names), 0
    for start in range(0, len(wanted), _BATCH):
        rows = db.read("hysh_entities_to_place", ids=wanted[start : start + _BATCH], most=MEMBERS)
        out = [p for p in (_place(row, settings) for row in rows) if p is not None]
        db.write("hysh_place_entities", rows=out)
        placed += len(out)
    return placed


def _place(row: dict[str, Any], settings: Settings) -> dict[str, Any] | None:
    from ..planet.bodies import get_body
    from ..planet.coordinates import to_unit

    members = [m for m in row["members"] if m["rho"] is not None and m["direction"]]
    dims = {len(m["direction"]) for m in members}
    sized = bool(row["diameter_m"]) and row["lon_deg"] is not None and row["lat_deg"] is not None
    ell_max = settings.ell_max_m or get_body(row["body"] or settings.body).radius_m
    K = settings.curvature
    if sized and dims <= {3}:
        rho, u = place_entity(
            size_m=row["diameter_m"], direction=to_unit(row["lon_deg"], row["lat_deg"]), ell_max_m=ell_max, K=K
        )
        by = "size"
    elif members and len(dims) == 1:
        points = ([m["rho"] for m in members], [m["direction"] for m in members])
        rho, u = place_entity(members=points, ell_max_m=ell_max, K=K, p=settings.oem_power)
        by = "hyperedges"
    else:
        return None
    lorentz = from_polar(rho, u, K)
    return {
        "id": row["id"],
        "rho": rho,
        "depth": float(lorentz[0]),
        "direction": u.tolist(),
        "lorentz": lorentz.tolist(),
        "placed_by": by,
    }
