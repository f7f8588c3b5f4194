"""``docs/results.md`` from one command: every evaluation and bench, run here, with the command that repeats each.

    areorag eval results --data DIR --out docs

`DIR` holds the outside sets (folders ``multihop``, ``khqa``, ``lpsc2015``, ``conflict``, ``archive``); what is not there
is left out and said so. Each part's JSON is kept in ``<out>/results/``; a part with a JSON is not run again unless
``fresh``. Benches have a file a scale (``bench-retrieval-paper.json``), the page shows the largest. What did not work
stands in ``<out>/results-notes.md`` and is appended as it is.
"""

from __future__ import annotations

import importlib
import logging
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ..errors import AreoRAGError, MissingExtraError, UsageError
from ..settings import load_settings
from . import bench_growth, region_study
from .bench import SCALES
from .results_page import headline, section

log = logging.getLogger(__name__)

MAX_LIST = 80
"""Longer lists (one entry a question, a pair, a file) are left out of the kept JSON."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Part:
    """One section of the page: `call` gets the data folder and returns the figures.

    `body` writes the section where the plain table will not do; `plots` draws pictures into a folder; `bench` is the
    name of a part of ``areorag bench``, which is run at the scale asked for.
    """

    key: str
    title: str
    command: str
    call: Callable[[Path], dict[str, Any]]
    needs: str | None = None
    body: Callable[[Mapping[str, Any]], str] | None = None
    plots: Callable[[Mapping[str, Any], Path], list[Path]] | None = None
    bench: str | None = None


def _run(module: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    found: dict[str, Any] = importlib.import_module(f".{module}", __package__).run(*args, **kwargs)
    return found


def _selection(data: Path, corpus: str) -> dict[str, Any]:
    paths = (data / "multihop" / f"{corpus}_corpus.jsonl", data / "multihop" / f"{corpus}_questions.jsonl")
    out: dict[str, Any] = {}
    for selector in ("topk", "mmr", "dpp", "rrf", "facility", "coverage", "graph"):
        result = _run("selection", *paths, selector=selector)
        out[selector] = {k: result[k] for k in ("recall", "all_gold", "seconds")}
    return out


def _reasoning(corpus: Path) -> dict[str, Any]:
    from .multihop_graph import study

    return study(corpus)


def _sample(_: Path) -> dict[str, Any]:
    from ..sample import archive_path

    result = _run("adapters", archive_path())
    states = [f["status"] for f in result["files"]]
    return {
        "files": len(states),
        **{s: states.count(s) for s in ("ok", "partial", "rejected")},
        "observations": sum(len(f["observations"]) for f in result["files"]),
        "seconds": result["seconds"],
    }


def _study() -> dict[str, Any]:
    """The whole study; what a stopped run had measured is kept in the cache."""
    return _run("region_study", keep=load_settings().cache_dir / "region-study.json")


def _bench(name: str, scale: str) -> dict[str, Any]:
    parts: dict[str, Any] = _run("bench", scale, parts=[name])["parts"]
    result: dict[str, Any] = parts[name]
    if "error" in result:
        raise UsageError(str(result["error"]))
    return {"scale": scale} | result


_BENCHES = ("hyperbolic", "adapters", "spatial", "ingest", "text", "retrieval", "growth", "selection")

PARTS = (
    Part("adapters", "Labels read (sample archive)", "areorag eval adapters areorag/sample/archive", _sample),
    Part("intent", "Questions read without a language model (held-out half of the project's own)",
         "areorag eval intent --questions areorag/evaluate/data/intent.jsonl", lambda _: _run("intent", split="heldout")),
    Part("spatial", "Exact space against brute force", "areorag eval spatial --n 5000 --seed 7",
         lambda _: _run("spatial", n=5000, seed=7)),
    Part("regions-ablations", "Region and season questions: ablations, sparsity, noise, baselines",
         "areorag eval regions --study docs/results", lambda _: _study(),
         body=region_study.page, plots=region_study.plots),
    Part("containment", "Is hyperbolic worth it? Containment ranking against Euclidean models of equal size",
         "areorag eval containment", lambda _: _run("containment")),
    Part("conflict", "Conflict triage on the ten examples (form only, not a test)",
         "areorag eval conflict --pairs examples.jsonl",
         lambda d: _run("conflict", d / "conflict" / "examples.jsonl"), "conflict"),
    Part("selection-2wiki", "Evidence selection, 2Wiki: recall@5 and all-gold@5", "areorag eval selection …",
         lambda d: _selection(d, "2wiki"), "multihop"),
    Part("selection-musique", "Evidence selection, MuSiQue: recall@5 and all-gold@5", "areorag eval selection …",
         lambda d: _selection(d, "musique"), "multihop"),
    Part("facts", "Facts of a clinical guideline", "areorag eval facts …",
         lambda d: _run("facts", d / "khqa" / "hypertension_corpus.jsonl", d / "khqa" / "hypertension_questions.jsonl"),
         "khqa"),
    Part("facts-graph", "The same questions asked of a graph of the guideline: three passages, as `areorag ask` cites them",
         "areorag eval facts --graph …",
         lambda d: _run("facts_graph", d / "khqa" / "hypertension_corpus.jsonl",
                        d / "khqa" / "hypertension_questions.jsonl"),
         "khqa"),
    Part("extraction", "Targets, elements, minerals, contains (five folds over the documents)",
         "areorag eval extraction …", lambda d: _run("extraction", d / "lpsc2015", folds=5, predictions=False), "lpsc2015"),
    Part("reasoning", "Planned reasoning: generated questions of 3 to 6 hops over abstracts, each part left out in turn",
         "areorag eval multihop --corpus … [--hard] [--ablate …]", lambda d: _reasoning(d / "lpsc2015"), "lpsc2015"),
    Part("city", "Spatial-RAG's kind of question on Earth", "areorag eval city", lambda _: _run("city")),
    *(
        Part(f"bench-{name}", f"Speed: {name}", f"areorag bench --part {name}", lambda _: {}, bench=name,
             plots=bench_growth.plots if name == "growth" else None,
             body=bench_growth.page if name == "growth" else None)
        for name in _BENCHES
    ),
)  # fmt: skip


def run(
    out: Path,
    data: Path | None = None,
    *,
    only: list[str] | None = None,
    fresh: bool = False,
    scale: str = "small",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run what is missing and write the page. → ``{page, parts: {key: seconds | reason}}``.

    Raises
    ------
    UsageError
        Unknown part.
    """
    unknown = set(only or ()) - {p.key for p in PARTS}
    if unknown:
        raise UsageError(f"unknown part {sorted(unknown)[0]!r}: use {', '.join(p.key for p in PARTS)}")
    folder = out / "results"
    folder.mkdir(parents=True, exist_ok=True)
    done: dict[str, Any] = {}
    sections: list[str] = []
    known: dict[str, dict[str, Any]] = {}
    for i, part in enumerate(PARTS):
        if progress:
            progress(part.title, i, len(PARTS))
        kept = _file(folder, part, scale)
        chosen = not only or part.key in only
        if chosen and (fresh or not kept.is_file()):
            done[part.key] = _one(part, data, kept, scale)
        found = _read(folder, part)
        if found is not None:
            known[part.key] = found
            _draw(part, found, folder)
            command = part.command
            if part.bench is not None and found.get("scale"):
                command = f"areorag bench --scale {found['scale']} --part {part.bench}"
            sections.append(section(part.key, part.title, command, found, part.body))
    notes = out / "results-notes.md"
    head = (
        "# Results\n\nWritten by `areorag eval results`; every table names the command that repeats it. Measured on "
        f"{os.cpu_count()} cores, Python {platform.python_version()}; machines are noisy, so speeds are ratios wherever "
        "there is a baseline to run beside. What did not work stands at the end.\n"
    )
    used = {_file(folder, part, scale) for part in PARTS for scale in SCALES}
    others = [p.name for p in sorted(folder.glob("*.json")) if p not in used]
    if others:
        sections.append(
            "More figures: " + ", ".join(f"[{n.removesuffix('.json')}](results/{n})" for n in others) + "\n"
        )
    page = out / "results.md"
    page.write_text(
        "\n".join([head, headline(known), *sections, notes.read_text("utf-8") if notes.is_file() else ""]), "utf-8"
    )
    return {"page": str(page), "parts": done}


def _file(folder: Path, part: Part, scale: str) -> Path:
    """Where a part's figures are kept; benches have a file a scale."""
    return folder / f"{part.key}{'' if part.bench is None or scale == 'small' else f'-{scale}'}.json"


def _read(folder: Path, part: Part) -> dict[str, Any] | None:
    """The kept figures, of a bench those at the largest scale; also as ``areorag bench --json`` writes them."""
    for scale in reversed(SCALES) if part.bench is not None else ("small",):
        path = _file(folder, part, scale)
        if path.is_file():
            found: dict[str, Any] = orjson.loads(path.read_bytes())
            if part.bench is not None:
                found = {"scale": scale} | found.get("parts", {}).get(part.bench, found)
            return found
    return None


def _draw(part: Part, result: Mapping[str, Any], folder: Path) -> None:
    if part.plots is None:
        return
    try:
        part.plots(result, folder)
    except MissingExtraError as exc:
        log.warning("the pictures of %s are not drawn again: %s", part.key, exc)


def _one(part: Part, data: Path | None, kept: Path, scale: str) -> Any:
    if part.needs is not None and (data is None or not (data / part.needs).is_dir()):
        return f"left out: no folder {part.needs} in --data"
    began = time.perf_counter()
    try:
        result = part.call(data or Path()) if part.bench is None else _bench(part.bench, scale)
    except AreoRAGError as exc:
        log.warning("%s: %s", part.key, exc)
        return str(exc)
    short = {k: v for k, v in result.items() if not (isinstance(v, list) and len(v) > MAX_LIST)}
    kept.write_bytes(
        orjson.dumps(short, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    )
    return round(time.perf_counter() - began, 1)
