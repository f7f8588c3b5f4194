"""An answer as text for a terminal: what was understood, the answer, conflicts, sources (the shape users see first)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from .model import Answer, ConflictView, Source

WIDTH = 110


def _wrap(text: str, indent: str, first: str | None = None) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def conflict_lines(conflict: ConflictView, sources: dict[int, Source]) -> list[str]:
    """One conflict: head line with both sides and the probability, then the explanation with its numbers."""
    p = conflict.p.get(conflict.category, 0.0)
    what = conflict.category + (f" ({conflict.sub_category})" if conflict.sub_category else "")
    if conflict.opaque:
        what += ", unexplained"
    pair = f"[{conflict.a}] ↔ [{conflict.b}]"
    head = f"  {conflict.letter}  {what:<22} {pair:<12} p = {p:.2f}   {conflict.property}"
    lines = [head]
    if conflict.overruled:
        lines.append(_wrap(f"Set by a person: {conflict.overruled}", " " * 5))
    lines.append(_wrap(conflict.explanation, " " * 5))
    before, after = conflict.confidence_before, conflict.confidence_after
    if all(conflict.kept):
        fate = f"Kept both. Confidence {before[0]:.2f} → {after[0]:.2f}, {before[1]:.2f} → {after[1]:.2f}."
    else:
        out = conflict.a if not conflict.kept[0] else conflict.b
        fate = f"[{out}] is left out of the answer, still in the graph."
    lines.append(" " * 5 + fate)
    if conflict.would_settle:
        near = f" Nearest existing: {conflict.nearest}." if conflict.nearest else ""
        lines.append(_wrap(f"Would settle {conflict.letter}: {conflict.would_settle}.{near}", " " * 5))
    return lines


def source_line(source: Source) -> str:
    """``[1] ID  instrument · institution · resolution · time  sha256 … label: file``."""
    tail = []
    if source.sha256:
        tail.append(f"sha256 {source.sha256[:8]}…")
    if source.source_file:
        tail.append(f"label: {source.source_file}")
    mark = "" if source.kept else "  (left out)"
    return f"  [{source.n}] {source.id}   {source.label()}   {'   '.join(tail)}{mark}".rstrip()


def answer_text(answer: Answer, *, explain: bool = False) -> str:
    """The whole answer as plain text."""
    trace = answer.trace
    out: list[str] = []
    if trace.read_as:
        out.append(_wrap("  ·  ".join(trace.read_as), " " * 10, "Read as   "))
    if trace.stages:
        chain = " → ".join(f"{n:,} {what}" for what, n in trace.stages)
        cover = f" (coverage {trace.coverage:.2f})" if trace.coverage is not None else ""
        out.append(_wrap(f"{chain}{cover}   {trace.seconds.get('total', 0.0):.2f} s", " " * 10, "Searched  "))
    out += ["", "Answer"]
    if answer.sentences:
        for sentence in answer.sentences:
            see = f" See {', '.join(sentence.conflicts)}." if sentence.conflicts else ""
            out.append(_wrap(str(sentence) + see, "  "))
    else:
        out += [_wrap(line, " " * 15, "  ") for line in answer.text.splitlines()]
    sources = {s.n: s for s in answer.sources}
    if answer.conflicts:
        out += ["", "Conflicts"]
        for conflict in answer.conflicts:
            out += conflict_lines(conflict, sources)
    if answer.suggestions:
        out += ["", "Next"] + [_wrap(s, "    ", "  - ") for s in answer.suggestions]
    if answer.sources:
        out += ["", "Sources"] + [source_line(s) for s in answer.sources]
    if trace.reasoning and trace.reasoning.get("tree"):
        out += ["", "Reasoning"] + ["  " + line for line in str(trace.reasoning["tree"]).splitlines()]
    if trace.removed_citations:
        out += ["", "Removed   citations that are in no source: " + ", ".join(trace.removed_citations)]
    if explain and trace.explain:
        out += ["", "Explanation", *explain_lines(trace.explain)]
        if trace.lambdas:
            out.append("  λ  " + "  ".join(f"{k} {v:.2f}" for k, v in trace.lambdas.items()))
    path = {
        "composed": "composed without a language model (set one with AREORAG_LLM)",
        "language model": f"written by {trace.model}, citations checked",
        "reasoning": "planned reasoning over the hypergraph" + (f" with {trace.model}" if trace.model else ""),
    }[trace.path]
    out += ["", f"Path      {path}", f"Audit     areorag audit {answer.id} --html {answer.id}.html"]
    out += [f"Note      {n}" for n in trace.notes]
    return "\n".join(out).strip("\n")


def explain_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The candidates that were ranked, one a line; then those a constraint dropped, together with what they have."""
    out = [explain_line(r) for r in rows if _dropped_by(r) is None]
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        found = _dropped_by(row)
        if found is not None:
            groups.setdefault(found[0], []).append((str(row["id"]), found[1]))
    for cause, members in groups.items():
        by_value: dict[str, list[str]] = {}
        for id_, value in members:
            by_value.setdefault(value, []).append(id_)
        common = sorted(by_value.items(), key=lambda p: (-len(p[1]), p[0]))
        if len(common) > len(members) // 2:  # numbers: a few examples say more than a count
            shown = [f"{ids[0]} ({value})" for value, ids in common[:3]]
            rest = len(members) - len(shown)
        else:
            shown = [f"{len(ids)} {value}" if len(ids) > 1 else f"{ids[0]} ({value})" for value, ids in common[:6]]
            rest = len(members) - sum(len(ids) for _, ids in common[:6])
        more = f" and {rest} more" if rest else ""
        out.append(_wrap(f"{cause}: {', '.join(shown)}{more}", " " * 11, f"  dropped  {len(members)} by "))
    return out


def _dropped_by(row: dict[str, Any]) -> tuple[str, str] | None:
    """(constraints, what the record has instead) of a candidate that a constraint dropped."""
    why = str(row.get("why", ""))
    if row.get("fate") != "dropped" or " was asked, it has " not in why:
        return None
    parts = [part.split(", it has ", 1) for part in why.split("; ")]
    if any(len(p) != 2 for p in parts):
        return None
    return "; ".join(p[0].removesuffix(" was asked") for p in parts), ", ".join(p[1] for p in parts)


def explain_line(row: dict[str, object]) -> str:
    """One candidate: id, whether it was kept, and which constraint or score decided."""
    scores = row.get("scores")
    told = (
        {k: v for k, v in scores.items() if v and k not in ("pareto_layer", "distance_m")}
        if isinstance(scores, dict)
        else {}
    )
    shown = "  ".join(f"{k} {v:.2f}" for k, v in told.items())
    return f"  {row.get('fate', ''):<8} {row.get('id', '')}   {row.get('why', '')}   {shown}".rstrip()
