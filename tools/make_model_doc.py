"""Fill the tables of docs/model.md from areorag/cypher/schema.json; what stands around the markers is written by hand.

python tools/make_model_doc.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


def render(page: str, schema: dict[str, Any]) -> str:
    """The page with its tables made anew."""
    head, rest = page.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n\n{tables(schema)}\n{END}{tail}"


def tables(schema: dict[str, Any]) -> str:
    out = ["## Relationships", "", "| type | from → to | meaning | properties |", "| --- | --- | --- | --- |"]
    for name, entry in schema["relationships"].items():
        ends = f"{', '.join(entry['from'])} → {', '.join(entry['to'])}"
        props = "; ".join(f"`{p}` {v['about']}" for p, v in entry["properties"].items())
        out.append(f"| `{name}` | {ends} | {entry['about']} | {props} |")
    out += ["", "## Nodes", ""]
    for name, entry in schema["labels"].items():
        out += [f"### :{name}", "", f"{entry['about']}.", "", "| property | type | meaning |", "| --- | --- | --- |"]
        for p, v in entry["properties"].items():
            kind = v["type"].replace("<", "&lt;").replace(">", "&gt;")
            out.append(f"| `{p}` | {kind} | {v['about']} |")
        out.append("")
    return "\n".join(out)


if __name__ == "__main__":
    path = ROOT / "docs" / "model.md"
    schema = json.loads((ROOT / "areorag" / "cypher" / "schema.json").read_text("utf-8"))
    path.write_text(render(path.read_text("utf-8"), schema), "utf-8")
    print(path)
