"""The commands of daily work: ingest, ask, retrieve, observation, conflicts, audit, forget, restore, verify, settings, demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from .common import HomeOption, JsonOption, KOption, console, open_graph, progress_bars, settings_for, write_json

QuestionArgument = Annotated[str, typer.Argument(help="The question, in plain words.")]


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    adapter: Annotated[str | None, typer.Option(help="Use this adapter instead of looking at the content.")] = None,
    text: Annotated[bool, typer.Option("--text", help="The files are texts: papers, reports, JSONL corpora.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and count, write nothing.")] = False,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, or 'local'.")] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Turn labels, tables and papers into the graph. Running it again changes nothing that is unchanged."""
    from ..api import AreoRAG
    from ..ingest.paths import check_paths

    paths = check_paths(paths)
    with progress_bars() as bars, AreoRAG.open(settings=settings_for(home), progress=bars) as areo:
        report = areo.ingest(paths, adapter=adapter, text=text, dry_run=dry_run, scheduler=scheduler, progress=bars)
    write_json(json, report)
    if json != "-":
        out = console()
        out.print(
            f"{report.files:,} files: {report.added:,} added, {report.updated:,} updated, "
            f"{report.unchanged:,} unchanged, {len(report.quarantined):,} quarantined in {report.seconds:.1f} s"
        )
        if text:
            from .text_commands import report_lines

            for line in report_lines(report, dry_run=dry_run):
                out.print(f"  {line}", markup=False)
        if report.forgotten:
            few = " ".join(report.forgotten_ids[:3]) + (" …" if report.forgotten > 3 else "")
            out.print(
                f"  {report.forgotten:,} forgotten before and not written. To bring them back:  areorag restore {few}  "
                "and ingest again (areorag restore --list shows all)",
                markup=False,
            )
        for file, reason in report.quarantined:
            out.print(f"  quarantined  {file}  {reason}", markup=False)
    done = report.added or report.updated or report.unchanged or report.forgotten or (dry_run and report.files)
    if (report.quarantined and not done) or getattr(report, "stopped", None):
        raise typer.Exit(1)


def ask(
    question: QuestionArgument,
    k: KOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say for each candidate what kept or dropped it.")] = False,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Answer a question from the graph: every sentence cited, conflicts explained."""
    from ..answer.render import answer_text
    from ..retrieval.question import check_question

    question = check_question(question)
    with open_graph(home) as areo:
        answer = areo.ask(question, k=k, explain=explain)
    write_json(json, answer)
    if json != "-":
        console().print(answer_text(answer, explain=explain), markup=False)
    if not answer.found:
        raise typer.Exit(1)


def retrieve(
    question: QuestionArgument,
    k: KOption = None,
    selector: Annotated[
        str | None, typer.Option(help="coverage, facility, topk, mmr, dpp, rrf, rerank or graph")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say for each candidate what kept or dropped it.")] = False,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Ranked evidence with every score, no answer."""
    from ..retrieval.question import check_question

    question = check_question(question)
    with open_graph(home) as areo:
        hits = areo.retrieve(question, k=k, selector=selector, explain=explain)
    write_json(json, list(hits))
    if json == "-":
        raise typer.Exit(0 if hits else 1)
    out = console()
    if not hits:
        out.print(hits.message or "nothing found", markup=False)
        raise typer.Exit(1)
    for note in hits.retrieval.intent.notes:
        out.print(f"Note  {note}", markup=False)
    for n, hit in enumerate(hits, 1):
        out.print(f"{n:>3}  {hit.score:.3f}  {hit.id}", markup=False)
        out.print("            " + "  ".join(f"{k} {v:.2f}" for k, v in hit.scores.items()), markup=False)
    if explain:
        from ..answer.render import explain_lines

        for line in explain_lines(hits.explanation):
            out.print(line, markup=False)


def observation(
    id: Annotated[str, typer.Argument(help="DataID.")], home: HomeOption = None, json: JsonOption = None
) -> None:
    """Everything known about one observation."""
    with open_graph(home) as areo:
        found = areo.observation(id)
    write_json(json, found)
    if json == "-":
        return
    out = console()
    for key, value in found.model_dump(mode="json").items():
        if value not in (None, [], {}, "") and key != "meta":
            out.print(f"{key:22} {value}", markup=False)


def audit(
    answer_id: Annotated[str, typer.Argument(help="Id of an answer, as 'areorag ask' prints it.")],
    html: Annotated[Path | None, typer.Option("--html", help="Write one self-contained page.")] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Open the whole chain of an answer: question, evidence, scores, conflicts, files, hashes, versions."""
    from ..answer.render import answer_text

    with open_graph(home) as areo:
        answer = areo.answer(answer_id)
        if html is not None:
            areo.audit_html(answer_id, html)
    write_json(json, answer)
    if json == "-":
        return
    out = console()
    if html is not None:
        out.print(f"wrote {html}", markup=False)
    else:
        out.print(f"Question  {answer.question}", markup=False)
        out.print(answer_text(answer, explain=True), markup=False)
        for key, value in answer.trace.versions.items():
            out.print(f"{key:10}{value}", markup=False)


def forget(
    ids: Annotated[list[str], typer.Argument(help="DataIDs, or ids or files of documents.")],
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Remove observations and texts; a tombstone keeps where they came from."""
    with open_graph(home) as areo:
        result = areo.forget(ids)
    write_json(json, result)
    if json != "-":
        console().print(
            f"{result['forgotten']} removed, {len(result['unknown'])} unknown: {', '.join(result['unknown'])}".rstrip(
                ": "
            )
        )
    if result["unknown"] and not result["forgotten"]:
        raise typer.Exit(1)


def restore(
    ids: Annotated[list[str] | None, typer.Argument(help="DataIDs, or ids of documents, that were forgotten.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what is forgotten, the latest first.")] = False,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Let forgotten observations and texts be ingested again; they come back with the next ingest of their files."""
    if not ids and not listed:
        raise UsageError("name the ids to restore, or give --list to see what is forgotten")
    with open_graph(home) as areo:
        result = areo.restore(ids or [])
        forgotten = areo.tombstones() if listed else None
    write_json(json, result if forgotten is None else result | {"forgotten": forgotten})
    if json != "-":
        out = console()
        if ids:
            out.print(f"{result['restored']:,} restored, {len(result['unknown']):,} not forgotten")
        for file in result["files"]:
            out.print(f"  to bring back, ingest again  {file}", markup=False)
        for row in forgotten or []:
            out.print(
                f"  {row['id']}  forgotten {row['forgotten_at']:%Y-%m-%d %H:%M}  from {row['source_file']}",
                markup=False,
            )
        if forgotten == []:
            out.print("nothing is forgotten")
    if result["unknown"] and not result["restored"]:
        raise typer.Exit(1)


def verify(home: HomeOption = None, json: JsonOption = None) -> None:
    """Check the invariants of the graph."""
    with open_graph(home) as areo:
        result = areo.verify()
    write_json(json, result)
    if json != "-":
        out = console()
        for problem in result["problems"]:
            out.print(f"problem  {problem}", markup=False)
        out.print(f"{result['checks']} checks, {len(result['problems'])} problems, digest {result['digest'][:16]}")
    if result["problems"]:
        raise typer.Exit(1)


def settings(json: JsonOption = None) -> None:
    """The effective settings and where each came from; secrets masked."""
    current = settings_for()
    origins = current.origins()
    values = current.model_dump(mode="json")
    write_json(json, {k: {"value": v, "from": origins[k]} for k, v in values.items()})
    if json != "-":
        out = console()
        for key, value in values.items():
            out.print(f"{key:20} {value!s:50} {origins[key]}", markup=False)


def demo(home: HomeOption = None, json: JsonOption = None) -> None:
    """Sample archive, one question, one answer, in one go."""
    from ..answer.render import answer_text
    from ..api import AreoRAG
    from ..sample import QUESTION, archive_path

    out = console()
    with progress_bars() as bars, AreoRAG.open(settings=settings_for(home), progress=bars) as areo:
        report = areo.ingest([archive_path()], progress=bars)
        answer = areo.ask(QUESTION)
        page = areo.settings.cache_dir / "audits" / f"{answer.id}.html"
        areo.audit_html(answer.id, page)
        browser = areo.browser_url()
    write_json(json, answer)
    if json == "-":
        return
    out.print(
        f"Sample archive: {report.files} files, {report.added} observations added, {report.unchanged} unchanged, "
        f"{len(report.quarantined)} quarantined, {report.seconds:.1f} s\n"
    )
    out.print(f'$ areorag ask "{QUESTION}"\n', markup=False)
    out.print(answer_text(answer), markup=False)
    out.print("")
    if browser:
        out.print(f"Neo4j Browser  {browser}   (user neo4j, password:  areorag db browser)", markup=False)
    out.print(f"Audit page     {page}", markup=False)


def register(app: typer.Typer) -> None:
    """Put the commands on the app, each with an example in its help."""
    for function, example in (
        (ingest, "areorag ingest labels/ papers/index.tab"),
        (ask, 'areorag ask "olivine within 20 km of the western Jezero delta in MY 28"'),
        (retrieve, 'areorag retrieve "CTX images of Gale crater in northern spring" -k 10 --selector mmr'),
        (observation, "areorag observation ESP_037330_1990_RED --json -"),
        (audit, "areorag audit a-7f31c2d4 --html audit.html"),
        (forget, "areorag forget ESP_037330_1990_RED"),
        (restore, "areorag restore ESP_037330_1990_RED"),
        (verify, "areorag verify"),
        (settings, "areorag settings"),
        (demo, "areorag demo"),
    ):
        app.command(epilog=f"Example: {example}")(function)
    app.add_typer(conflicts_app, name="conflicts")


conflicts_app = typer.Typer(
    help="List the conflicts found so far, or overrule one.", invoke_without_command=True, rich_markup_mode=None
)


@conflicts_app.callback(epilog="Example: areorag conflicts --category scale --region Jezero")
def list_conflicts(
    ctx: typer.Context,
    category: Annotated[str | None, typer.Option(help="noise, instrument, scale or temporal")] = None,
    region: Annotated[str | None, typer.Option(help="Only inside this named place.")] = None,
    property: Annotated[str | None, typer.Option(help="Only about this property.")] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """List the conflicts found so far."""
    if ctx.invoked_subcommand is not None:
        return
    with open_graph(home) as areo:
        rows = areo.conflicts(category=category, region=region, property=property)
    write_json(json, rows)
    if json == "-":
        return
    out = console()
    if not rows:
        out.print("no conflict found. Conflicts are found when questions are asked")
    for row in rows:
        out.print(
            f"{row['id']}  {row['category']:<11} {row['property']:<24} {row['a_id']} ↔ {row['b_id']}\n"
            f"    {row['explanation']}",
            markup=False,
        )


@conflicts_app.command(
    "overrule", epilog='Example: areorag conflicts overrule c-12ab --category scale --why "checked the cube"'
)
def overrule(
    id: Annotated[str, typer.Argument(help="Id of the conflict.")],
    category: Annotated[str, typer.Option(help="noise, instrument, scale, temporal or none")],
    why: Annotated[str, typer.Option(help="The reason; kept with the decision.")],
    who: Annotated[str | None, typer.Option(help="Who decides (default: the login name).")] = None,
    home: HomeOption = None,
) -> None:
    """Set the category by hand; kept with who, when and why, and used by later answers."""
    with open_graph(home) as areo:
        areo.overrule(id, category=category, why=why, who=who)
    console().print(f"{id} is now {category}", markup=False)
