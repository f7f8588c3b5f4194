"""Why a candidate was kept or dropped, and what to say when nothing was found (UX: explain, nothing found)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..planet.units import length
from .columns import Columns
from .filters import Constraint
from .intent.model import SpatialIntent
from .intent.resolve import QueryRegion

if TYPE_CHECKING:
    from .ranking import Ranked
    from .spatial import SpatialIndex

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
MAX_EXPLAINED = 60
FAR_M = 300_000.0
"""Records further from the place asked say nothing about the question: they are not shown as what was near."""


def explain_candidates(
    columns: Columns,
    rows: IntArray,
    distance_m: FloatArray,
    tests: list[Constraint],
    ranked: Ranked | None,
    kept: list[str],
    region: QueryRegion,
    limit: int = MAX_EXPLAINED,
) -> list[dict[str, Any]]:
    """``{id, fate, why, scores}``: the kept, then the ranked that were not kept, then those a constraint dropped."""
    out: list[dict[str, Any]] = []
    place = "" if not region.bounded else "in place, "
    if ranked is not None:
        for n, i in enumerate(ranked.order[: limit * 2]):
            id_ = columns.ids[ranked.rows[i]]
            d = float(ranked.distance_m[i])
            where = place if d == 0 or not np.isfinite(d) else f"{length(d)} away, "
            layer = int(ranked.layer[i])
            front = "on the Pareto front" if layer == 0 else f"Pareto layer {layer}"
            fate = "kept" if id_ in kept else "dropped"
            why = f"{where}{front}, rank {n + 1}"
            if fate == "dropped":
                why += ": others cover more of the question" if n < len(kept) else ": lower score"
            out.append({"id": id_, "fate": fate, "why": why, "scores": ranked.scores_of(int(i))})
    out.sort(key=lambda r: r["fate"] != "kept")
    out = out[:limit]
    shown = 0
    for j, row in enumerate(rows):
        failed = [t for t in tests if not t.mask[row]]
        if failed and shown < limit:
            why = "; ".join(_because(columns, int(row), t) for t in failed)
            d = float(distance_m[j]) if np.isfinite(distance_m[j]) else 0.0
            out.append(
                {"id": columns.ids[row], "fate": "dropped", "why": why, "scores": {"distance_m": d} if d else {}}
            )
            shown += 1
    return out


def _because(columns: Columns, row: int, test: Constraint) -> str:
    """Why one constraint drops a record, in words."""
    has = value_of(columns, row, test.name)
    if test.name == "not reference":
        return "it is the place of the question itself"
    if test.name.startswith("not "):
        return f"excluded by the question: {test.wanted}" + ("" if has == "another" else f", it is {has}")
    return f"{test.name}: {test.wanted} was asked, it has {has}"


def explain_outside(
    columns: Columns, region: QueryRegion, tests: list[Constraint], rows: IntArray, spatial: SpatialIndex, k: int = 3
) -> list[dict[str, Any]]:
    """The k nearest records that only the place drops: what else would have met the question, and how far it is."""
    if not region.bounded:
        return []
    inside = set(rows.tolist())
    meets = np.logical_and.reduce([t.mask for t in tests]) if tests else np.ones(len(columns), dtype=bool)
    out: list[dict[str, Any]] = []
    for id_, d in spatial.nearest(region.regions, 200):
        row = columns.row_of.get(id_)
        if row is None or row in inside or not meets[row] or len(out) == k or d > FAR_M:
            continue
        why = f"place: {length(float(d))} from the place asked" if d > 0 else "place: it only touches the place asked"
        out.append({"id": id_, "fate": "dropped", "why": why, "scores": {"distance_m": float(d)}})
    return out


def value_of(columns: Columns, row: int, name: str) -> str:
    """What a record has for a constraint, in words."""
    key = name.removeprefix("not ")
    if key == "source":
        return columns.coded["instrument"].value(row) or columns.coded["platform"].value(row) or "none"
    if key in ("instrument", "platform", "kind"):
        return columns.coded[key].value(row) or "none"
    numbers: dict[str, tuple[FloatArray, Callable[[float], str]]] = {
        "resolution": (columns.resolution_m, length),
        "season": (columns.ls_deg, lambda v: f"Ls {v:.1f}°"),
        "Mars Year": (columns.mars_year, lambda v: f"MY {int(v)}"),
        "sol": (columns.sol, lambda v: f"sol {int(v)}"),
        "date": (columns.start, _day),
    }
    if key not in numbers:
        return "another"
    column, words = numbers[key]
    value = float(column[row])
    return words(value) if np.isfinite(value) else "none"


def _day(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def relaxations(rows: IntArray, tests: list[Constraint], region: QueryRegion) -> list[str]:
    """What each single constraint costs: how many records there would be without it, most helpful first."""
    out: list[tuple[int, str]] = []
    for skip in tests:
        keep = np.ones(len(rows), dtype=bool)
        for test in tests:
            if test is not skip:
                keep &= test.mask[rows]
        if skip.name.startswith("not "):
            continue  # an exclusion is not offered for dropping
        n = int(keep.sum())
        if n:
            out.append((n, f"without the {skip.name} ({skip.wanted}): {n:,}"))
    if region.bounded and tests:
        everywhere = np.logical_and.reduce([t.mask for t in tests])
        n = int(everywhere.sum())
        if n:
            out.append((n, f"anywhere: {n:,}"))
    return [words for _, words in sorted(out, key=lambda p: (-p[0], p[1]))]


def nearest_records(
    columns: Columns, region: QueryRegion, tests: list[Constraint], spatial: SpatialIndex, k: int = 3
) -> list[tuple[str, float | None, tuple[str, ...]]]:
    """Records that come nearest: those that meet every other constraint, by distance; exclusions stay enforced."""
    firm = [t for t in tests if t.name.startswith("not ")]
    allowed = np.logical_and.reduce([t.mask for t in firm]) if firm else np.ones(len(columns), dtype=bool)
    soft = [t for t in tests if t not in firm]
    meets = np.logical_and.reduce([t.mask for t in soft]) if soft else np.ones(len(columns), dtype=bool)
    out: list[tuple[str, float | None, tuple[str, ...]]] = []
    if region.bounded:
        for id_, d in spatial.nearest(region.regions, 200):
            row = columns.row_of.get(id_)
            if row is None or not allowed[row]:
                continue
            misses = tuple(t.name for t in soft if not t.mask[row])
            out.append((id_, float(d), misses))
        out.sort(key=lambda n: (len(n[2]) + ((n[1] or 0.0) > FAR_M), n[1] or 0.0, n[0]))
        if out:
            return out[:k]
    rows = np.flatnonzero(allowed & meets)[:k] if soft else np.zeros(0, dtype=np.int64)
    if len(rows) == 0 and soft:
        failing = np.sum([~t.mask for t in soft], axis=0)
        order = np.lexsort((np.arange(len(columns)), failing + 99 * ~allowed))[:k]
        rows = order[allowed[order]]
    return [(columns.ids[r], None, tuple(t.name for t in soft if not t.mask[r])) for r in rows]


def empty_message(intent: SpatialIntent, region: QueryRegion, nearest: list[Any], relax: list[str], total: int) -> str:
    """What a person reads when nothing was found."""
    if total == 0:
        return "The graph is empty. Fill it with  areorag ingest PATH"
    lines = ["Nothing in the graph meets all of this."]
    understood = "  ·  ".join(f"{label} {text}" for label, text in intent.describe())
    lines.append(f"Understood   {understood or 'no constraint: only the words themselves'}")
    if region.unknown or intent.unresolved:
        lines.append(f"Not known    {', '.join(dict.fromkeys([*region.unknown, *intent.unresolved]))}")
    for item in nearest:
        away = (
            ""
            if item.distance_m is None
            else f", {length(item.distance_m)} from the place"
            if item.distance_m
            else ", in the place"
        )
        misses = f", but not the {' and the '.join(item.misses)} asked" if item.misses else ""
        lines.append(f"Nearest      {item.id}{away}{misses}")
    lines += [f"Relax        {words}" for words in relax[:3]]
    return "\n".join(lines)
