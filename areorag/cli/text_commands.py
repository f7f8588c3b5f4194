"""The commands about texts: documents, synonyms; and how a text ingest reports in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ..errors import UnknownNameError, UsageError
from .common import HomeOption, JsonOption, console, open_graph, write_json


def report_lines(report: Any, *, dry_run: bool = False) -> Iterator[str]:
    """What a text ingest did, found odd, cost, and what to do next; one line each."""
    kept = f" ({report.passages_kept:,} more were there already)" if report.passages_kept else ""
    if not (dry_run and report.estimate):
        yield f"{report.passages:,} passages{kept}, {report.facts:,} facts, {report.claims:,} claims by {report.method}"
    if report.removed:
        yield f"{report.removed:,} documents that their corpus holds no more were removed"
    if report.dropped_quotes or report.dropped_entities:
        yield (
            f"{report.dropped_quotes:,} facts whose quote is not in the text and {report.dropped_entities:,} names that "
            "are not in their quote were dropped"
        )
    if report.failed_passages:
        yield (
            f"{report.failed_passages:,} passages got no valid answer and keep what patterns find. Run the same command "
            "again to try them again"
        )
    for warning in report.warnings[:20]:
        yield f"note  {warning}"
    if len(report.warnings) > 20:
        yield f"note  and {len(report.warnings) - 20:,} more (--json shows all)"
    if dry_run:
        yield from _estimate_lines(report, kept)
        return
    if report.usage:
        u = report.usage
        yield (
            f"{u['calls']:,} calls ({u['cached']:,} answers kept from before, {u['retries']:,} retries), "
            f"{u['tokens_in']:,} tokens in, {u['tokens_out']:,} out"
            + (f", price {report.cost:g}" if report.cost else "")
        )
    if report.stopped:
        yield f"stopped: {report.stopped}"
    elif report.added or report.updated:
        yield "names that mean the same are looked for by  areorag synonyms"


def _estimate_lines(report: Any, kept: str) -> Iterator[str]:
    e = report.estimate
    if not e:
        yield "nothing was written (--dry-run)"
        return
    yield (
        f"to be read by the model: {report.passages:,} passages{kept}; about {e['calls']:,} calls, {e['tokens_in']:,} tokens "
        f"in, {e['tokens_out']:,} out" + (f", price {e['cost']:g}" if e["cost"] else "")
    )
    if e.get("minutes"):
        yield f"at most {e['calls'] / e['minutes']:.0f} calls a minute: at least {e['minutes']:g} minutes"
    if e["runs"] is None:
        yield "the budget allows no call (llm_max_calls, llm_max_tokens)"
    elif e["runs"] > 1:
        yield (
            f"the budget of a run is {e['max_calls']:,} calls and {e['max_tokens']:,} tokens: about {e['runs']:,} runs, each "
            "going on where the last one stopped. Or raise AREORAG_LLM_MAX_CALLS and AREORAG_LLM_MAX_TOKENS"
        )
    yield "nothing was written and no model was asked (--dry-run)"


def documents(
    state: Annotated[str | None, typer.Option(help="Only those in this state: complete, partial or writing.")] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """The texts of the graph: how far each was read and what it gave."""
    with open_graph(home) as areo:
        rows = areo.documents()
    if state is not None:
        rows = [r for r in rows if r["state"] == state]
    write_json(json, rows)
    if json == "-":
        return
    out = console()
    if not rows:
        out.print("no texts. Read some with  areorag ingest --text PATH")
    for r in rows:
        failed = f", {r['failed']:,} to be tried again" if r["failed"] else ""
        out.print(f"{r['id']}  {r['state']}  {r['passages']:,} passages, {r['facts']:,} facts{failed}", markup=False)
        out.print(f"    {r['title']}  from {r['source_file']}", markup=False)
    unfinished = sum(r["state"] != "complete" for r in rows)
    if unfinished:
        out.print(f"{unfinished:,} are not complete: run the same  areorag ingest --text  again to go on")


def synonyms(
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of synonyms; without any, all.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Write them as :Synonym hyperedges.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the named ones back.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="With --remove: take all of them back.")] = False,
    threshold: Annotated[
        float | None, typer.Option(help="Least cosine of two names that are compared (default 0.80).")
    ] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Names in texts that mean one thing: found, decided, explained; never merged, and taken back at any time."""
    ids = list(ids or [])
    if write and remove:
        raise UsageError("give --write or --remove, not both")
    if everything and not remove:
        raise UsageError("--all goes with --remove")
    if remove and bool(ids) == everything:
        raise UsageError("name the synonyms to take back, or give --all")
    if ids and not (write or remove):
        raise UsageError("ids go with --write or --remove")
    with open_graph(home) as areo:
        if remove:
            removed = areo.remove_synonyms(None if everything else ids)
            result: dict[str, Any] = {"removed": removed}
        else:
            result = areo.synonyms(threshold=threshold, write=write, only=ids)
    write_json(json, result)
    if remove and ids and not result["removed"]:
        raise UnknownNameError(f"no synonym has the id {ids[0]}. List them with  areorag synonyms")
    if json == "-":
        return
    out = console()
    if remove:
        out.print(f"{result['removed']:,} taken back; the names stay as they are")
        return
    for note in result["notes"]:
        out.print(f"note  {note}", markup=False)
    for s in result["synonyms"]:
        mark = "written" if s["written"] else "candidate"
        out.print(f"{s['id']}  {mark:<9}  {s['label']}: {' = '.join(s['names'])}", markup=False)
        out.print(f"    cosine {s['score']:.2f}, by {s['method']}: {s['why']}", markup=False)
    n = len(result["synonyms"])
    if not n:
        out.print("no two names of text facts mean the same")
    elif write:
        out.print(
            f"{result['written']:,} written. To take them back:  areorag synonyms --remove ID... or --remove --all"
        )
    else:
        open_ = sum(not s["written"] for s in result["synonyms"])
        out.print(f"{n:,} found, {open_:,} not written. Write them with  areorag synonyms --write [ID...]")


def register(app: typer.Typer) -> None:
    """Put the commands on the app, each with an example in its help."""
    for function, example in (
        (documents, "areorag documents --state partial"),
        (synonyms, "areorag synonyms --write"),
    ):
        app.command(epilog=f"Example: {example}")(function)
