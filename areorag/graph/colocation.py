"""Co-location hyperedges in the graph, kept up to date incrementally (AreoRAG §III-B 2; see `colocation_index`).

``(:Hyperedge:Colocation {id: "colocation:" + focus})-[:GROUPS {pointer, witness}]->(:Observation)``. `pointer` is the
member's choice (its focus is this one), `witness` the focus's choice; the relationship to the focus itself has neither.
Every choice depends on one observation's neighbours only, so a new, changed or deleted observation rewrites the choices
of its neighbours and of nothing else. The hyperedge carries the outward midpoint of its members (METHODS §1) and binds
the features of its focus: the features *there*.

Two ways of writing, one outcome: a co-location of observations that have none yet is made whole by one statement; where
there are choices to take back, they are replaced one kind after the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ..hyperbolic.lorentz import from_polar
from ..hyperbolic.midpoint import outward_midpoint
from .colocation_index import ColocationIndex, ColocationRules, Site
from .placing import place_entities

if TYPE_CHECKING:
    from ..settings import Settings
    from .connection import Database, Transaction
    from .rows import HyperedgeRow

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int | None], None]
PREFIX = "colocation:"
_BATCH = 2000
_FRESH = 1000
_BULK_SHARE = 0.2
_BULK_LEAST = 2000


@dataclass(frozen=True)
class ColocationChange:
    """What an update did: observations examined anew, co-locations written, co-locations gone."""

    observations: int
    written: int
    removed: int


def rules_of(settings: Settings) -> ColocationRules:
    """The co-location rules that the settings ask for."""
    return ColocationRules(max_scale_ratio=settings.colocation_scale_ratio, max_gap_days=settings.colocation_gap_days)


def update_colocations(
    db: Database,
    observation_ids: Iterable[str],
    settings: Settings,
    *,
    rules: ColocationRules | None = None,
    progress: Progress | None = None,
    gathered: Gathered | None = None,
) -> ColocationChange:
    """Bring the co-locations up to date after observations were added, changed or deleted.

    Parameters
    ----------
    observation_ids : what was added, changed or deleted (deleted ones may be gone from the graph already; call with
        none to repair after deletions nobody reported)
    rules : default: those of the settings
    gathered : the observations that the caller has written; where they are all there are, none is read

    The outcome depends on the observations in the graph alone, not on the order of the calls. Features and targets
    bound by the observations are placed too (:mod:`placing`).
    """
    rules = rules or rules_of(settings)
    changed = set(observation_ids)
    index, dirty = _load(db, changed, rules, gathered)
    written, names = _create_fresh(db, index, dirty, rules, settings)
    removed = 0
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        pointers = [(index.focus(n), n) for n in batch if index.focus(n) != n]
        witnesses = [(n, w) for n in batch for w in index.witnesses(n)]
        w, r = db.transact(lambda tx, b=batch, p=pointers, q=witnesses: _write(tx, b, p, q, rules, settings))  # type: ignore[misc]
        written, removed = written + w, removed + r
        if progress:
            progress("co-locations", min(start + _BATCH, len(names)), len(names))
    if changed:
        place_entities(db, settings, changed)
    log.debug("co-locations: %d observations examined, %d written, %d removed", len(dirty), written, removed)
    return ColocationChange(len(dirty), written, removed)


def rebuild_colocations(
    db: Database, settings: Settings, *, rules: ColocationRules | None = None, progress: Progress | None = None
) -> ColocationChange:
    """Compute every co-location anew (after the rules changed); the outcome is that of incremental updates."""
    ids = [row["id"] for row in db.read("hysh_observation_ids")]
    return update_colocations(db, ids, settings, rules=rules, progress=progress)


def load_index(db: Database, settings: Settings, *, rules: ColocationRules | None = None) -> ColocationIndex:
    """Every observation of the graph in a :class:`ColocationIndex` (to look at, or to build the line graph)."""
    index = ColocationIndex(rules or rules_of(settings))
    index.fill(_sites(db.read("hysh_sites")))
    return index


# --- reading ----------------------------------------------------------------------------------------------------------


class Gathered:
    """What co-location needs of the observations written into a graph that held none: an index that grows with them.

    The pipeline adds each batch while the next one is written, so that nothing has to be read back afterwards. An
    index of sites added one by one is that of all sites at once.
    """

    def __init__(self, rules: ColocationRules) -> None:
        self.index = ColocationIndex(rules)
        self.ids: set[str] = set()

    def add(self, rows: Iterable[HyperedgeRow]) -> None:
        """Add rows as the graph holds them now; one that is there already is replaced."""
        for row in rows:
            site = site_of(row)
            self.ids.add(row.observation.id)
            if site is None:
                self.index.remove([row.observation.id])
            else:
                self.index.add([site])


def _load(
    db: Database, changed: set[str], rules: ColocationRules, gathered: Gathered | None
) -> tuple[ColocationIndex, set[str]]:
    """An index in which the neighbours of every dirty observation are complete, and the dirty ones."""
    companions: set[str] = set()
    if db.read("hysh_colocation_count")[0]["n"]:
        companions |= {row["id"] for row in db.read("hysh_colocation_companions", ids=sorted(changed))}
        companions |= {row["id"] for row in db.read("hysh_colocations_short")}
    total = int(db.read("hysh_observation_count")[0]["n"])
    if gathered is not None and len(gathered.ids) == total and gathered.index.rules == rules:
        index = gathered.index
        return index, changed | companions | {o for name in changed for o in index.neighbours(name)}
    index = ColocationIndex(rules)
    if len(changed) >= max(_BULK_LEAST, _BULK_SHARE * total):
        index.fill(_sites(db.read("hysh_sites")))
        near = {o for name in changed for o in index.neighbours(name)}
        return index, changed | near | companions
    loaded: set[str] = set()
    _load_around(db, changed, index, loaded)
    dirty = changed | companions | {o for name in changed for o in index.neighbours(name)}
    _load_around(db, dirty - changed, index, loaded)
    return index, dirty


def _load_around(db: Database, ids: set[str], index: ColocationIndex, loaded: set[str]) -> None:
    """Add the observations `ids` and all that share a cell with them, a cell above or a cell below."""
    wanted = sorted(ids)
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        found = {row["id"] for row in db.read("hysh_cell_companions", ids=batch)} | set(batch)
        new = sorted(found - loaded)
        loaded.update(new)
        for at in range(0, len(new), _BATCH):
            index.add(_sites(db.read("hysh_sites_by_id", ids=new[at : at + _BATCH])))


def site_of(row: HyperedgeRow) -> Site | None:
    """The site that the graph holds once a row is written; None where it takes no part, or its geometry is not known."""
    from ..planet.geometry import point

    o, hysh = row.observation, row.hysh or {}
    geog = row.geog
    if geog is None and o.footprint is None and o.position_lon_deg is not None and o.position_lat_deg is not None:
        geog = point(o.position_lon_deg, o.position_lat_deg)
    if geog is None:
        return None
    member = {k: hysh.get(k) for k in ("rho", "direction")}
    member |= {"id": o.id, "instrument": o.instrument, "xyz": hysh.get("position_xyz")}
    member["version"] = hysh.get("embedding_version")
    start, stop = _seconds(o.start), _seconds(o.stop)
    return Site(o.id, o.body, geog, hysh.get("rho"), start, stop, member)


def _sites(rows: Sequence[dict[str, Any]]) -> list[Site]:
    from ..errors import GeometryError
    from ..planet.geometry import footprint, point

    out = []
    for row in rows:
        try:
            if row["footprint"] is not None:
                geog = footprint(row["footprint"])
            elif row["lon"] is not None and row["lat"] is not None:
                geog = point(row["lon"], row["lat"])
            else:
                continue
        except GeometryError as exc:
            log.warning("observation %s takes no part in co-locations: %s", row["id"], exc)
            continue
        start, stop = _seconds(row["start"]), _seconds(row["stop"])
        member = {k: row[k] for k in ("id", "rho", "direction", "instrument", "xyz", "version")}
        out.append(Site(row["id"], row["body"] or "Mars", geog, row["rho"], start, stop, member))
    return out


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


# --- writing ----------------------------------------------------------------------------------------------------------


def _create_fresh(
    db: Database, index: ColocationIndex, dirty: set[str], rules: ColocationRules, settings: Settings
) -> tuple[int, list[str]]:
    """Make the co-locations whose focus and members have none yet; (made, the names still to be done).

    Such a co-location is known whole: whoever points to it is dirty, or it would be there. Any other is left to
    `_write`, with everyone who has a choice in it.
    """
    known = _known(db, dirty)
    chosen = {n: index.focus(n) for n in dirty if n in index}
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    spoilt: set[str] = set()
    for name, focus in chosen.items():
        seen = index.witnesses(name)
        if seen:
            _member(groups, name, name)
            for other in seen:
                _member(groups, name, other)["witness"] = True
        if focus != name:
            _member(groups, focus, focus)
            _member(groups, focus, name)["pointer"] = True
            if name in known or focus not in dirty:
                spoilt.add(focus)
        if name in known:
            spoilt.add(name)
    foci = sorted(groups.keys() - spoilt)
    for start in range(0, len(foci), _FRESH):
        batch = {f: groups[f] for f in foci[start : start + _FRESH]}
        rows = _whole(index, batch, rules, settings)
        spoilt |= db.transact(lambda tx, r=rows: _create(tx, r))  # type: ignore[misc]
    made = groups.keys() - spoilt
    rest = {n for n in dirty if n not in chosen or n in known}
    rest |= {n for n, f in chosen.items() if (f != n and f not in made) or (n in groups and n not in made)}
    return len(made), sorted(rest)


def _member(groups: dict[str, dict[str, dict[str, Any]]], focus: str, name: str) -> dict[str, Any]:
    return groups.setdefault(focus, {}).setdefault(name, {"id": name, "pointer": False, "witness": False})


def _known(db: Database, names: Iterable[str]) -> set[str]:
    """Which of some observations belong to a co-location or have one of their own."""
    if db.read("hysh_colocation_count")[0]["n"] == 0:
        return set()
    ids = sorted(names)
    batches = (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))
    return {row["id"] for batch in batches for row in db.read("hysh_colocation_known", ids=batch)}


def _whole(
    index: ColocationIndex, groups: dict[str, dict[str, dict[str, Any]]], rules: ColocationRules, settings: Settings
) -> list[dict[str, Any]]:
    """Rows of ``hysh_colocation_create``: focus → its members with their choices."""
    told = []
    for focus, members in groups.items():
        sites = [index.site(m) for m in sorted(members)]
        told.append({"id": PREFIX + focus, "focus": focus, "body": sites[0].body, "members": [s.member for s in sites]})
    rows = []
    for p, (focus, members) in zip(describe_many(told, rules, settings), groups.items(), strict=True):
        xyz = p.pop("position")
        rows.append({"xyz": xyz, "p": p | {"focus": focus}, "members": [members[m] for m in sorted(members)]})
    return rows


def _create(tx: Transaction, rows: list[dict[str, Any]]) -> set[str]:
    """Make co-locations; the foci of those that another process has made meanwhile are given back."""
    tx.run("write_lock")
    there = {row["focus"] for row in tx.run("hysh_colocation_there", ids=[row["p"]["id"] for row in rows])}
    tx.run("hysh_colocation_create", rows=[row for row in rows if row["p"]["focus"] not in there])
    return there


def _write(
    tx: Transaction,
    batch: list[str],
    pointers: list[tuple[str, str]],
    witnesses: list[tuple[str, str]],
    rules: ColocationRules,
    settings: Settings,
) -> tuple[int, int]:
    """Replace the choices of `batch`; describe the co-locations that changed. (written, removed)"""
    touched = {row["id"] for row in tx.run("hysh_colocation_unpoint", ids=batch)}
    touched |= {row["id"] for row in tx.run("hysh_colocation_unwitness", ids=batch)}
    tx.run("hysh_colocation_point", rows=[{"id": PREFIX + f, "focus": f, "member": m} for f, m in pointers])
    tx.run("hysh_colocation_witness", rows=[{"id": PREFIX + f, "focus": f, "member": m} for f, m in witnesses])
    touched |= {PREFIX + f for f, _ in pointers} | {PREFIX + f for f, _ in witnesses} | {PREFIX + n for n in batch}
    names = sorted(touched)
    tx.run("hysh_colocation_loosen", ids=names)
    removed = int(tx.run("hysh_colocation_drop_empty", ids=names)[0]["n"])
    rows = describe_many(tx.run("hysh_colocation_members", ids=names), rules, settings)
    tx.run("hysh_colocation_describe", rows=rows)
    tx.run("hysh_colocation_features", ids=[r["id"] for r in rows])
    return len(rows), removed


def describe(group: dict[str, Any], rules: ColocationRules, settings: Settings) -> dict[str, Any]:
    """`describe_many` of one."""
    return describe_many([group], rules, settings)[0]


def describe_many(groups: Sequence[dict[str, Any]], rules: ColocationRules, settings: Settings) -> list[dict[str, Any]]:
    """Properties of co-locations from their members: outward midpoint, the focus's position, words.

    Midpoints are computed for all groups of one size at once, to the same last digit as one by one.

    Parameters
    ----------
    groups : {id, focus, body, members: [{id, rho, direction, instrument, xyz, version}]}
    """
    rows = []
    alike: dict[tuple[int, int], list[tuple[dict[str, Any], list[dict[str, Any]]]]] = {}
    for group in groups:
        members = sorted(group["members"], key=lambda m: m["id"])
        row: dict[str, Any] = {"id": group["id"], "n": len(members), "rules": rules.version, "body": group["body"]}
        row |= dict.fromkeys(("rho", "depth", "direction", "lorentz", "embedding_version", "position"))
        placed = [m for m in members if m["rho"] is not None and m["direction"]]
        versions = {m["version"] for m in placed}
        if placed and len(versions) == 1:  # points of two embeddings have no midpoint
            row["embedding_version"] = versions.pop()
            alike.setdefault((len(placed), len(placed[0]["direction"])), []).append((row, placed))
        row |= _words(members, group["focus"])
        rows.append(row)
    for same in alike.values():
        rho = [[p["rho"] for p in placed] for _, placed in same]
        u = [[p["direction"] for p in placed] for _, placed in same]
        m = outward_midpoint(rho, u, None, settings.curvature, settings.oem_power)
        lorentz = from_polar(m.rho, m.u, settings.curvature)
        for i, (row, _) in enumerate(same):
            row |= {"rho": float(m.rho[i]), "depth": float(lorentz[i, 0])}
            row |= {"direction": m.u[i].tolist(), "lorentz": lorentz[i].tolist()}
    return rows


def _words(members: list[dict[str, Any]], focus: str) -> dict[str, Any]:
    """Position of the focus, name and text of a co-location."""
    from ..planet.coordinates import to_lonlat

    where, position = "", None
    xyz = next((m["xyz"] for m in members if m["id"] == focus), None)
    if xyz and xyz[0] is not None:
        position = xyz
        lon, lat = (float(v) for v in to_lonlat(np.array(xyz) / np.linalg.norm(xyz)))
        where = f" at {abs(lat):.3f}° {'N' if lat >= 0 else 'S'}, {lon % 360:.3f}° E"
    kinds = sorted({m["instrument"] for m in members if m["instrument"]})
    name = f"{len(members)} observations meet{where}"
    return {"position": position, "name": name, "text": f"{name}: {', '.join(kinds)}." if kinds else f"{name}."}
