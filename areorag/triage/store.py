"""Conflicts in the graph: ``(:Conflict)-[:BETWEEN {side}]->(:Claim)`` with everything needed to derive them again.

A person's decision (`overrule`) is kept with who, when and why beside the classifier's own category, earlier decisions
in a history; later answers use it (`decisions`), and a later run of the classifier never overwrites it.
"""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

from ..errors import UnknownNameError
from ..graph.connection import Database
from ..settings import Settings

if TYPE_CHECKING:
    from .pict import Verdict

LIMIT = 1000


def properties(verdict: Verdict) -> dict[str, Any]:
    """The node's properties: category and probabilities, both signals, features, bridge with its numbers, confidences."""
    v = verdict
    told = v.p.get("none", 0.0)
    own = max((c for c in v.p if c != "none"), key=lambda c: v.p[c]) if v.overruled else v.category
    return {
        "name": f"{v.category}: {v.property}",
        "category": own if own != "none" else v.category,
        "sub_category": v.sub_category,
        "property": v.property,
        "subject": v.subject,
        "a_id": v.a_id,
        "b_id": v.b_id,
        "question": v.question,
        "h_inter": v.h_inter,
        "cross_support": v.cross_support,
        "epsilon": v.epsilon,
        **{f"p_{c}": float(x) for c, x in v.p.items() if c != "none"},
        "p_none": float(told),
        "c_base": [float(x) for x in v.c_base],
        "c_triage": [float(x) for x in v.c_triage],
        "kept": list(v.kept),
        "opaque": v.opaque,
        "abstained": v.abstained,
        "faulty_side": v.faulty_side,
        "bridge": v.bridge,
        "bridge_name": v.bridge_name,
        "bridge_source": v.bridge_source,
        "bridge_numbers": orjson.dumps(v.numbers, option=orjson.OPT_SERIALIZE_NUMPY).decode(),
        "explanation": v.explanation,
        "features": orjson.dumps(v.features, option=orjson.OPT_SERIALIZE_NUMPY).decode(),
        "delta_ls_deg": v.delta_ls_deg,
        "model": v.model,
    }


def write_conflicts(db: Database, verdicts: Sequence[Verdict]) -> int:
    """Write the detected conflicts between stored claims; → how many."""
    rows = [
        {"id": v.id, "claim_a": v.claim_ids[0], "claim_b": v.claim_ids[1], "properties": properties(v)}
        for v in verdicts
        if v.detected and all(v.claim_ids)
    ]
    if not rows:
        return 0
    return int(db.write("conflict_write", rows=sorted(rows, key=lambda r: r["id"]))[0]["n"])


def decisions(db: Database, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Decisions of people between claims of the hyperedges `ids`, by `pict.pair_key` of the two claims."""
    from .pict import pair_key

    out = {}
    for row in db.read("conflict_decisions", ids=list(ids)):
        if len(row["claims"]) == 2:
            out[pair_key(*row["claims"])] = {k: row[k] for k in ("category", "who", "when", "why")}
    return out


def login_name() -> str:
    """Name of the user who runs this; ``unknown`` where the system has none (a container with a bare uid)."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"


def overrule(db: Database, conflict_id: str, *, category: str, why: str, who: str | None = None) -> None:
    """Set a conflict's category by hand.

    Raises
    ------
    UnknownNameError
        There is no such conflict.
    """
    person = (who or "").strip() or login_name()
    if not db.write("conflict_overrule", id=conflict_id, category=category, who=person, why=why):
        raise UnknownNameError(f"no conflict {conflict_id!r} in this graph. List them with  areorag conflicts")


def list_conflicts(
    db: Database,
    settings: Settings,
    *,
    category: str | None = None,
    region: str | None = None,
    property: str | None = None,
) -> list[dict[str, Any]]:
    """Conflicts with their explanation, the latest first, at most 1,000.

    Raises
    ------
    UnknownNameError
        `region` is not a place known on the settings' body.
    """
    ids = None if region is None else _ids_in(db, settings, region)
    rows = [r["conflict"] for r in db.read("conflict_list", category=category, ids=ids, limit=LIMIT)]
    if property is None:
        return rows
    from ..planet.lexicon import get_lexicon

    lexicon = get_lexicon()
    wanted = {n.lower() for n in (property, *lexicon.narrower(property))}
    return [r for r in rows if lexicon.same(r["property"], property) or str(r["property"]).lower() in wanted]


def _ids_in(db: Database, settings: Settings, region: str) -> list[str]:
    from ..planet.gazetteer import Gazetteer
    from ..retrieval.spatial import SpatialIndex

    gazetteer = Gazetteer.load(settings.body)
    feature = gazetteer.find(region)
    if feature is None:
        near = [m.feature.name for m in gazetteer.lookup(region, fuzzy=True)][:3]
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise UnknownNameError(f"{region!r} is not a place known on {settings.body}.{hint}")
    return list(SpatialIndex(db, settings.body).candidates(feature.geography(), 0.0, "intersects", explain=False).ids)
