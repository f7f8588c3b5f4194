"""The trace of a reasoning run: as data, as a text tree for the terminal, as SVG for the audit page."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

_ROW, _WIDTH, _LEFT = 26, 860, 14
LEAP = "  (a target hyperedge: nothing leads to it)"


@dataclass
class Trace:
    """Everything a run did, JSON-able through `as_dict`."""

    question: str
    method: str
    anchors: list[dict[str, str]] = field(default_factory=list)
    targets: list[dict[str, Any]] = field(default_factory=list)
    subgraph: dict[str, int] = field(default_factory=dict)
    sketch: list[str] = field(default_factory=list)
    plans: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    trajectories: list[dict[str, Any]] = field(default_factory=list)
    budget: dict[str, Any] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """JSON form with both drawings under ``tree`` and ``svg``."""
        return {**self.__dict__, "tree": self.tree(), "svg": self.svg()}

    def lines(self) -> list[tuple[int, str, str]]:
        """(depth, kind, text) rows that both drawings show."""
        out = [(0, "question", self.question), (1, "note", f"method: {self.method}")]
        out.append((1, "anchor", "anchors: " + (", ".join(a["name"] for a in self.anchors) or "none")))
        graph = self.subgraph
        if graph:
            out.append((1, "note", f"subgraph: {graph.get('edges', 0)} hyperedges, {graph.get('nodes', 0)} entities"))
        out += [(1, "lost", f"rejected: {reason}") for reason in self.rejected]
        for plan in self.plans:
            out.append((1, "plan", f"plan ({plan['source']}), {len(plan['levels'])} levels"))
            for step in plan["steps"]:
                needs = f"  ← {', '.join('#' + str(d) for d in step['depends'])}" if step["depends"] else ""
                out.append((2, "plan", f"#{step['id']} {step['question']}{needs}"))
        for step in self.steps:
            out.append((1, "step", f"[{step['plan']}, level {step['level'] + 1}] #{step['step']} {step['question']}"))
            for answer in step["answers"]:
                out.append(
                    (2, "answer", f"{answer['score']:.2f}  {answer['name']}{LEAP if answer.get('leap') else ''}")
                )
                out += [(3, "edge", f"{e['kind'].lower()}: {e['text'][:110]}") for e in answer["path"]]
            if step["refined"]:
                out.append((2, "lost", step["refined"]))
        for k, t in enumerate(self.trajectories, start=1):
            out.append((1, "end", f"trajectory {k}: {t['score']:.2f}  " + " → ".join(t["answers"])))
        if self.budget.get("spent_by"):
            out.append((1, "lost", f"stopped by the budget: {self.budget['spent_by']}"))
        return out

    def tree(self) -> str:
        """Text tree, one line a row."""
        rows = self.lines()
        out = []
        for i, (depth, _, text) in enumerate(rows):
            if depth == 0:
                out.append(text)
                continue
            later = next((d for d, _, _ in rows[i + 1 :] if d <= depth), 0)
            bars = "".join(
                "│  " if any(d == k for d, _, _ in _until(rows[i + 1 :], k)) else "   " for k in range(1, depth)
            )
            out.append(f"{bars}{'├─ ' if later == depth else '└─ '}{text}")
        return "\n".join(out)

    def svg(self) -> str:
        """The same rows as a self-contained SVG (no script, no link, no font to load)."""
        rows = self.lines()[:160]
        height = _ROW * len(rows) + 2 * _LEFT
        colours = {
            "question": "#7a2e1d",
            "anchor": "#1f5f8b",
            "plan": "#5b4a8a",
            "step": "#333333",
            "answer": "#1c6b3c",
            "edge": "#6b6b6b",
            "lost": "#a33a2c",
            "end": "#1c6b3c",
            "note": "#6b6b6b",
        }
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'height="{height}" role="img" aria-label="Reasoning trace" font-family="sans-serif" font-size="13">'
            f'<rect width="{_WIDTH}" height="{height}" fill="#fffdf9"/>'
        ]
        last: dict[int, int] = {}
        for i, (depth, kind, text) in enumerate(rows):
            y = _LEFT + _ROW * i + 14
            x = _LEFT + 22 * depth
            if depth:
                top = last.get(depth - 1, y) + 5
                parts.append(f'<path d="M{x - 14} {top}V{y - 4}H{x - 4}" fill="none" stroke="#c9b8a8"/>')
            last[depth] = y
            weight = ' font-weight="bold"' if kind in ("question", "answer", "end") else ""
            room = max(20, (_WIDTH - x) // 7)
            shown = text if len(text) <= room else text[: room - 1] + "…"
            parts.append(f'<text x="{x}" y="{y}" fill="{colours[kind]}"{weight}>{escape(shown)}</text>')
        return "".join(parts) + "</svg>"


def _until(rows: list[tuple[int, str, str]], depth: int) -> list[tuple[int, str, str]]:
    """Rows until one that is less deep than `depth`."""
    out = []
    for row in rows:
        if row[0] < depth:
            break
        out.append(row)
    return out
