"""How the results page is written: the headline table (figure, goal, measured), then one section a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_ROWS = 48


@dataclass(frozen=True)
class Head:
    """One line of the headline table: where the figure stands, the goal, and the scale it is shown on.

    `path` leads through the part's JSON; a list is searched for the entry whose fields equal ``[key=value]``.
    `at_least` False: smaller is better.
    """

    what: str
    part: str
    path: str
    goal: float | None
    unit: str = ""
    at_least: bool = True
    factor: float = 1.0


HEADLINE = (
    Head("questions read without a model, fields right", "intent", "fields", 90, "%"),
    Head("questions read without a model, wholly right", "intent", "whole", 70, "%"),
    Head("exact space, footprints missed (5,000 queries)", "spatial", "missed", 0, "", False),
    Head("exact space, footprints too many", "spatial", "extra", 0, "", False),
    Head("region questions, F1", "regions-ablations", "ablations[configuration=AreoRAG (full)].region_f1", None, "%"),
    Head("region questions, F1 of text-only RAG", "regions-ablations",
         "ablations[configuration=w/o both (text-only RAG)].region_f1", None, "%"),
    Head("season questions, F1", "regions-ablations", "ablations[configuration=AreoRAG (full)].temporal_f1", None, "%"),
    Head("season questions, F1 of text-only RAG", "regions-ablations",
         "ablations[configuration=w/o both (text-only RAG)].temporal_f1", None, "%"),
    Head("scientific conflicts kept in region questions (CPR)", "regions-ablations",
         "ablations[configuration=AreoRAG (full)].cpr", 97, "%"),
    Head("city questions answered (delivery)", "city", "delivery", None, "%"),
    Head("city, answers in the place asked (spatial dense pass)", "city", "spatial_dense_pass", None, "%"),
    Head("containment ranking, hyperbolic (MAP)", "containment", "closed.hyperbolic_d3", None),
    Head("containment ranking, plain distance on the ground (MAP)", "containment", "closed.chord_d3", None),
    Head("evidence selection, 2Wiki: all gold in 5", "selection-2wiki", "graph.all_gold", 88, "%"),
    Head("evidence selection, MuSiQue: all gold in 5", "selection-musique", "graph.all_gold", 50, "%"),
    Head("facts: all gold in 5", "facts", "all_gold.5", 55, "%"),
    Head("facts: all gold in 5, several hops", "facts", "by_hops.multi.all_gold.5", 30, "%"),
    Head("facts: all gold in 20", "facts", "all_gold.20", 75, "%"),
    Head("questions of 3 to 6 hops, right answer first", "reasoning", "full.hit1", None, "%"),
    Head("questions of 3 to 6 hops, right answer in the first five", "reasoning", "full.hit5", None, "%"),
    Head("extraction, elements (F1, folds)", "extraction", "Element.f1", 0.92),
    Head("extraction, minerals (F1, folds)", "extraction", "Mineral.f1", 0.85),
    Head("extraction, targets (F1, folds)", "extraction", "Target.f1", 0.75),
    Head("extraction, contains (F1, folds)", "extraction", "Contains.f1", 0.55),
    Head("labels parsed", "bench-adapters", "read.labels_per_s", 300, "per s"),
    Head("distances, ratio to geoopt (d = 64)", "bench-hyperbolic", "distances.d64.pairs.ratio_to_geoopt", 5, "×"),
    Head("distances, ratio to geoopt (d = 3)", "bench-hyperbolic", "distances.d3.pairs.ratio_to_geoopt", 5, "×"),
    Head("nearest by geodesic, recall@10", "bench-hyperbolic", "nearest.recall_at_10", 0.99),
    Head("spatial candidates, times faster than brute force", "bench-spatial", "sizes[-1].times_faster_than_brute", 20, "×"),
    Head("spatial candidates, times slower than a planar STRtree", "bench-spatial",
         "sizes[-1].times_slower_than_strtree", 10, "×", False),
    Head("question to evidence, p50", "bench-retrieval", "p50_ms", 60, "ms", False),
    Head("question to evidence, p95", "bench-retrieval", "p95_ms", 150, "ms", False),
    Head("cost against archive size, exponent (graph)", "bench-growth", "growth.graph.p50", 1, "", False),
    Head("cost against archive size, exponent (memory)", "bench-growth", "growth.memory.p50", 1, "", False),
    Head("index rows, file to co-locations (30,000 rows in 60 s)", "bench-ingest", "rows_per_s", 500, "per s"),
    Head("ingest writer against bare UNWIND", "bench-ingest", "ratio_to_bare", 0.7, "×"),
    Head("memory above the database while ingesting", "bench-ingest", "memory_mb", 500, "MB", False),
    Head("passages from files to the graph", "bench-text", "passages_per_s", 40, "per s"),
)  # fmt: skip
"""Goals are those set before anything was measured; a line without one has none."""


def find(result: Any, path: str) -> Any:
    """The value at a path, or None.

    >>> find({"a": [{"n": 1, "x": 2.0}, {"n": 3, "x": 4.0}]}, "a[n=3].x")
    4.0
    >>> find({"a": {"b": None}}, "a.c") is None
    True
    """
    for step in _steps(path):
        if isinstance(step, str):
            result = result.get(step) if isinstance(result, Mapping) else None
        elif isinstance(result, Sequence) and result:
            key, value = step
            result = result[-1] if key == "-1" else next((r for r in result if str(r.get(key)) == value), None)
        else:
            return None
    return result


def _steps(path: str) -> Iterator[str | tuple[str, str]]:
    while path:
        if path[0] == "[":
            inner, path = path[1:].split("]", 1)
            key, _, value = inner.partition("=")
            yield key, value
        else:
            end = min((i for i in (path.find("."), path.find("[")) if i >= 0), default=len(path))
            yield path[:end]
            path = path[end:]
        path = path.removeprefix(".")


def headline(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The table on top; a figure whose part has no result is left out."""
    lines = ["| figure | goal | measured | |", "|---|---|---|---|"]
    for h in HEADLINE:
        value = find(results.get(h.part, {}), h.path)
        if not isinstance(value, int | float):
            continue
        met = "" if h.goal is None else "met" if (value >= h.goal if h.at_least else value <= h.goal) else "**missed**"
        sign = "" if h.goal is None else ("≥ " if h.at_least else "≤ " if h.goal else "") + shown(h.goal, h.unit)
        scale = results[h.part].get("hyperedges") or results[h.part].get("scale")
        where = f" ({scale:,} records)" if isinstance(scale, int) else f" (scale {scale})" if scale else ""
        lines.append(f"| [{h.what}](#{h.part}){where} | {sign} | {shown(value, h.unit)} | {met} |")
    return "\n".join(lines) + "\n"


def shown(value: float, unit: str = "") -> str:
    """A number for people."""
    number = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value:.4g}"
    return f"{number} {unit}".rstrip()


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """(name, shown value) of every scalar; lists of records have tables of their own."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{prefix}{key} · ")
    elif isinstance(value, bool):
        yield prefix.rstrip(" ·"), "yes" if value else "no"
    elif isinstance(value, float):
        yield prefix.rstrip(" ·"), f"{value:.4g}"
    elif isinstance(value, int | str):
        yield prefix.rstrip(" ·"), str(value)


def records(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table of records; nested values are left to the JSON."""
    names = [
        k for k in dict.fromkeys(k for r in rows for k in r) if not any(isinstance(r.get(k), dict | list) for r in rows)
    ]
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for row in rows:
        cells = [row.get(n) for n in names]
        lines.append("| " + " | ".join("" if c is None else next(leaves(c))[1] for c in cells) + " |")
    return "\n".join(lines) + "\n"


def section(
    key: str,
    title: str,
    command: str,
    result: Mapping[str, Any],
    body: Callable[[Mapping[str, Any]], str] | None = None,
) -> str:
    """One part as Markdown; `body` writes it where the part has its own form."""
    lines = [f'<a id="{key}"></a>', "", f"## {title}", "", f"`{command}`", ""]
    if body is not None:
        return "\n".join([*lines, body(result)])
    scalars = [r for k, v in result.items() if not isinstance(v, list) for r in leaves(v, f"{k} · ")]
    if scalars:
        lines += ["| figure | value |", "|---|---|", *(f"| {name} | {text} |" for name, text in scalars[:MAX_ROWS])]
        if len(scalars) > MAX_ROWS:
            lines.append(f"| … | {len(scalars) - MAX_ROWS} more in results/{key}.json |")
        lines.append("")
    for name, value in result.items():
        if isinstance(value, list) and value and all(isinstance(r, dict) for r in value):
            lines += [f"{name}:", "", records(value)]
    return "\n".join(lines)
