"""Write the walk-through and the figures of docs/reasoning.md from a real run: `python tools/make_reasoning_doc.py`.

The texts of docs/examples/reasoning go into a throw-away database; one three-hop question is reasoned through without a
language model, whole and with each part left out. The figures come from docs/results/reasoning.json. What stands between
`<!-- walk:NAME -->` and `<!-- end -->` is replaced; the trace is drawn into docs/img/reasoning.svg.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from areorag.evaluate.multihop_graph import ABLATIONS
from areorag.graph.connection import Database
from areorag.ingest.text.pipeline import ingest_text
from areorag.ingest.text.synonyms import find_synonyms, write_synonyms
from areorag.llm.embed import Embedder, get_embedder
from areorag.retrieval.reasoning import ReasoningOptions, ReasoningResult, reason
from areorag.settings import Settings, load_settings

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "reasoning.md"
QUESTION = "Which instrument identified the mineral that is contained in the target drilled at Pahrump Hills?"
NAMES = {"ewo": "EWO", "synonyms": "synonyms", "plan": "plans", "target": "target hyperedges", "trajectories": "more than one trajectory"}  # fmt: skip


def walk(db: Database, settings: Settings, embedder: Embedder) -> tuple[dict[str, str], str]:
    """The blocks of the page, by name, and the drawing of one run."""
    ingest_text(db, [DOCS / "examples" / "reasoning"], settings, embedder=embedder)
    write_synonyms(db, find_synonyms(db, embedder))
    result = reason(db, QUESTION, settings, embedder)
    less = {a: reason(db, QUESTION, settings, embedder, options=ReasoningOptions().without(a)) for a in ABLATIONS}
    counts = db.counts()
    blocks = {
        "size": f"{counts['Passage']} passages, {counts['Fact']} facts, {counts['Claim']} claims.",
        "anchors": _block(_anchors(db, result)),
        "subgraph": "{edges} hyperedges, {nodes} entities.".format(**result.trace.subgraph),
        "sketch": _block(result.trace.sketch[:6]),
        "plans": _block(_plans(result)),
        "steps": _block(_steps(result)),
        "ends": _block(_ends(result)),
        "answers": _block(f"{score:.2f}  {name}" for name, score in result.answers[:5]),
        "less": _block(f"{a:13s} {_answers(r)}" for a, r in less.items()),
        "spent": "{edges} hyperedges and {states} states".format(**result.trace.budget),
    }
    return blocks, result.trace.svg()


def _block(lines: Any) -> str:
    return "```\n" + "\n".join(lines) + "\n```"


def _short(text: str, n: int = 110) -> str:
    return text if len(text) <= n else text[: n - 1].rstrip() + "…"


def _answers(result: ReasoningResult) -> str:
    return ", ".join(f"{name} {score:.2f}" for name, score in result.answers[:3]) or "no answer"


def _anchors(db: Database, result: ReasoningResult) -> list[str]:
    texts = {r["id"]: r["text"] for r in db.read("reason_edges", ids=[t["id"] for t in result.trace.targets])}
    out = [f"anchor   {a['name']} ({a['id']})" for a in result.trace.anchors]
    return out + [f"target   {t['score']:.3f}  {_short(texts[t['id']], 90)}" for t in result.trace.targets[:3]]


def _plans(result: ReasoningResult) -> list[str]:
    out = []
    for plan in result.trace.plans:
        out.append(f"plan ({plan['source']}), {len(plan['levels'])} levels")
        for s in plan["steps"]:
            needs = f"  ← {', '.join(f'#{d}' for d in s['depends'])}" if s["depends"] else ""
            wants = f"  wants {' or '.join(s['wants'])}" if s["wants"] else ""
            out.append(f"  #{s['id']} {s['question']}{needs}{wants}")
    return out


def _steps(result: ReasoningResult) -> list[str]:
    out = []
    for s in result.trace.steps:
        out.append(f"[{s['plan']}, level {s['level'] + 1}] #{s['step']} {s['question']}")
        for a in s["answers"]:
            out.append(f"   {a['score']:.2f}  {a['name']}" + ("  (nothing leads to it)" if a["leap"] else ""))
            out += [f"      {e['kind'].lower()}: {_short(e['text'])}" for e in a["path"]]
    return out


def _ends(result: ReasoningResult) -> list[str]:
    ends = enumerate(result.trace.trajectories, start=1)
    return [f"trajectory {k}: {t['score']:.2f}  {' → '.join(t['answers'])}" for k, t in ends]


def figures() -> dict[str, str]:
    """The tables, from the last `areorag eval results`."""
    found = json.loads((DOCS / "results" / "reasoning.json").read_text("utf-8"))
    hops = found["full"]["by_hops"]
    rows = (("hit1", "right answer first, %"), ("hit5", "right answer among the first five, %"), ("path_recall", "share of the gold path found, %"))  # fmt: skip
    table = [
        f"| {found['full']['n']} questions, no model | all | " + " | ".join(f"{h} hops" for h in hops) + " |",
        "|---" * (len(hops) + 2) + "|",
        *(
            f"| {text} | {found['full'][k]} | " + " | ".join(str(h[k]) for h in hops.values()) + " |"
            for k, text in rows
        ),
    ]
    less = [
        "| right first / in five / path, % | as generated | hard |",
        "|---|---|---|",
        *(f"| {_label(a)} | {_three(found[a])} | {_three(found['hard'][a])} |" for a in ("full", *ABLATIONS)),
    ]
    return {"figures": "\n".join(table), "ablations": "\n".join(less)}


def _label(name: str) -> str:
    return "all parts" if name == "full" else f"without {NAMES[name]}"


def _three(row: dict[str, Any]) -> str:
    return f"{row['hit1']} / {row['hit5']} / {row['path_recall']}"


def filled(page: str, blocks: dict[str, str]) -> str:
    """The page with its blocks replaced.

    Raises
    ------
    KeyError
        A block of the page has no text.
    """
    pattern = re.compile(r"(<!-- walk:(\w+) -->)(\n?).*?(<!-- end -->)", re.S)
    return pattern.sub(lambda m: f"{m[1]}{m[3]}{blocks[m[2]]}{m[3]}{m[4]}", page)


def main() -> None:
    """Run, and write the page."""
    settings = load_settings().model_copy(update={"llm": "none"})
    with Database.temporary(settings) as db:
        blocks, drawing = walk(db, settings, get_embedder(settings))
    (DOCS / "img" / "reasoning.svg").write_text(drawing + "\n", "utf-8")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), blocks | figures()), "utf-8")


if __name__ == "__main__":
    main()
