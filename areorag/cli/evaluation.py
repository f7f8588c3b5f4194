"""``areorag eval`` and ``areorag bench``: quality and speed, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from .common import HomeOption, JsonOption, console, progress_bars, write_json

app = typer.Typer(
    help="Measure quality. Every figure is also in the JSON.", no_args_is_help=True, rich_markup_mode=None
)
DirArgument = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="Folder to read.")]
FileOption = Annotated[Path, typer.Option(exists=True, dir_okay=False)]


def _show(result: dict[str, Any], json: str | None) -> None:
    write_json(json, result)
    if json == "-":
        return
    out = console()

    def walk(prefix: str, value: Any) -> None:
        if isinstance(value, dict) and len(value) <= 40:
            for key, inner in value.items():
                walk(f"{prefix}{key}." if isinstance(inner, dict) else f"{prefix}{key}", inner)
        elif isinstance(value, float):
            out.print(f"{prefix}  {value:.4g}")
        elif isinstance(value, int | str | bool):
            out.print(f"{prefix}  {value}")
        elif isinstance(value, list):
            out.print(f"{prefix}  [{len(value)} entries, see --json]")

    walk("", result)


@app.command(epilog="Example: areorag eval adapters labels/ --json report.json")
def adapters(
    directory: DirArgument,
    fuzz: Annotated[int, typer.Option(min=0, help="Read this many damaged copies instead, and look for faults.")] = 0,
    seed: Annotated[int, typer.Option(help="Which piece of the damaged copies.")] = 0,
    longest: Annotated[int, typer.Option(help="Damage files up to this many bytes (longer ones cut off).")] = 70_000,
    record: Annotated[Path | None, typer.Option(help="Add the piece to this JSON of pieces.")] = None,
    json: JsonOption = None,
) -> None:
    """Read every file of a folder and account for each: observations, or the reason why there are none."""
    if fuzz:
        return _fuzz(directory, fuzz, seed, longest, record, json)
    from ..evaluate import adapters as module

    with progress_bars() as bars:
        result = module.run(directory, progress=bars)
    write_json(json, result)
    if json != "-":
        from collections import Counter

        tally = Counter(f["status"] for f in result["files"])
        n = sum(len(f["observations"]) for f in result["files"])
        console().print(f"{len(result['files'])} files: " + ", ".join(f"{v} {k}" for k, v in tally.items()))
        console().print(f"{n} observations in {result['seconds']:.1f} s")
        for file in result["files"]:
            if file["status"] != "ok":
                console().print(f"{file['status']:9} {file['path']}  {file['reason']}", markup=False)


def _fuzz(directory: Path, n: int, seed: int, longest: int, record: Path | None, json: str | None) -> None:
    from ..evaluate import fuzz_adapters as module

    with progress_bars() as bars:
        result = module.run(n, seed, seeds=module.seed_files(directory, longest), progress=bars)
    if record is not None:
        module.write_record(record, result)
    _show(result, json)
    if result["faults"]:
        raise typer.Exit(1)


@app.command(epilog="Example: areorag eval conflict --pairs pairs.jsonl --json result.json")
def conflict(
    pairs: FileOption,
    llm: Annotated[str, typer.Option(help="none, local or a provider as in the settings")] = "none",
    baseline: Annotated[str | None, typer.Option(help="run a baseline instead")] = None,
    ablate: Annotated[str | None, typer.Option(help="leave a feature group out")] = None,
    json: JsonOption = None,
) -> None:
    """Detect and classify conflicts in pairs of claims."""
    from ..evaluate import conflict as module

    _show(module.run(pairs, llm=llm, baseline=baseline, ablate=ablate), json)


@app.command(epilog="Example: areorag eval intent --questions questions.jsonl")
def intent(
    questions: FileOption,
    llm: Annotated[str, typer.Option(help="none, or a provider as in the settings")] = "none",
    json: JsonOption = None,
) -> None:
    """Read questions into spatial intents and score them where gold is given."""
    from ..evaluate import intent as module

    _show(module.run(questions, llm=llm), json)


@app.command(epilog="Example: areorag eval selection --corpus c.jsonl --questions q.jsonl --selector graph -k 5")
def selection(
    corpus: FileOption,
    questions: FileOption,
    selector: Annotated[
        str, typer.Option(help="coverage, facility, topk, mmr, dpp, rrf, rerank or graph")
    ] = "coverage",
    k: Annotated[int, typer.Option("-k", min=1)] = 5,
    ablate: Annotated[str | None, typer.Option(help="subqueries, gate, dw or expansion")] = None,
    json: JsonOption = None,
) -> None:
    """Select k passages a question and measure recall and all-gold."""
    from ..evaluate import selection as module

    with progress_bars() as bars:
        _show(module.run(corpus, questions, selector=selector, k=k, ablate=ablate, progress=bars), json)


@app.command(epilog="Example: areorag eval facts --corpus c.jsonl --questions q.jsonl")
def facts(
    corpus: FileOption,
    questions: FileOption,
    ablate: Annotated[str | None, typer.Option(help="ewo, synonyms, plan, target or trajectories")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="ask a throw-away graph of the corpus, as `ask` does")] = False,
    json: JsonOption = None,
) -> None:
    """Find the sentences that answer knowledge-hypergraph questions."""
    from ..evaluate import facts, facts_graph

    if graph and ablate:
        raise UsageError("--ablate leaves out parts of the search over sentences; it does not go with --graph")
    with progress_bars() as bars:
        if graph:
            _show(facts_graph.run(corpus, questions, progress=bars), json)
        else:
            _show(facts.run(corpus, questions, ablate=ablate, progress=bars), json)


@app.command(epilog="Example: areorag eval multihop --corpus abstracts/ --ablate plan")
def multihop(
    corpus: Annotated[
        Path | None, typer.Option(exists=True, help="texts for a throw-away graph; without it, the graph of --home")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="questions to generate")] = 120,
    seed: int = 7,
    ablate: Annotated[str | None, typer.Option(help="ewo, synonyms, plan, target or trajectories")] = None,
    hard: Annotated[bool, typer.Option("--hard", help="hints of common words, and walks over synonyms")] = False,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Questions of 3 to 6 hops generated from the graph's text facts, answered by planned reasoning."""
    from ..evaluate import multihop_graph as module

    with progress_bars() as bars:
        told = None if bars is None else lambda done, total: bars("questions", done, total)
        _show(module.run(corpus, n, seed, ablate, home, told, hard=hard), json)


@app.command(epilog="Example: areorag eval extraction abstracts/ --json result.json")
def extraction(
    directory: DirArgument,
    folds: Annotated[
        str,
        typer.Option(
            help="auto: folds for documents the shipped weights know; shipped; targets: no shared name; a number"
        ),
    ] = "auto",
    names: Annotated[bool, typer.Option("--names/--no-names", help="may folds use the list of target names")] = True,
    json: JsonOption = None,
) -> None:
    """Extract targets, elements, minerals and what contains what; score against brat annotations."""
    from ..evaluate import extraction as module

    _show(module.run(directory, folds=folds, names=names), json)


@app.command(epilog="Example: areorag eval spatial --n 5000 --seed 7")
def spatial(
    n: Annotated[int, typer.Option("--n", min=1)] = 5000,
    seed: int = 7,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Random footprints and queries against brute force: what is missed, what is too much."""
    from ..evaluate import spatial as module

    _show(module.run(n=n, seed=seed, home=home), json)


@app.command(epilog="Example: areorag eval regions --mask 0.3 --json regions.json")
def regions(
    questions: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    mask: Annotated[float | None, typer.Option(min=0, max=0.95, help="share of records without incidence")] = None,
    inject: Annotated[float | None, typer.Option(min=0, max=0.95, help="share of records with a false copy")] = None,
    ablate: Annotated[
        str | None,
        typer.Option(
            help="sparse, dense, semantic, pareto, plausibility, oem, einstein, euclidean, feedback, coverage, mlg, pict, "
            "uniform, delta_hp or both"
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Run every ablation, mask and injection; tables and pictures into FOLDER."),
    ] = None,
    records: Annotated[int, typer.Option(min=100, help="size of the throw-away archive")] = 3000,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Generated region and season questions over an archive, gold by brute force."""
    with progress_bars() as bars:
        if study is not None:
            from ..evaluate import region_study as whole

            result = whole.run(home, records=records, progress=bars)
            study.mkdir(parents=True, exist_ok=True)
            pictures = [p.name for p in whole.plots(result, study)]
            (study / "regions.md").write_text(whole.markdown(result, pictures), "utf-8")
            write_json(json, result)
            if json != "-":
                console().print(whole.markdown(result, pictures), markup=False)
            return
        from ..evaluate import regions as module

        told = None if bars is None else lambda done, total: bars("questions", done, total)
        found = module.run(
            questions=questions, mask=mask, inject=inject, ablate=ablate, home=home, progress=told, records=records
        )
        _show(found, json)


@app.command(epilog="Example: areorag eval city --json city.json")
def city(
    k: Annotated[int, typer.Option("-k", min=1, help="places an answer may have")] = 5,
    json: JsonOption = None,
) -> None:
    """Spatial-RAG's kind of question about a city on Earth: delivery, spatial and semantic pass rates."""
    from ..evaluate import city as module

    with progress_bars() as bars:
        told = None if bars is None else lambda done, total: bars("questions", done, total)
        result = module.run(k=k, progress=told)
    _show(result, json)
    if json != "-":
        for q in result["questions"]:
            wrong = [n for n in ("delivered", "spatial_sparse", "spatial_dense", "semantic") if not q[n]]
            if wrong:
                console().print(f"{q['id']}  {', '.join('not ' + w for w in wrong)}: {q['question']}", markup=False)


@app.command(epilog="Example: areorag eval containment --json containment.json")
def containment(home: HomeOption = None, json: JsonOption = None) -> None:
    """Which coarse products contain this fine one: hyperbolic against Euclidean embeddings of equal size."""
    from ..evaluate import containment as module

    with progress_bars() as bars:
        _show(module.run(home=home, progress=bars), json)


@app.command(epilog="Example: areorag eval results --data data/ --out docs")
def results(
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder of the page.")] = Path("docs"),
    data: Annotated[Path | None, typer.Option(exists=True, file_okay=False, help="Folder of the outside sets.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="only these parts (repeat)")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run parts again that have a result.")] = False,
    scale: Annotated[str, typer.Option(help="scale of the benches: small, paper or million")] = "small",
    json: JsonOption = None,
) -> None:
    """Run the evaluations and benches that have no result yet and write the results page."""
    from ..evaluate import results as module

    with progress_bars() as bars:
        _show(module.run(out, data, only=only, fresh=fresh, scale=scale, progress=bars), json)


def register_bench(root: typer.Typer) -> None:
    """Add ``areorag bench``."""

    @root.command(epilog="Example: areorag bench --scale small --json bench.json")
    def bench(
        scale: Annotated[str, typer.Option(help="small, paper or million")] = "small",
        part: Annotated[list[str] | None, typer.Option(help="only these parts (repeat)")] = None,
        json: JsonOption = None,
    ) -> None:
        """Speed and memory as ratios against baselines run beside it."""
        from ..evaluate.bench import run

        with progress_bars() as bars:
            _show(run(scale, parts=part, progress=bars), json)
